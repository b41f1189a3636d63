package check

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// explainer says of each of an owner's members why it should not be there: nothing if it should.
type explainer func(ctx context.Context, r *run, owner string, members []hbase.Cell) ([]string, error)

// typed is an explainer of decoded members.
func typed[E any](l *tables.List[E],
	explain func(ctx context.Context, r *run, owner string, members []E) ([]string, error)) explainer {
	return func(ctx context.Context, r *run, owner string, cells []hbase.Cell) ([]string, error) {
		members, _, _, err := l.Decode(owner, cells)
		if err != nil {
			return nil, err
		}
		return explain(ctx, r, owner, members)
	}
}

// explainers are those of the lists that no relation explains. Those of twits, comments and timelines run in checks of
// their own.
func explainers() map[*tables.AnyList]explainer {
	return map[*tables.AnyList]explainer{
		&tables.Children.AnyList:        typed(tables.Children, explainChildren),
		&tables.DepartmentRoles.AnyList: typed(tables.DepartmentRoles, explainDepartmentRoles),
		&tables.Albums.AnyList:          typed(tables.Albums, explainAlbum),
		&tables.UserComments.AnyList:    typed(tables.UserComments, explainUserComments),
		&tables.UserGames.AnyList:       typed(tables.UserGames, explainUserGames),
		&tables.Players.AnyList:         typed(tables.Players, explainPlayers),
	}
}

// lists checks that every member of every list follows from something.
func (r *run) lists(ctx context.Context) error {
	explainers := explainers()
	for _, x := range tables.Relations() {
		explainers[x.From.List] = explainFrom(x)
		explainers[x.To.List] = explainTo(x)
	}
	for _, l := range tables.Lists() {
		if explainers[l] == nil {
			continue
		}
		if err := r.walk(ctx, l, explainers[l]); err != nil {
			return err
		}
		if err := r.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// walk checks each member of all lists of a kind.
func (r *run) walk(ctx context.Context, l *tables.AnyList, explain explainer) error {
	return r.spans(ctx, l, func(s *rebuild.Span) error { return r.members(ctx, l, s, explain) })
}

// spans calls f with all lists of a kind, a page at a time.
func (r *run) spans(ctx context.Context, l *tables.AnyList, f func(*rebuild.Span) error) error {
	return r.owners(ctx, l, func(owners []string) error { return rebuild.Spans(ctx, r.Store, l, owners, f) })
}

// owners calls f with the owners of all lists of a kind, some at a time.
func (r *run) owners(ctx context.Context, l *tables.AnyList, f func(owners []string) error) error {
	return r.rows(ctx, l.Rows(), func(rows []hbase.Row) error {
		var owners []string
		for _, row := range rows {
			if owner, bucket, err := l.OwnerOf(row.Key); err == nil && bucket == 0 {
				owners = append(owners, owner)
			}
		}
		return f(owners)
	})
}

// members checks a page of a list.
func (r *run) members(ctx context.Context, l *tables.AnyList, s *rebuild.Span, explain explainer) error {
	all, err := l.Public(s.Owner, s.Cells)
	if err != nil {
		return err
	}
	for n := 0; n < len(s.Cells); n += some {
		page := s.Cells[n:min(n+some, len(s.Cells))]
		why, err := explain(ctx, r, s.Owner, page)
		if err != nil {
			return err
		}
		for i, c := range page {
			if row := l.Row(s.Owner, s.Bucket); s.Covers(n+i) && why[i] != "" {
				r.unfounded(violationOf(l.Table, row, l.Family, c.Qualifier, there, absent, "%s", why[i]), gone(l.Table, row, c),
					listOf{l, s.Owner}, all != nil && all[n+i])
			}
		}
	}
	return nil
}

// unfounded reports a member that should not be there.
func (r *run) unfounded(b Violation, repair hbase.Mutation, l listOf, public bool) {
	if r.report(b, repair) && !r.Repair {
		less := r.off[l]
		if less.All--; public {
			less.Public--
		}
		r.off[l] = less
	}
}
