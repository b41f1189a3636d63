package invariant

import (
	"context"
	"fmt"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/settle"
)

// buckets shows that the members of all lists are where they are looked for. It comes before everything that looks for one.
func (r *run) buckets(ctx context.Context) error {
	for _, prove := range []func() error{
		func() error { return sorted(ctx, r, tables.Following) },
		func() error { return sorted(ctx, r, tables.Followers) },
		func() error { return sorted(ctx, r, tables.UserRoles) },
		func() error { return sorted(ctx, r, tables.RoleUsers) },
		func() error { return sorted(ctx, r, tables.Children) },
		func() error { return sorted(ctx, r, tables.DepartmentRoles) },
		func() error { return sorted(ctx, r, tables.Twits) },
		func() error { return sorted(ctx, r, tables.Albums) },
		func() error { return sorted(ctx, r, tables.Comments) },
		func() error { return sorted(ctx, r, tables.UserComments) },
		func() error { return sorted(ctx, r, tables.UserGames) },
		func() error { return sorted(ctx, r, tables.Players) },
		func() error { return sorted(ctx, r, tables.Timelines) },
	} {
		if err := prove(); err != nil {
			return err
		}
	}
	return nil
}

// sorted looks at the directories of all lists of a kind, and then whether each bucket holds what its directory says.
func sorted[E any](ctx context.Context, r *run, l *tables.List[E]) error {
	return r.rows(ctx, rowsOf(l), func(rows []hbase.Row) error {
		var owners []string
		sealed := map[string][]uint32{}
		for _, row := range rows {
			owner, bucket, err := l.OwnerOf(row.Key)
			switch {
			case err != nil:
				r.breach(breachOf(l.Table, row.Key, l.Family, "", "a key of no list", absent, "%v", err))
			case bucket != 0:
				sealed[owner] = append(sealed[owner], bucket)
			default:
				owners = append(owners, owner)
			}
		}
		r.emptied = map[listOf]bool{}
		cut, err := directories(ctx, r, l, owners)
		if err != nil {
			return err
		}
		if err := r.flush(ctx); err != nil || r.broken { // where anything belongs nobody knows
			return err
		}
		for owner, buckets := range sealed {
			if err := unnamed(ctx, r, l, owner, buckets); err != nil {
				return err
			}
		}
		return settle.Spans(ctx, r.Store, l, cut, func(s *settle.Span[E]) error { return strays(ctx, r, l, s) })
	})
}

// strays reports the members that lie in a bucket which does not cover them.
func strays[E any](ctx context.Context, r *run, l *tables.List[E], s *settle.Span[E]) error {
	if r.emptied[listOf{l.Table, l.Family, s.Owner}] {
		return nil
	}
	for _, c := range s.Moved {
		row := l.Row(s.Owner, s.Bucket)
		r.breach(breachOf(l.Table, row, l.Family, c.Qualifier, there, absent, "nobody cuts the list of %q", s.Owner), gone(l.Table, row, c))
	}
	var strays []hbase.Cell
	for i, c := range s.Cells {
		if !s.Covers(i) {
			strays = append(strays, c)
		}
	}
	return move(ctx, r, l, s.Owner, s.Bucket, strays)
}

// move reports members that lie in a bucket which does not cover them, and brings them into the one that does.
func move[E any](ctx context.Context, r *run, l *tables.List[E], owner string, bucket uint32, strays []hbase.Cell) error {
	if len(strays) == 0 {
		return nil
	}
	seats := make([]seat, len(strays))
	for i, c := range strays {
		seats[i] = seatAt(l, owner, c.Qualifier)
	}
	if err := r.find(ctx, seats); err != nil {
		return err
	}
	from := l.Row(owner, bucket)
	for i, s := range seats {
		b := breachOf(l.Table, from, l.Family, strays[i].Qualifier, there, absent, "%s covers it", quoted(s.row))
		mend := []hbase.Mutation{gone(l.Table, from, strays[i])}
		if s.found == nil {
			mend = append(mend, hbase.Put{Table: l.Table, Row: s.row, Cells: []hbase.Cell{strays[i]}})
		}
		if r.breach(b, mend...) && s.found == nil && !r.Mend {
			lo := listOf{l.Table, l.Family, owner}
			member, _, _, err := l.Decode(owner, strays[i:i+1])
			r.off[lo] = r.off[lo].Grown(err == nil && isPublic(member[0]))
		}
	}
	return nil
}

func quoted(row string) string { return fmt.Sprintf("row %q", row) }

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
// It returns whose lists have more than one bucket, or might.
func directories[E any](ctx context.Context, r *run, l *tables.List[E], owners []string) (cut []string, err error) {
	gets := make([]hbase.Get, len(owners))
	for i, owner := range owners {
		gets[i] = l.Directories(owner)
	}
	cells, err := settle.Read(ctx, r.Store, gets)
	if err != nil {
		return nil, err
	}
	for i, owner := range owners {
		row := l.Row(owner, 0)
		_, _, buckets, err := l.Decode(owner, cells[i])
		if err != nil {
			r.broken = true
			r.breach(breachOf(l.Table, row, l.Family, tables.MembersEnd, "unreadable", "readable", "%v", err))
			continue
		}
		if len(cells[i]) > 0 {
			cut = append(cut, owner)
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
				r.broken = r.broken || !r.Mend
				whole := b
				whole.Start = buckets[j-1].Stop
				put := l.BucketCell(whole, old.Timestamp)
				r.breach(breachOf(l.Table, row, l.Family, old.Qualifier, text(old.Value), text(put.Value), "the bucket before ends there"),
					hbase.Put{Table: l.Table, Row: row, Cells: []hbase.Cell{put}})
			case j == len(buckets)-1 && b.Stop != "":
				r.broken = r.broken || !r.Mend
				whole := b
				whole.Stop = ""
				put := l.BucketCell(whole, old.Timestamp)
				r.breach(breachOf(l.Table, row, l.Family, old.Qualifier, there, fmt.Sprintf("%q", put.Qualifier), "the last bucket goes to the end"),
					hbase.Put{Table: l.Table, Row: row, Cells: []hbase.Cell{put}}, gone(l.Table, row, old))
			}
		}
	}
	return cut, nil
}
