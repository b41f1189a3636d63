package loaders

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// MemberKey is the key of [List.Members]: a list's owner, and a position in the list.
type MemberKey struct{ Owner, Position string }

// Member is the value of [List.Members]. Found is false if the list has no member at the position.
type Member[E any] struct {
	Value E
	Found bool
}

// Members loads the members at these positions. A list of one bucket takes one Get: the first
// column of bucket 0 from the position on. Only if that is a column of the directory, or a moved
// marker, another bucket may hold the member, and two rounds follow.
func (l List[E]) Members(ctx context.Context, keys []MemberKey) ([]Member[E], error) {
	s := lookup[E]{l: l, decoder: l.of.Decoder(), keys: keys, errs: failures{n: len(keys)},
		found: make([]Member[E], len(keys)), buckets: make([]tables.Bucket, len(keys))}
	all := make([]int, len(keys))
	for i := range keys {
		all[i] = i
	}
	elsewhere := s.step(ctx, all, func(k MemberKey, _ tables.Bucket) hbase.Get {
		return l.of.Get(k.Owner, 0, hbase.Page{Start: k.Position, Limit: 1})
	})
	elsewhere = s.step(ctx, elsewhere, func(k MemberKey, _ tables.Bucket) hbase.Get {
		return l.of.Directory(k.Owner, hbase.Next(k.Position), 1)
	})
	s.step(ctx, elsewhere, func(k MemberKey, b tables.Bucket) hbase.Get {
		return l.of.Get(k.Owner, b.Number, hbase.Exactly(k.Position))
	})
	return s.found, s.errs.err()
}

// lookup is the state of one call of Members.
type lookup[E any] struct {
	l       List[E]
	keys    []MemberKey
	found   []Member[E]
	buckets []tables.Bucket
	decoder *tables.Decoder[E]
	errs    failures
}

// step reads a Get for each of these keys, and notes the members that it finds. It returns the keys
// whose member may be in another bucket.
func (s *lookup[E]) step(ctx context.Context, at []int, get func(MemberKey, tables.Bucket) hbase.Get) (
	elsewhere []int,
) {
	if len(at) == 0 {
		return nil
	}
	set := newReadSet(len(at))
	for _, i := range at {
		set.add(get(s.keys[i], s.buckets[i]))
	}
	from(ctx).read(ctx, s.l.name, set)
	for j, i := range at {
		result := set.result(j)
		if result.Err != nil {
			s.errs.set(i, result.Err)
			continue
		}
		cells := result.Cells
		members, positions, buckets, err := s.decoder.Decode(s.keys[i].Owner, cells)
		switch {
		case err != nil:
			s.errs.set(i, err)
		case len(positions) > 0 && positions[0] == s.keys[i].Position:
			s.found[i] = Member[E]{members[0], true}
		case len(positions) == 0 && len(buckets) > 0:
			s.buckets[i] = buckets[0]
			elsewhere = append(elsewhere, i)
		case len(positions) == 0 && len(cells) > 0:
			elsewhere = append(elsewhere, i) // a moved marker
		}
	}
	return elsewhere
}
