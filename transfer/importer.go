package transfer

import (
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

func newImporter(store hbase.Store, files []source, options Options) *importer {
	im := &importer{
		store: store, files: files, rebuilder: rebuild.New(store), progress: newProgress(options.Output, files),
		objects: newObjects(store), lists: newLists(store),
		hasTwits: newExistence(store, func(author string) hbase.Get { return tables.Twits.Get(author, 0, hbase.Page{Limit: 1}) }),
	}
	im.newRelations()
	im.broadcasters = newLookup(store, tables.Broadcasters.Of, func(_ string, cells []hbase.Cell) (broadcast, bool, error) {
		state, stored, err := tables.Broadcasters.State(cells)
		return broadcast{state, rebuild.Youngest(cells)}, stored, err
	})
	im.rowErrors = rowErrors{skipBad: options.SkipBad, report: im.progress.report}
	if options.ListBound > 0 {
		im.rebuilder.ListBound = options.ListBound
	}
	if im.fanoutLimit = options.FanoutLimit; im.fanoutLimit == 0 {
		im.fanoutLimit = tables.FanoutLimit
	}
	im.rebuilder.Done = im.progress.rebuilt
	return im
}

// rebuild rebuilds the lists, sums and trees of what was imported.
func (im *importer) rebuild(ctx context.Context) error {
	im.progress.rebuilding()
	for _, ref := range tables.References() {
		if im.has(ref.Object.Table) || im.has(ref.List.Owner.Table) {
			if err := im.rebuilder.References(ctx, ref); err != nil {
				return err
			}
		}
	}
	for _, l := range tables.Lists() {
		if l.Trimmed {
			continue
		}
		if err := im.lists[l].rebuild(ctx, im.rebuilder); err != nil {
			return err
		}
	}
	if err := im.cutTimelines(ctx); err != nil {
		return err
	}
	return im.rebuilder.GameDays(ctx, im.lists[&tables.Players.AnyList].touched.sorted())
}

// known returns the items of a batch that name existing objects, and reports the others.
func known[T any](ctx context.Context, im *importer, batch []item[T], names ...name[T]) ([]item[T], error) {
	for _, n := range names {
		all := make([]string, 0, len(batch))
		for i := range batch {
			if name := n.of(batch[i].value); name != "" {
				all = append(all, name)
			}
		}
		if err := im.objects[n.object].find(ctx, all); err != nil {
			return nil, err
		}
	}
	kept := batch[:0]
	for _, it := range batch {
		i := slices.IndexFunc(names, func(n name[T]) bool {
			name := n.of(it.value)
			return name != "" && !im.objects[n.object].has(name)
		})
		if i < 0 {
			kept = append(kept, it)
		} else if err := im.add(it.nowhere(names[i].column, names[i].object.Name, names[i].of(it.value))); err != nil {
			return nil, err
		}
	}
	return kept, nil
}

// name is a column that names an object, which must exist. An empty one names nothing.
type name[T any] struct {
	column string
	object *tables.AnyObject
	of     func(T) string
}
