package rebuild

import (
	"cmp"
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Lists moves each member to the bucket that covers it, splits full buckets, and writes the
// lengths.
func (s *Rebuilder) Lists(ctx context.Context, l *tables.AnyList, owners []string) error {
	return s.groups(ctx, owners, func(ctx context.Context, owners []string) error {
		lengths := make(map[string]Length, len(owners))
		for changed := owners; len(changed) > 0; {
			found, err := s.arrange(ctx, l, changed)
			if err != nil {
				return err
			}
			changed = nil
			for owner, f := range found {
				if lengths[owner] = f.length; f.changed {
					changed = append(changed, owner)
				}
			}
		}
		return s.writeLengths(ctx, l, owners, lengths)
	})
}

type arranged struct {
	length  Length
	changed bool
	buckets []bucket
}

type bucket struct {
	number uint32
	held   int
	cuts   []string // each ListBound/2-th position, where a split starts a new bucket
}

func (s *Rebuilder) arrange(ctx context.Context, l *tables.AnyList, owners []string) (map[string]*arranged, error) {
	found := make(map[string]*arranged, len(owners))
	for _, owner := range owners {
		found[owner] = new(arranged)
	}
	err := BucketPages(ctx, s.Store, l, owners, func(page *BucketPage) error {
		n, err := page.length(l)
		if err != nil {
			return err
		}
		f := found[page.Owner]
		f.length = f.length.Plus(n)
		for _, c := range page.Cells {
			f.add(page.Bucket, c.Qualifier, s.ListBound/2)
		}
		if len(page.Astray) == 0 {
			return nil
		}
		f.changed = true
		return s.move(ctx, l, page)
	})
	if err != nil {
		return nil, err
	}
	for owner, f := range found {
		for _, b := range f.buckets {
			if b.held <= s.ListBound {
				continue
			}
			// If fewer than ListBound/2 members remain at the end, the last new bucket also takes
			// them.
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

// add must be called in the order of members.
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

func (s *Rebuilder) move(ctx context.Context, l *tables.AnyList, page *BucketPage) error {
	puts := make([]hbase.Mutation, len(page.Astray))
	for i, c := range page.Astray {
		row := l.Row(page.Owner, tables.BucketOf(page.directory, c.Qualifier))
		puts[i] = hbase.PutCells(l.Table, row, c)
	}
	if err := hbase.MutateAll(ctx, s.Store, puts); err != nil {
		return err
	}
	gone := hbase.DeleteCells(l.Table, l.Row(page.Owner, page.Bucket), page.Astray...)
	return hbase.MutateAll(ctx, s.Store, []hbase.Mutation{gone})
}

// split names the new buckets with one Put, so readers see the list before or after the split. The
// next arrange deletes the old copies. A split after an interruption has the same result.
func (s *Rebuilder) split(ctx context.Context, l *tables.AnyList, owner string, full bucket) error {
	columns, err := hbase.GetOne(ctx, s.Store, l.Directories(owner))
	if err != nil {
		return err
	}
	directory, err := l.DecodeDirectory(owner, columns)
	if err != nil {
		return err
	}
	created, named := tables.Split(directory, full.number, tables.NextBucket(directory), full.cuts)
	for _, b := range created {
		if err := s.fill(ctx, l, owner, full.number, b); err != nil {
			return err
		}
	}
	put := hbase.Put{Table: l.Table, Row: l.Row(owner, 0)}
	for _, b := range named {
		want := l.BucketCell(b, 1)
		if old := hbase.FindCell(columns, want.Family, want.Qualifier); old != nil {
			want.Timestamp = max(want.Timestamp, old.Timestamp)
		}
		put.Cells = append(put.Cells, want)
	}
	return hbase.MutateAll(ctx, s.Store, []hbase.Mutation{put})
}

// fill copies members into the new bucket b, and deletes others that an interrupted split left in
// it.
func (s *Rebuilder) fill(ctx context.Context, l *tables.AnyList, owner string, from uint32, b tables.Bucket) error {
	page := hbase.Page{Start: b.Start, Stop: cmp.Or(b.Stop, tables.MembersEnd)}
	cells, err := hbase.GetAll(ctx, s.Store, []hbase.Get{
		l.Get(owner, from, page), l.Get(owner, b.Number, hbase.Page{})})
	if err != nil {
		return err
	}
	row := hbase.Put{Table: l.Table, Row: l.Row(owner, b.Number), Cells: cells[0]}
	members := map[string]bool{}
	for _, c := range cells[0] {
		members[c.Qualifier] = true
	}
	left := slices.DeleteFunc(slices.Clone(cells[1]), func(c hbase.Cell) bool { return members[c.Qualifier] })
	if len(left) > 0 {
		if err := hbase.MutateAll(ctx, s.Store, []hbase.Mutation{hbase.DeleteCells(l.Table, row.Row, left...)}); err != nil {
			return err
		}
	}
	return WriteVisible(ctx, s.Store, []hbase.Put{row})
}
