package invariant

import (
	"context"
	"fmt"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/settle"
)

// explainer says of each of an owner's members why it should not be there; nothing if it should.
type explainer[E any] func(ctx context.Context, r *run, owner string, members []E) ([]string, error)

// lists shows that every member of every list follows from something, and lies in the bucket that covers it.
func (r *run) lists(ctx context.Context) error {
	for _, prove := range []func() error{
		func() error { return walk(ctx, r, tables.Following, follows.explainForth) },
		func() error { return walk(ctx, r, tables.Followers, follows.explainBack) },
		func() error { return walk(ctx, r, tables.UserRoles, assignments.explainForth) },
		func() error { return walk(ctx, r, tables.RoleUsers, assignments.explainBack) },
		func() error { return walk(ctx, r, tables.Children, explainChildren) },
		func() error { return walk(ctx, r, tables.DepartmentRoles, explainDepartmentRoles) },
		func() error { return walk(ctx, r, tables.Albums, explainAlbum) },
		func() error { return walk(ctx, r, tables.UserComments, explainUserComments) },
		func() error { return walk(ctx, r, tables.UserGames, explainUserGames) },
		func() error { return walk(ctx, r, tables.Players, explainPlayers) },
	} {
		if err := prove(); err != nil {
			return err
		}
		if err := r.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// walk looks at all lists of a kind: their directories, and each member.
func walk[E any](ctx context.Context, r *run, l *tables.List[E], explain explainer[E]) error {
	scan := hbase.Scan{Table: l.Table, Columns: l.Family, Page: hbase.Page{Limit: 1}}
	return r.rows(ctx, scan, func(rows []hbase.Row) error {
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
		for owner, buckets := range sealed {
			if err := unnamed(ctx, r, l, owner, buckets); err != nil {
				return err
			}
		}
		r.emptied = map[listOf]bool{}
		if err := directories(ctx, r, l, owners); err != nil {
			return err
		}
		return settle.Spans(ctx, r.Store, l, owners, func(s *settle.Span[E]) error { return members(ctx, r, l, s, explain) })
	})
}

// members looks at a page of a list.
func members[E any](ctx context.Context, r *run, l *tables.List[E], s *settle.Span[E], explain explainer[E]) error {
	all, err := s.Members()
	if err != nil {
		return err
	}
	emptied := r.emptied[listOf{l.Table, l.Family, s.Owner}]
	for _, c := range s.Moved {
		if row := l.Row(s.Owner, s.Bucket); !emptied {
			r.breach(breachOf(l.Table, row, l.Family, c.Qualifier, there, absent, "nobody cuts the list of %q", s.Owner), gone(l.Table, row, c))
		}
	}
	for len(all) > 0 {
		n := min(len(all), some)
		why, err := explain(ctx, r, s.Owner, all[:n])
		if err != nil {
			return err
		}
		var strays []hbase.Cell
		for i, c := range s.Cells[:n] {
			row := l.Row(s.Owner, s.Bucket)
			switch {
			case !s.Covers(i) && emptied:
			case !s.Covers(i):
				strays = append(strays, c)
			case why[i] != "":
				if r.breach(breachOf(l.Table, row, l.Family, c.Qualifier, there, absent, "%s", why[i]), gone(l.Table, row, c)) && !r.Mend {
					lo := listOf{l.Table, l.Family, s.Owner}
					less := r.off[lo]
					if less.All--; isPublic(all[i]) {
						less.Public--
					}
					r.off[lo] = less
				}
			}
		}
		if err := move(ctx, r, l, s.Owner, s.Bucket, strays); err != nil {
			return err
		}
		rest := *s
		rest.Cells = s.Cells[n:]
		s, all = &rest, all[n:]
	}
	return nil
}

// isPublic reports whether a member is one that everybody may see, of the lists that count those.
func isPublic(member any) bool {
	t, is := member.(*tables.Twit)
	return is && t.Visibility == tables.Public
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
