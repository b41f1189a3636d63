package transfer

import (
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/settle"
)

func newImporter(store hbase.Store, files []source, options Options) *importer {
	im := &importer{
		store: store, files: files, settler: settle.New(store), progress: newProgress(options.Output, files),
		users: newObjects(store, tables.Users), roles: newObjects(store, tables.Roles),
		games: newObjects(store, tables.Games), departments: newObjects(store, tables.Departments),
		hasTwits: newExistence(store, func(author string) hbase.Get { return tables.Twits.Get(author, 0, hbase.Page{Limit: 1}) }),
		twits: newLookup(store, tables.TwitNames.Get, func(_ string, cells []hbase.Cell) (tables.TwitKey, bool, error) {
			key, gone, stored, err := tables.TwitNames.Decode(cells)
			return key, stored && !gone, err
		}),
		lists: newLists(store),
	}
	im.broadcasters = newLookup(store, tables.Broadcasters.Of, func(_ string, cells []hbase.Cell) (broadcast, bool, error) {
		state, stored, err := tables.Broadcasters.State(cells)
		return broadcast{state, settle.Youngest(cells)}, stored, err
	})
	im.complaints = complaints{skipBad: options.SkipBad, report: im.progress.complain}
	if options.ListBound > 0 {
		im.settler.ListBound = options.ListBound
	}
	if im.fanoutLimit = options.FanoutLimit; im.fanoutLimit == 0 {
		im.fanoutLimit = tables.FanoutLimit
	}
	im.settler.Done = im.progress.settled
	return im
}

// settle makes lengths, sums and trees follow from what was written.
func (im *importer) settle(ctx context.Context) error {
	im.progress.settling()
	if im.has("departments") || im.has("roles") {
		if err := im.settler.Departments(ctx); err != nil {
			return err
		}
	}
	for _, settle := range []func(context.Context, *settle.Settler) error{
		im.followers.settle, im.following.settle, im.twitLists.settle, im.albums.settle, im.comments.settle, im.userComments.settle,
		im.userRoles.settle, im.roleUsers.settle, im.userGames.settle, im.players.settle,
	} {
		if err := settle(ctx, im.settler); err != nil {
			return err
		}
	}
	if err := im.cutTimelines(ctx); err != nil {
		return err
	}
	return im.settler.GameDays(ctx, im.players.touched.sorted())
}

// known returns the items of a batch whose names exist; the others are complained about.
func known[T any](ctx context.Context, im *importer, batch []item[T], names ...name[T]) ([]item[T], error) {
	for _, n := range names {
		all := make([]string, 0, len(batch))
		for i := range batch {
			if name := n.of(batch[i].value); name != "" {
				all = append(all, name)
			}
		}
		if err := n.in.find(ctx, all); err != nil {
			return nil, err
		}
	}
	kept := batch[:0]
	for _, it := range batch {
		i := slices.IndexFunc(names, func(n name[T]) bool {
			name := n.of(it.value)
			return name != "" && !n.in.has(name)
		})
		if i < 0 {
			kept = append(kept, it)
		} else if err := im.add(it.nowhere(names[i].column, names[i].what, names[i].of(it.value))); err != nil {
			return nil, err
		}
	}
	return kept, nil
}

// name is a column that names something: what it is, and where to look whether it exists. An empty one names nothing.
type name[T any] struct {
	column, what string
	in           interface {
		find(context.Context, []string) error
		has(string) bool
	}
	of func(T) string
}
