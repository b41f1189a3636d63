package check

import (
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// source is the source of a member: a row, or an entry of another list.
type source struct {
	row   hbase.Get
	entry *entry
	// why gets the source's cells. It returns why the member is wrong, or "".
	why func(cells []hbase.Cell) string
}

// sources omits the lists of twits and comments, and the timelines, which have their own checks.
func (r *run) sources() map[*tables.AnyList]func(owner string, member hbase.Cell) (source, error) {
	sources := map[*tables.AnyList]func(string, hbase.Cell) (source, error){
		&tables.Albums.AnyList:       r.sourceOfAlbum,
		&tables.UserComments.AnyList: sourceOfUserComment,
		&tables.UserGames.AnyList: func(user string, c hbase.Cell) (source, error) {
			g, err := decode(tables.UserGames, user, c)
			return sourceOfPlayer(user, g.Code), err
		},
		&tables.Players.AnyList: func(game string, c hbase.Cell) (source, error) {
			user, err := decode(tables.Players, game, c)
			return sourceOfPlayer(user, game), err
		},
	}
	for _, ref := range tables.References() {
		sources[ref.List] = func(owner string, c hbase.Cell) (source, error) { return sourceOfReferrer(ref, owner, c) }
	}
	for _, x := range tables.Relations() {
		sources[x.From.List] = func(a string, c hbase.Cell) (source, error) {
			b, at, err := x.From.Counterpart(a, c)
			return sourceOfRelated(x, a, b, at), err
		}
		sources[x.To.List] = func(b string, c hbase.Cell) (source, error) {
			a, at, err := x.To.Counterpart(b, c)
			return sourceOfRelated(x, a, b, at), err
		}
	}
	return sources
}

func (r *run) lists(ctx context.Context) error {
	sources := r.sources()
	for _, l := range tables.Lists() {
		if sources[l] == nil {
			continue
		}
		err := r.members(ctx, l, func(ctx context.Context, owner string, members []hbase.Cell) (why []string, err error) {
			all := make([]source, len(members))
			for i, c := range members {
				if all[i], err = sources[l](owner, c); err != nil {
					return nil, err
				}
			}
			return r.explain(ctx, all)
		})
		if err != nil {
			return err
		}
		if err := r.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) explain(ctx context.Context, sources []source) (why []string, err error) {
	var entries []entry
	for _, s := range sources {
		if s.entry != nil {
			entries = append(entries, *s.entry)
		}
	}
	cells := make([][]hbase.Cell, len(sources))
	if len(entries) == 0 {
		cells, err = hbase.GetEach(ctx, r.Store, sources, func(s source) hbase.Get { return s.row })
	} else if err = r.find(ctx, entries); err == nil {
		for i, e := range entries {
			if e.found != nil {
				cells[i] = []hbase.Cell{*e.found}
			}
		}
	}
	if err != nil {
		return nil, err
	}
	for i, s := range sources {
		why = append(why, s.why(cells[i]))
	}
	return why, nil
}

func decode[E any](l *tables.List[E], owner string, member hbase.Cell) (e E, err error) {
	members, _, err := l.Decode(owner, []hbase.Cell{member})
	if err == nil {
		e = members[0]
	}
	return e, err
}

func membersOf[E any](ctx context.Context, r *run, l *tables.List[E],
	explain func(ctx context.Context, owner string, members []E) (why []string, err error)) error {
	return r.members(ctx, &l.AnyList, func(ctx context.Context, owner string, cells []hbase.Cell) ([]string, error) {
		members, _, err := l.Decode(owner, cells)
		if err != nil {
			return nil, err
		}
		return explain(ctx, owner, members)
	})
}

// explain returns why each member is wrong, or "".
func (r *run) members(ctx context.Context, l *tables.AnyList,
	explain func(ctx context.Context, owner string, members []hbase.Cell) (why []string, err error)) error {
	return r.bucketPages(ctx, l, func(s *rebuild.BucketPage) error {
		of := listOf{l, s.Owner}
		for page := range slices.Chunk(s.Cells, batchRows) {
			why, err := explain(ctx, s.Owner, page)
			if err != nil {
				return err
			}
			for i, c := range page {
				if why[i] != "" && r.surplus(l.Table, l.Row(s.Owner, s.Bucket), c, why[i]) {
					r.addToLength(of, c, -1)
				}
			}
		}
		return nil
	})
}

func (r *run) bucketPages(ctx context.Context, l *tables.AnyList, f func(*rebuild.BucketPage) error) error {
	return r.owners(ctx, l, func(owners []string) error { return rebuild.BucketPages(ctx, r.Store, l, owners, f) })
}

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
