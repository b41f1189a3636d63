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
			looks, err := s.look(ctx, l, open)
			if err != nil {
				return err
			}
			// A list that was changed is read again: its length is counted when nothing moves any more.
			var again []string
			for _, owner := range open {
				if looks[owner].changed {
					again = append(again, owner)
				} else {
					lengths[owner] = looks[owner].length
				}
			}
			open = again
		}
		return s.writeLengths(ctx, l, owners, lengths, false)
	})
}

// look is what one reading of a list found.
type look struct {
	length  Length
	changed bool
	// The bucket that is being read: how many members it has so far, and the positions at which it could be split.
	bucket uint32
	held   int
	cuts   []string
	full   []full
}

// full is a bucket beyond its bound.
type full struct {
	bucket uint32
	cuts   []string
}

// look reads the lists of some owners, moves members that lie in the wrong bucket, and splits full buckets.
func (s *Rebuilder) look(ctx context.Context, list *tables.AnyList, owners []string) (map[string]*look, error) {
	looks := make(map[string]*look, len(owners))
	for _, owner := range owners {
		looks[owner] = new(look)
	}
	err := Spans(ctx, s.Store, list, owners, func(span *Span) error {
		l := looks[span.Owner]
		if l.bucket != span.Bucket {
			l.close(s.ListBound)
			l.bucket = span.Bucket
		}
		var public []bool
		if list.PublicCount != "" {
			var err error
			if public, err = list.Public(span.Owner, span.Cells); err != nil {
				return err
			}
		}
		var astray []hbase.Cell
		for i, c := range span.Cells {
			if !span.Covers(i) {
				astray = append(astray, c)
				continue
			}
			l.hold(c.Qualifier, s.ListBound)
			l.length = l.length.Grown(public != nil && public[i])
		}
		l.changed = l.changed || len(astray) > 0
		return s.move(ctx, list, span, astray)
	})
	if err != nil {
		return nil, err
	}
	for _, owner := range owners {
		l := looks[owner]
		l.close(s.ListBound)
		for _, f := range l.full {
			l.changed = true
			if err := s.split(ctx, list, owner, f); err != nil {
				return nil, err
			}
		}
	}
	return looks, nil
}

// hold notes a member of the bucket that is being read. Every half of the bound is a place to split it.
func (l *look) hold(position string, bound int) {
	if l.held > 0 && l.held%(bound/2) == 0 {
		l.cuts = append(l.cuts, position)
	}
	l.held++
}

// close ends a bucket.
func (l *look) close(bound int) {
	if l.held > bound {
		// The last new bucket takes what is left of the halves.
		if n := len(l.cuts); n > 1 && l.held-n*(bound/2) < bound/2 {
			l.cuts = l.cuts[:n-1]
		}
		l.full = append(l.full, full{l.bucket, l.cuts})
	}
	l.held, l.cuts = 0, nil
}

// move puts members into the buckets that cover them, and then deletes them from this one.
func (s *Rebuilder) move(ctx context.Context, l *tables.AnyList, span *Span, astray []hbase.Cell) error {
	if len(astray) == 0 {
		return nil
	}
	puts := make([]hbase.Mutation, len(astray))
	for i, c := range astray {
		row := l.Row(span.Owner, tables.BucketOf(span.Directory, c.Qualifier))
		puts[i] = hbase.Put{Table: l.Table, Row: row, Cells: []hbase.Cell{c}}
	}
	if err := Write(ctx, s.Store, puts); err != nil {
		return err
	}
	return Write(ctx, s.Store, []hbase.Mutation{Remove(l.Table, l.Row(span.Owner, span.Bucket), astray...)})
}
