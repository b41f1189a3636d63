package check

import (
	"context"
	"fmt"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func (r *run) buckets(ctx context.Context) error {
	for _, l := range tables.Lists() {
		err := r.rows(ctx, l.Rows(), func(rows []hbase.Row) error { return r.bucketsOf(ctx, l, rows) })
		if err != nil {
			return err
		}
	}
	return nil
}

type bucketRow struct {
	owner  string
	number uint32
}

func (r *run) bucketsOf(ctx context.Context, l *tables.AnyList, rows []hbase.Row) error {
	var buckets []bucketRow
	for _, row := range rows {
		owner, number, err := l.OwnerOf(row.Key)
		if err != nil {
			r.report(column{l.Table, row.Key, l.Family, ""}, "a key of no list", absent, err.Error())
			continue
		}
		buckets = append(buckets, bucketRow{owner, number})
	}
	directory := func(b bucketRow) hbase.Get { return l.Directories(b.owner) }
	stored, err := hbase.GetEach(ctx, r.Store, buckets, directory)
	if err != nil {
		return err
	}
	var split []bucketRow
	for i, b := range buckets {
		if b.number == 0 {
			r.directory(l, b.owner, stored[i])
		}
		if b.number != 0 || len(stored[i]) > 0 {
			split = append(split, b)
		}
	}
	if err := r.flush(ctx); err != nil || r.broken { // a broken directory can't assign members to buckets
		return err
	}
	repaired, err := hbase.GetEach(ctx, r.Store, split, directory)
	if err != nil {
		return err
	}
	for i, b := range split {
		if err := r.astray(ctx, l, b, repaired[i]); err != nil {
			return err
		}
	}
	return nil
}

// directory checks that the named buckets of a list are adjacent and cover its end.
func (r *run) directory(l *tables.AnyList, owner string, cells []hbase.Cell) {
	row := l.Row(owner, 0)
	buckets, err := l.DecodeDirectory(owner, cells)
	if err != nil {
		r.broken = true
		r.unreadable(column{l.Table, row, l.Family, tables.MembersEnd}, err)
		return
	}
	if !r.splitting { // a split in progress needs its pending column
		for _, c := range cells[len(buckets):] {
			r.surplus(l.Table, row, c, noSplit(owner))
		}
	}
	for i, b := range buckets {
		old := &cells[i]
		switch {
		case i > 0 && b.Start != buckets[i-1].Stop:
			b.Start = buckets[i-1].Stop
			at, want := hbase.Get{Table: l.Table, Row: row}, l.BucketCell(b, old.Timestamp)
			r.compareColumn(at, old, want, "the previous bucket ends there")
		case i == len(buckets)-1 && b.Stop != "":
			b.Stop = ""
			whole := l.BucketCell(b, old.Timestamp)
			r.report(columnOf(l.Table, row, *old), present, fmt.Sprintf("%q", whole.Qualifier),
				"the last bucket covers the end", hbase.PutCells(l.Table, row, whole), hbase.DeleteCells(l.Table, row, *old))
		default:
			continue
		}
		r.broken = r.broken || !r.repair
	}
}

func noSplit(owner string) string {
	return fmt.Sprintf("no split of the list of %q is in progress", owner)
}

// astray reports moved markers, and members that another bucket covers. The repair deletes both,
// and adds the members that the covering bucket lacks.
func (r *run) astray(ctx context.Context, l *tables.AnyList, b bucketRow, directory []hbase.Cell) error {
	buckets, err := l.DecodeDirectory(b.owner, directory)
	if err != nil || r.splitting && len(directory) > len(buckets) {
		return err
	}
	from := l.Row(b.owner, b.number)
	page := hbase.Page{Stop: tables.MembersEnd, Limit: maxRepairs}
	for cells, err := range hbase.ColumnPages(l.Get(b.owner, b.number, page), func(get hbase.Get) ([]hbase.Cell, error) {
		return hbase.GetOne(ctx, r.Store, get)
	}) {
		if err != nil {
			return err
		}
		var astray []entry
		for _, c := range cells {
			if tables.Moved(c) {
				r.surplus(l.Table, from, c, noSplit(b.owner))
			} else if tables.BucketOf(buckets, c.Qualifier) != b.number {
				astray = append(astray, entry{list: l, owner: b.owner, cell: c})
			}
		}
		if err := r.find(ctx, astray); err != nil {
			return err
		}
		for _, e := range astray {
			repair := []hbase.Mutation{hbase.DeleteCells(l.Table, from, e.cell)}
			if e.found == nil {
				repair = append(repair, hbase.PutCells(l.Table, e.row, e.cell))
			}
			why := fmt.Sprintf("row %q covers it", e.row)
			if r.report(columnOf(l.Table, from, e.cell), present, absent, why, repair...) && e.found == nil {
				r.addToLength(e.of(), e.cell, 1)
			}
		}
	}
	return nil
}
