package rebuild

import (
	"cmp"
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// split splits a full bucket. It copies members into the new buckets, and names these in one step: a reader sees the
// old bucket before that step, and the new ones after it. The members that stay in the old bucket are astray then,
// and the next look deletes them. A split that a crash interrupted is done again with the same result; only the
// numbers of the new buckets may differ, if a repair came between.
func (s *Rebuilder) split(ctx context.Context, l *tables.AnyList, owner string, full bucket) error {
	directory, columns, err := Directory(ctx, s.Store, l, owner)
	if err != nil {
		return err
	}
	created, named := tables.Split(directory, full.number, full.cuts)
	numbers := map[uint32]uint32{}
	for _, b := range created {
		planned := b.Number
		for whole := false; !whole; {
			if whole, err = s.fill(ctx, l, owner, full.number, b); err != nil {
				return err
			}
			numbers[planned] = b.Number
			b.Number += uint32(len(created))
		}
	}
	put := hbase.Put{Table: l.Table, Row: l.Row(owner, 0)}
	for _, b := range named {
		b.Number = cmp.Or(numbers[b.Number], b.Number)
		want := l.BucketCell(b, 1)
		if old := find(columns, want.Qualifier); old != nil {
			want.Timestamp = max(want.Timestamp, old.Timestamp)
		}
		put.Cells = append(put.Cells, want)
	}
	return hbase.MutateAll(ctx, s.Store, []hbase.Mutation{put})
}

// fill gives a new bucket, which no directory names yet, exactly the members of another bucket that it covers. It
// deletes what an interrupted split left there, which may no longer be in the list. It reports false, and leaves the
// row empty, if that is not possible: a member that a repair deleted from such a row can't be put there again,
// because the delete marker hides it.
func (s *Rebuilder) fill(ctx context.Context, l *tables.AnyList, owner string, from uint32, b tables.Bucket) (bool, error) {
	stop := b.Stop
	if stop == "" {
		stop = tables.MembersEnd
	}
	there := l.Get(owner, b.Number, hbase.Page{})
	cells, err := hbase.GetAll(ctx, s.Store, []hbase.Get{l.Get(owner, from, hbase.Page{Start: b.Start, Stop: stop}), there})
	if err != nil {
		return false, err
	}
	row := hbase.Put{Table: l.Table, Row: l.Row(owner, b.Number), Cells: cells[0]}
	if err := hbase.MutateAll(ctx, s.Store, append(without(l, row.Row, cells[1], cells[0]), row)); err != nil {
		return false, err
	}
	filled, err := hbase.GetAll(ctx, s.Store, []hbase.Get{there})
	if err != nil || len(filled[0]) == len(cells[0]) {
		return true, err
	}
	return false, hbase.MutateAll(ctx, s.Store, without(l, row.Row, filled[0], nil))
}

// without deletes cells of a row, except those whose columns others have.
func without(l *tables.AnyList, row string, cells, others []hbase.Cell) []hbase.Mutation {
	gone := slices.DeleteFunc(slices.Clone(cells), func(c hbase.Cell) bool {
		_, kept := slices.BinarySearchFunc(others, c.Qualifier, func(o hbase.Cell, qualifier string) int {
			return cmp.Compare(o.Qualifier, qualifier)
		})
		return kept
	})
	if len(gone) == 0 {
		return nil
	}
	return []hbase.Mutation{Remove(l.Table, row, gone...)}
}
