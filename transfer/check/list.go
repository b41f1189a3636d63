package check

import (
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// explainer says of each of an owner's members why it should not be there: nothing if it should.
type explainer func(ctx context.Context, r *run, owner string, members []hbase.Cell) ([]string, error)

// explain explains each member by the row that it follows from. why is empty if the row says what the member does.
func explain[E any](decode func(owner string, member hbase.Cell) (E, error), source func(owner string, member E) hbase.Get,
	why func(owner string, member E, cells []hbase.Cell) string) explainer {
	return func(ctx context.Context, r *run, owner string, cells []hbase.Cell) ([]string, error) {
		members, reasons := make([]E, len(cells)), make([]string, len(cells))
		for i, c := range cells {
			var err error
			if members[i], err = decode(owner, c); err != nil {
				return nil, err
			}
		}
		rows, err := hbase.GetEach(ctx, r.Store, members, func(member E) hbase.Get { return source(owner, member) })
		for i, row := range rows {
			reasons[i] = why(owner, members[i], row)
		}
		return reasons, err
	}
}

// decoded decodes a member of a list.
func decoded[E any](l *tables.List[E]) func(owner string, member hbase.Cell) (E, error) {
	return func(owner string, c hbase.Cell) (e E, err error) {
		members, _, _, err := l.Decode(owner, []hbase.Cell{c})
		if err == nil {
			e = members[0]
		}
		return e, err
	}
}

// explainByList explains each member by the place of another list at which it is, too.
// none says why a member that is not there should not be here.
func explainByList[E any](l *tables.List[E], source func(owner string, member E) entry, none string,
	why func(r *run, owner string, member E, found hbase.Cell) string) explainer {
	return typed(l, func(ctx context.Context, r *run, owner string, members []E) ([]string, error) {
		entries, reasons := make([]entry, len(members)), make([]string, len(members))
		for i, member := range members {
			entries[i] = source(owner, member)
		}
		err := r.find(ctx, entries)
		for i, e := range entries {
			if reasons[i] = none; e.found != nil {
				reasons[i] = why(r, owner, members[i], *e.found)
			}
		}
		return reasons, err
	})
}

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

// explainers returns those of all lists, but for the lists of twits, comments and timelines, which have checks of
// their own.
func explainers() map[*tables.AnyList]explainer {
	explainers := map[*tables.AnyList]explainer{
		&tables.Albums.AnyList:       explainAlbum(),
		&tables.UserComments.AnyList: explainUserComments(),
		&tables.UserGames.AnyList: explainPlays(tables.UserGames,
			func(user string, g tables.UserGame) (string, string) { return user, g.Code }),
		&tables.Players.AnyList: explainPlays(tables.Players,
			func(game, user string) (string, string) { return user, game }),
	}
	for _, ref := range tables.References() {
		explainers[ref.List] = explainReference(ref)
	}
	for _, x := range tables.Relations() {
		explainers[x.From.List] = explainEdges(x, &x.From, func(owner, other string) (a, b string) { return owner, other })
		explainers[x.To.List] = explainEdges(x, &x.To, func(owner, other string) (a, b string) { return other, owner })
	}
	return explainers
}

// lists checks that every member of every list follows from something.
func (r *run) lists(ctx context.Context) error {
	explainers := explainers()
	for _, l := range tables.Lists() {
		if explainers[l] == nil {
			continue
		}
		if err := r.members(ctx, l, explainers[l]); err != nil {
			return err
		}
		if err := r.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// members checks each member of all lists of a kind.
func (r *run) members(ctx context.Context, l *tables.AnyList, explain explainer) error {
	return r.spans(ctx, l, func(s *rebuild.Span) error {
		for page := range slices.Chunk(s.Cells, batchRows) {
			why, err := explain(ctx, r, s.Owner, page)
			if err != nil {
				return err
			}
			for i, c := range page {
				if of := (listOf{l, s.Owner}); why[i] != "" && r.surplus(l.Table, l.Row(s.Owner, s.Bucket), c, why[i]) {
					r.grow(of, rebuild.Length{}.Minus(one(of, c)))
				}
			}
		}
		return nil
	})
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
