package rebuild

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Lists rebuilds the lists of these owners: each member lies in the bucket that covers it, no bucket is longer than the
// bound, and the lengths are those of the lists.
func (s *Rebuilder) Lists(ctx context.Context, l *tables.AnyList, owners []string) error {
	return s.groups(ctx, owners, func(ctx context.Context, owners []string) error {
		lengths := make(map[string]Length, len(owners))
		for open := owners; len(open) > 0; {
			found, err := s.arrange(ctx, l, open)
			if err != nil {
				return err
			}
			// A list that was changed is read again: its length is counted when nothing moves any more.
			var again []string
			for _, owner := range open {
				if found[owner].changed {
					again = append(again, owner)
				} else {
					lengths[owner] = found[owner].length
				}
			}
			open = again
		}
		return s.writeLengths(ctx, l, owners, lengths, false)
	})
}

// arranged is what was found of a list.
type arranged struct {
	length Length
	// changed is whether members were moved.
	changed bool
	buckets []bucket
}

// bucket is how many members a bucket has, and the positions at which it could be split: one in every half of the bound.
type bucket struct {
	number uint32
	held   int
	cuts   []string
}

// arrange reads the lists of some owners, moves members that lie in the wrong bucket, and splits full buckets.
func (s *Rebuilder) arrange(ctx context.Context, l *tables.AnyList, owners []string) (map[string]*arranged, error) {
	found := make(map[string]*arranged, len(owners))
	for _, owner := range owners {
		found[owner] = new(arranged)
	}
	err := Spans(ctx, s.Store, l, owners, func(span *Span) error {
		var public []bool
		if l.PublicCount != "" {
			var err error
			if public, err = l.Public(span.Owner, span.Cells); err != nil {
				return err
			}
		}
		var astray []hbase.Cell
		for i, c := range span.Cells {
			if !span.Covers(i) {
				astray = append(astray, c)
				continue
			}
			found[span.Owner].add(span.Bucket, c.Qualifier, s.ListBound/2)
			found[span.Owner].length = found[span.Owner].length.Grown(public != nil && public[i])
		}
		if len(astray) == 0 {
			return nil
		}
		found[span.Owner].changed = true
		return s.move(ctx, l, span, astray)
	})
	if err != nil {
		return nil, err
	}
	for _, owner := range owners {
		f := found[owner]
		for _, b := range f.buckets {
			if b.held <= s.ListBound {
				continue
			}
			// The last new bucket takes what is left of the halves.
			if n := len(b.cuts); n > 1 && b.held-n*(s.ListBound/2) < s.ListBound/2 {
				b.cuts = b.cuts[:n-1]
			}
			f.changed = true
			if err := s.split(ctx, l, owner, b); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// add adds a member to the last bucket that was read, or to the next.
func (a *arranged) add(number uint32, position string, half int) {
	if n := len(a.buckets); n == 0 || a.buckets[n-1].number != number {
		a.buckets = append(a.buckets, bucket{number: number})
	}
	b := &a.buckets[len(a.buckets)-1]
	if b.held > 0 && b.held%half == 0 {
		b.cuts = append(b.cuts, position)
	}
	b.held++
}

// move puts members into the buckets that cover them, and then deletes them from this one.
func (s *Rebuilder) move(ctx context.Context, l *tables.AnyList, span *Span, astray []hbase.Cell) error {
	puts := make([]hbase.Mutation, len(astray))
	for i, c := range astray {
		row := l.Row(span.Owner, tables.BucketOf(span.Directory, c.Qualifier))
		puts[i] = hbase.Put{Table: l.Table, Row: row, Cells: []hbase.Cell{c}}
	}
	if err := hbase.MutateAll(ctx, s.Store, puts); err != nil {
		return err
	}
	return hbase.MutateAll(ctx, s.Store, []hbase.Mutation{Remove(l.Table, l.Row(span.Owner, span.Bucket), astray...)})
}
