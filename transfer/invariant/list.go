package invariant

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/settle"
)

// explainer says of each of an owner's members why it should not be there; nothing if it should.
type explainer[E any] func(ctx context.Context, r *run, owner string, members []E) ([]string, error)

// lists shows that every member of every list follows from something.
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

// walk looks at each member of all lists of a kind.
func walk[E any](ctx context.Context, r *run, l *tables.List[E], explain explainer[E]) error {
	return spans(ctx, r, l, func(ctx context.Context, r *run, s *settle.Span[E]) error { return members(ctx, r, l, s, explain) })
}

// spans looks at all lists of a kind, a page at a time.
func spans[E any](ctx context.Context, r *run, l *tables.List[E], look func(context.Context, *run, *settle.Span[E]) error) error {
	return r.rows(ctx, rowsOf(l), func(rows []hbase.Row) error {
		var owners []string
		for _, row := range rows {
			if owner, bucket, err := l.OwnerOf(row.Key); err == nil && bucket == 0 {
				owners = append(owners, owner)
			}
		}
		return settle.Spans(ctx, r.Store, l, owners, func(s *settle.Span[E]) error { return look(ctx, r, s) })
	})
}

// rowsOf are all rows that lists of a kind have.
func rowsOf[E any](l *tables.List[E]) hbase.Scan {
	return hbase.Scan{Table: l.Table, Columns: l.Family, Page: hbase.Page{Limit: 1}}
}

// members looks at a page of a list.
func members[E any](ctx context.Context, r *run, l *tables.List[E], s *settle.Span[E], explain explainer[E]) error {
	all, err := s.Members()
	if err != nil {
		return err
	}
	for len(all) > 0 {
		n := min(len(all), some)
		why, err := explain(ctx, r, s.Owner, all[:n])
		if err != nil {
			return err
		}
		for i, c := range s.Cells[:n] {
			if row := l.Row(s.Owner, s.Bucket); s.Covers(i) && why[i] != "" {
				r.unfounded(breachOf(l.Table, row, l.Family, c.Qualifier, there, absent, "%s", why[i]), gone(l.Table, row, c),
					listOf{l.Table, l.Family, s.Owner}, isPublic(all[i]))
			}
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

// unfounded reports a member that should not be there.
func (r *run) unfounded(b Breach, mend hbase.Mutation, l listOf, public bool) {
	if r.breach(b, mend) && !r.Mend {
		less := r.off[l]
		if less.All--; public {
			less.Public--
		}
		r.off[l] = less
	}
}
