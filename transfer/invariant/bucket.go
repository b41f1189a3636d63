package invariant

import (
	"context"
	"fmt"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/settle"
)

// unnamed reports the members of rows that are buckets of a list by their keys, and that its directory does not name.
func unnamed[E any](ctx context.Context, r *run, l *tables.List[E], owner string, buckets []uint32) error {
	directory, _, err := settle.Directory(ctx, r.Store, l, owner)
	if err != nil {
		return err
	}
	for _, bucket := range buckets {
		if slices.ContainsFunc(directory, func(b tables.Bucket) bool { return b.Number == bucket }) {
			continue
		}
		for start := ""; ; {
			cells, err := settle.Read(ctx, r.Store, []hbase.Get{l.Get(owner, bucket, hbase.Page{Start: start, Limit: enough})})
			if err != nil {
				return err
			}
			if err := move(ctx, r, l, owner, bucket, cells[0]); err != nil {
				return err
			}
			if len(cells[0]) < enough {
				break
			}
			start = hbase.Next(cells[0][enough-1].Qualifier)
		}
	}
	return nil
}

// directories shows that the buckets of each list cover it without a gap, and that no cut is announced which nobody makes.
func directories[E any](ctx context.Context, r *run, l *tables.List[E], owners []string) error {
	gets := make([]hbase.Get, len(owners))
	for i, owner := range owners {
		gets[i] = settle.DirectoryGet(l, owner)
	}
	cells, err := settle.Read(ctx, r.Store, gets)
	if err != nil {
		return err
	}
	for i, owner := range owners {
		row := l.Row(owner, 0)
		_, _, buckets, err := l.Decode(owner, cells[i])
		if err != nil {
			r.breach(breachOf(l.Table, row, l.Family, tables.MembersEnd, "unreadable", "readable", "%v", err))
			continue
		}
		for _, c := range cells[i][len(buckets):] {
			if r.resting { // a while after a cut, its leftovers are taken away, and then this
				r.emptied[listOf{l.Table, l.Family, owner}] = true
				continue
			}
			r.breach(breachOf(l.Table, row, l.Family, c.Qualifier, there, absent, "nobody cuts the list of %q", owner), gone(l.Table, row, c))
		}
		for j, b := range buckets {
			old := cells[i][j]
			switch {
			case j > 0 && b.Start != buckets[j-1].Stop:
				whole := b
				whole.Start = buckets[j-1].Stop
				put := l.BucketCell(whole, old.Timestamp)
				r.breach(breachOf(l.Table, row, l.Family, old.Qualifier, text(old.Value), text(put.Value), "the bucket before ends there"),
					hbase.Put{Table: l.Table, Row: row, Cells: []hbase.Cell{put}})
			case j == len(buckets)-1 && b.Stop != "":
				whole := b
				whole.Stop = ""
				put := l.BucketCell(whole, old.Timestamp)
				r.breach(breachOf(l.Table, row, l.Family, old.Qualifier, there, fmt.Sprintf("%q", put.Qualifier), "the last bucket goes to the end"),
					hbase.Put{Table: l.Table, Row: row, Cells: []hbase.Cell{put}}, gone(l.Table, row, old))
			}
		}
	}
	return nil
}
