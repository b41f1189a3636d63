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
		if err := r.bucketsOf(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// bucketsOf checks the directories of all lists of a kind, and then whether each bucket holds what its directory says.
func (r *run) bucketsOf(ctx context.Context, l *tables.AnyList) error {
	return r.rows(ctx, l.Rows(), func(rows []hbase.Row) error {
		var owners []string
		sealed := map[string][]uint32{}
		for _, row := range rows {
			owner, bucket, err := l.OwnerOf(row.Key)
			switch {
			case err != nil:
				r.report(violationOf(l.Table, row.Key, l.Family, "", "a key of no list", absent, "%v", err))
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
	})
}

// strays reports the members that lie in a bucket which does not cover them.
func (r *run) strays(ctx context.Context, l *tables.AnyList, s *rebuild.Span) error {
	if r.emptied[listOf{l, s.Owner}] {
		return nil
	}
	for _, c := range s.Moved {
		row := l.Row(s.Owner, s.Bucket)
		r.report(violationOf(l.Table, row, l.Family, c.Qualifier, there, absent, "nobody cuts the list of %q", s.Owner), gone(l.Table, row, c))
	}
	var strays []hbase.Cell
	for i, c := range s.Cells {
		if !s.Covers(i) {
			strays = append(strays, c)
		}
	}
	return r.move(ctx, l, s.Owner, s.Bucket, strays)
}

// move reports members that lie in a bucket which does not cover them. The repair moves them into the one that does.
func (r *run) move(ctx context.Context, l *tables.AnyList, owner string, bucket uint32, strays []hbase.Cell) error {
	if len(strays) == 0 {
		return nil
	}
	entries := make([]entry, len(strays))
	for i, c := range strays {
		entries[i] = entryAt(l, owner, c.Qualifier)
	}
	if err := r.find(ctx, entries); err != nil {
		return err
	}
	from := l.Row(owner, bucket)
	for i, s := range entries {
		b := violationOf(l.Table, from, l.Family, strays[i].Qualifier, there, absent, "%s covers it", quoted(s.row))
		repair := []hbase.Mutation{gone(l.Table, from, strays[i])}
		if s.found == nil {
			repair = append(repair, hbase.Put{Table: l.Table, Row: s.row, Cells: []hbase.Cell{strays[i]}})
		}
		if r.report(b, repair...) && s.found == nil && !r.Repair {
			lo := listOf{l, owner}
			r.off[lo] = r.off[lo].Grown(public(l, owner, strays[i]))
		}
	}
	return nil
}

// public reports whether a member, which may be unreadable, is one that the public count of its list counts.
func public(l *tables.AnyList, owner string, member hbase.Cell) bool {
	public, err := l.Public(owner, []hbase.Cell{member})
	return err == nil && public != nil && public[0]
}

func quoted(row string) string { return fmt.Sprintf("row %q", row) }

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
		for start := ""; ; {
			cells, err := rebuild.Read(ctx, r.Store, []hbase.Get{l.Get(owner, bucket, hbase.Page{Start: start, Limit: enough})})
			if err != nil {
				return err
			}
			if err := r.move(ctx, l, owner, bucket, cells[0]); err != nil {
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

// directories checks that the buckets of each list cover it without a gap, and that no buckets are pending of which no
// split is in progress. It returns the owners of the lists that have more than one bucket, or might.
func (r *run) directories(ctx context.Context, l *tables.AnyList, owners []string) (split []string, err error) {
	gets := make([]hbase.Get, len(owners))
	for i, owner := range owners {
		gets[i] = l.Directories(owner)
	}
	cells, err := rebuild.Read(ctx, r.Store, gets)
	if err != nil {
		return nil, err
	}
	for i, owner := range owners {
		row := l.Row(owner, 0)
		buckets, err := l.DecodeDirectory(owner, cells[i])
		if err != nil {
			r.broken = true
			r.report(violationOf(l.Table, row, l.Family, tables.MembersEnd, "unreadable", "readable", "%v", err))
			continue
		}
		if len(cells[i]) > 0 {
			split = append(split, owner)
		}
		for _, c := range cells[i][len(buckets):] {
			if r.resting { // a while after a cut, its leftovers are taken away, and then this
				r.emptied[listOf{l, owner}] = true
				continue
			}
			r.report(violationOf(l.Table, row, l.Family, c.Qualifier, there, absent, "nobody cuts the list of %q", owner), gone(l.Table, row, c))
		}
		for j, b := range buckets {
			old := cells[i][j]
			switch {
			case j > 0 && b.Start != buckets[j-1].Stop:
				r.broken = r.broken || !r.Repair
				whole := b
				whole.Start = buckets[j-1].Stop
				put := l.BucketCell(whole, old.Timestamp)
				r.report(violationOf(l.Table, row, l.Family, old.Qualifier, text(old.Value), text(put.Value), "the bucket before ends there"),
					hbase.Put{Table: l.Table, Row: row, Cells: []hbase.Cell{put}})
			case j == len(buckets)-1 && b.Stop != "":
				r.broken = r.broken || !r.Repair
				whole := b
				whole.Stop = ""
				put := l.BucketCell(whole, old.Timestamp)
				r.report(violationOf(l.Table, row, l.Family, old.Qualifier, there, fmt.Sprintf("%q", put.Qualifier), "the last bucket goes to the end"),
					hbase.Put{Table: l.Table, Row: row, Cells: []hbase.Cell{put}}, gone(l.Table, row, old))
			}
		}
	}
	return split, nil
}
