package settle

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// cut lets a bucket that is too long go on in new ones: it copies their members, and names them all in one step. Whoever reads before that
// step reads the old bucket, and whoever reads after it the new ones. The old bucket's copies are astray then, and go at
// the next look. A cut that a crash interrupted is made again, with the same outcome.
func (k Kind[E]) cut(ctx context.Context, s *Settler, owner string, f full) error {
	directory, columns, err := Directory(ctx, s.Store, k.List, owner)
	if err != nil {
		return err
	}
	fresh, named := tables.Cut(directory, f.bucket, f.cuts)
	for _, b := range fresh {
		if err := k.fill(ctx, s, owner, f.bucket, b); err != nil {
			return err
		}
	}
	put := hbase.Put{Table: k.Table, Row: k.Row(owner, 0)}
	for _, b := range named {
		want := k.BucketCell(b, 1)
		if old := find(columns, want.Qualifier); old != nil {
			want.Timestamp = max(want.Timestamp, old.Timestamp)
		}
		put.Cells = append(put.Cells, want)
	}
	return Write(ctx, s.Store, []hbase.Mutation{put})
}

// fill makes a row that nothing names yet hold exactly the members of another bucket that the new one covers. What a cut
// that was interrupted left there may have gone from the list since.
func (k Kind[E]) fill(ctx context.Context, s *Settler, owner string, from uint32, b tables.Bucket) error {
	stop := b.Stop
	if stop == "" {
		stop = tables.MembersEnd
	}
	cells, err := Read(ctx, s.Store, []hbase.Get{
		k.Get(owner, from, hbase.Page{Start: b.Start, Stop: stop}),
		k.Get(owner, b.Number, hbase.Page{}),
	})
	if err != nil {
		return err
	}
	row := k.Row(owner, b.Number)
	mutations := []hbase.Mutation{hbase.Put{Table: k.Table, Row: row, Cells: cells[0]}}
	keep := make(map[string]bool, len(cells[0]))
	for _, c := range cells[0] {
		keep[c.Qualifier] = true
	}
	gone := hbase.Delete{Table: k.Table, Row: row}
	for _, c := range cells[1] {
		if !keep[c.Qualifier] {
			gone.Columns = append(gone.Columns, gonePart(c))
		}
	}
	if len(gone.Columns) > 0 {
		mutations = append(mutations, gone)
	}
	return Write(ctx, s.Store, mutations)
}
