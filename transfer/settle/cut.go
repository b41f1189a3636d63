package settle

import (
	"cmp"
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// cut lets a bucket that is too long go on in new ones: it copies their members, and names them all in one step. Whoever reads before that
// step reads the old bucket, and whoever reads after it the new ones. The old bucket's copies are astray then, and go at
// the next look. A cut that a crash interrupted is made again, with the same outcome but for the numbers of buckets if a repair came between.
func (k Kind[E]) cut(ctx context.Context, s *Settler, owner string, f full) error {
	directory, columns, err := Directory(ctx, s.Store, k.List, owner)
	if err != nil {
		return err
	}
	fresh, named := tables.Split(directory, f.bucket, f.cuts)
	numbers := map[uint32]uint32{}
	for _, b := range fresh {
		planned := b.Number
		for whole := false; !whole; {
			if whole, err = k.fill(ctx, s, owner, f.bucket, b); err != nil {
				return err
			}
			numbers[planned] = b.Number
			b.Number += uint32(len(fresh))
		}
	}
	put := hbase.Put{Table: k.Table, Row: k.Row(owner, 0)}
	for _, b := range named {
		b.Number = cmp.Or(numbers[b.Number], b.Number)
		want := k.BucketCell(b, 1)
		if old := find(columns, want.Qualifier); old != nil {
			want.Timestamp = max(want.Timestamp, old.Timestamp)
		}
		put.Cells = append(put.Cells, want)
	}
	return Write(ctx, s.Store, []hbase.Mutation{put})
}

// fill makes a row that nothing names yet hold exactly the members of another bucket that the new one covers. What a cut
// that was interrupted left there may have gone from the list since. It reports false if that can't be: what a repair took out of such a row can't
// come back there, for the deletion would hide it. Then the row is left empty.
func (k Kind[E]) fill(ctx context.Context, s *Settler, owner string, from uint32, b tables.Bucket) (bool, error) {
	stop := b.Stop
	if stop == "" {
		stop = tables.MembersEnd
	}
	there := k.Get(owner, b.Number, hbase.Page{})
	cells, err := Read(ctx, s.Store, []hbase.Get{k.Get(owner, from, hbase.Page{Start: b.Start, Stop: stop}), there})
	if err != nil {
		return false, err
	}
	row := hbase.Put{Table: k.Table, Row: k.Row(owner, b.Number), Cells: cells[0]}
	if err := Write(ctx, s.Store, append(k.without(row.Row, cells[1], cells[0]), row)); err != nil {
		return false, err
	}
	filled, err := Read(ctx, s.Store, []hbase.Get{there})
	if err != nil || len(filled[0]) == len(cells[0]) {
		return true, err
	}
	return false, Write(ctx, s.Store, k.without(row.Row, filled[0], nil))
}

// without takes cells out of a row, but for those of which others have the place.
func (k Kind[E]) without(row string, cells, others []hbase.Cell) []hbase.Mutation {
	keep := make(map[string]bool, len(others))
	for _, c := range others {
		keep[c.Qualifier] = true
	}
	gone := hbase.Delete{Table: k.Table, Row: row}
	for _, c := range cells {
		if !keep[c.Qualifier] {
			gone.Columns = append(gone.Columns, gonePart(c))
		}
	}
	if len(gone.Columns) == 0 {
		return nil
	}
	return []hbase.Mutation{gone}
}
