package loaders

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// MemberKey is the key of [List.Members]: a list's owner, and a position in it.
type MemberKey struct{ Owner, Position string }

// Member is the answer of [List.Members]. Found is false where the list has nothing at the position.
type Member[E any] struct {
	Value E
	Found bool
}

// Members answers what the lists have at these positions. In a list of one bucket that is one Get each: it asks for the column
// at the position or, failing that, for whatever follows. Only if that is the directory another bucket may hold it, two rounds on.
func (l List[E]) Members(ctx context.Context, keys []MemberKey) ([]Member[E], error) {
	s := search[E]{l: l, decoder: l.of.Decoder(), keys: keys, found: make([]Member[E], len(keys)), buckets: make([]tables.Bucket, len(keys)), errs: failures{n: len(keys)}}
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

// search is the state of one call of Members.
type search[E any] struct {
	l       List[E]
	keys    []MemberKey
	found   []Member[E]
	buckets []tables.Bucket
	decoder *tables.Decoder[E]
	errs    failures
}

// step sends a Get for each of these keys, notes what it finds, and returns the keys for which it met the directory instead.
func (s *search[E]) step(ctx context.Context, at []int, get func(MemberKey, tables.Bucket) hbase.Get) (elsewhere []int) {
	if len(at) == 0 {
		return nil
	}
	answers, list := read(ctx, s.l.name, requests(len(at), func(j int, g *hbase.Get) { *g = get(s.keys[at[j]], s.buckets[at[j]]) }))
	for j, i := range at {
		if list != nil && list[j] != nil {
			s.errs.set(i, list[j])
			continue
		}
		cells := answers[j].cells()
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
			elsewhere = append(elsewhere, i) // it moved
		}
	}
	return elsewhere
}
