package check

import (
	"context"
	"fmt"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// buckets checks that the members of all lists are where readers look for them. It precedes every check that looks for a
// member.
func (r *run) buckets(ctx context.Context) error {
	for _, l := range tables.Lists() {
		err := r.rows(ctx, l.Rows(), func(rows []hbase.Row) error { return r.bucketsOf(ctx, l, rows) })
		if err != nil {
			return err
		}
	}
	return nil
}

// bucketsOf checks the directories of some lists, and then whether each bucket holds what its directory says.
func (r *run) bucketsOf(ctx context.Context, l *tables.AnyList, rows []hbase.Row) error {
	var owners []string
	sealed := map[string][]uint32{}
	for _, row := range rows {
		owner, bucket, err := l.OwnerOf(row.Key)
		switch {
		case err != nil:
			r.report(column{l.Table, row.Key, l.Family, ""}, "a key of no list", absent, err.Error())
		case bucket != 0:
			sealed[owner] = append(sealed[owner], bucket)
		default:
			owners = append(owners, owner)
		}
	}
	r.emptied = map[listOf]bool{}
	split, err := r.directories(ctx, l, owners)
	if err != nil {
		return err
	}
	if err := r.flush(ctx); err != nil || r.broken { // a broken directory does not tell where members belong
		return err
	}
	for owner, buckets := range sealed {
		if err := r.unnamed(ctx, l, owner, buckets); err != nil {
			return err
		}
	}
	return rebuild.Spans(ctx, r.Store, l, split, func(s *rebuild.Span) error { return r.strays(ctx, l, s) })
}

// strays reports the members that lie in a bucket which does not cover them.
func (r *run) strays(ctx context.Context, l *tables.AnyList, s *rebuild.Span) error {
	if r.emptied[listOf{l, s.Owner}] {
		return nil
	}
	for _, c := range s.Moved {
		r.surplus(l.Table, l.Row(s.Owner, s.Bucket), c, noSplit(s.Owner))
	}
	var strays []hbase.Cell
	for i, c := range s.Cells {
		if !s.Covers(i) {
			strays = append(strays, c)
		}
	}
	return r.move(ctx, l, s.Owner, s.Bucket, strays)
}

func noSplit(owner string) string {
	return fmt.Sprintf("no split of the list of %q is in progress", owner)
}

// move reports members that lie in a bucket which does not cover them. The repair moves them into the one that does.
func (r *run) move(ctx context.Context, l *tables.AnyList, owner string, bucket uint32, strays []hbase.Cell) error {
	entries := make([]entry, len(strays))
	for i, c := range strays {
		entries[i] = entry{list: l, owner: owner, cell: c}
	}
	if err := r.find(ctx, entries); err != nil {
		return err
	}
	from := l.Row(owner, bucket)
	for _, e := range entries {
		repair := []hbase.Mutation{rebuild.Remove(l.Table, from, e.cell)}
		if e.found == nil {
			repair = append(repair, hbase.Put{Table: l.Table, Row: e.row, Cells: []hbase.Cell{e.cell}})
		}
		why := fmt.Sprintf("row %q covers it", e.row)
		if r.report(columnOf(l.Table, from, e.cell), there, absent, why, repair...) && e.found == nil {
			r.grow(e.of(), 1, r.isPublic(e.of(), e.cell).count())
		}
	}
	return nil
}

// unnamed reports the members of sealed buckets that the directory of the list does not name.
func (r *run) unnamed(ctx context.Context, l *tables.AnyList, owner string, buckets []uint32) error {
	directory, _, err := rebuild.Directory(ctx, r.Store, l, owner)
	if err != nil {
		return err
	}
	for _, bucket := range buckets {
		if slices.ContainsFunc(directory, func(b tables.Bucket) bool { return b.Number == bucket }) {
			continue
		}
		for page := (hbase.Page{Limit: maxRepairs}); ; {
			cells, err := hbase.GetAll(ctx, r.Store, []hbase.Get{l.Get(owner, bucket, page)})
			if err != nil {
				return err
			}
			if err := r.move(ctx, l, owner, bucket, cells[0]); err != nil {
				return err
			}
			if len(cells[0]) < maxRepairs {
				break
			}
			page = hbase.After(cells[0][maxRepairs-1].Qualifier, maxRepairs)
		}
	}
	return nil
}

// directories checks that the buckets of each list cover it without a gap, and that no buckets are pending of which no
// split is in progress. It returns the owners of the lists that have more than one bucket, or might.
func (r *run) directories(ctx context.Context, l *tables.AnyList, owners []string) (split []string, err error) {
	gets := make([]hbase.Get, len(owners))
	for i, owner := range owners {
		gets[i] = l.Directories(owner)
	}
	cells, err := hbase.GetAll(ctx, r.Store, gets)
	if err != nil {
		return nil, err
	}
	for i, owner := range owners {
		row := l.Row(owner, 0)
		buckets, err := l.DecodeDirectory(owner, cells[i])
		if err != nil {
			r.broken = true
			r.unreadable(column{l.Table, row, l.Family, tables.MembersEnd}, err)
			continue
		}
		if len(cells[i]) > 0 {
			split = append(split, owner)
		}
		for _, c := range cells[i][len(buckets):] {
			if r.resting { // the split will clean up, and then remove this
				r.emptied[listOf{l, owner}] = true
			} else {
				r.surplus(l.Table, row, c, noSplit(owner))
			}
		}
		r.gaps(l, row, buckets, cells[i])
	}
	return split, nil
}

// gaps reports the buckets of a list that do not begin where the one before ends, and a last one that ends before the
// list. cells are the columns that name the buckets.
func (r *run) gaps(l *tables.AnyList, row string, buckets []tables.Bucket, cells []hbase.Cell) {
	for i, b := range buckets {
		old := &cells[i]
		switch {
		case i > 0 && b.Start != buckets[i-1].Stop:
			b.Start = buckets[i-1].Stop
			whole := l.BucketCell(b, old.Timestamp)
			r.differs(rebuild.Change{Table: l.Table, Row: row, Old: old, New: &whole}, "the bucket before ends there")
		case i == len(buckets)-1 && b.Stop != "":
			b.Stop = ""
			whole := l.BucketCell(b, old.Timestamp)
			r.report(columnOf(l.Table, row, *old), there, fmt.Sprintf("%q", whole.Qualifier), "the last bucket goes to the end",
				hbase.Put{Table: l.Table, Row: row, Cells: []hbase.Cell{whole}}, rebuild.Remove(l.Table, row, *old))
		default:
			continue
		}
		r.broken = r.broken || !r.Repair
	}
}
