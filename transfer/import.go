package transfer

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// Options configure an import. All are optional. The functions are not called concurrently.
type Options struct {
	// SkipBad skips bad rows. By default the first bad row ends the import.
	SkipBad bool
	// Read gets the name of a file or step, and the number of rows read since the last call.
	Read    func(file string, rows int)
	Skipped func(*RowError)
	// ListBound is the maximum length of a bucket, at least 2, by default [tables.ListBound].
	ListBound int
	// FanoutLimit is by default [tables.FanoutLimit].
	FanoutLimit int
}

// Summary counts rows.
type Summary struct {
	Rows          int
	Bad, Dangling int // skipped
}

// Import imports CSV files into a store whose tables exist: see [EnsureTables]. Paths are folders,
// or files such as users.csv or users.csv.gz. Only one import may run on a store at a time.
//
// A bad row ends the import with a [RowError], unless SkipBad is true. Dangling rows are always
// skipped: see [RowError]. Without SkipBad, Import then completes with [ErrDangling].
func Import(ctx context.Context, store hbase.Store, paths []string, options Options) (Summary, error) {
	files, err := openPaths(paths)
	if err != nil {
		return Summary{}, err
	}
	return importFiles(ctx, store, files, options)
}

// CheckPaths returns the error of [Import] if a file is missing or has an unknown name.
func CheckPaths(paths []string) error {
	_, err := openPaths(paths)
	return err
}

// ImportFiles is [Import] of files in memory, by name.
func ImportFiles(ctx context.Context, store hbase.Store, contents map[string][]byte, options Options) (Summary, error) {
	files, err := memoryFiles(contents)
	if err != nil {
		return Summary{}, err
	}
	return importFiles(ctx, store, files, options)
}

func importFiles(ctx context.Context, store hbase.Store, files []file, options Options) (Summary, error) {
	im, err := newImporter(ctx, store, files, options)
	if err != nil {
		return Summary{}, err
	}
	err = im.run(ctx)
	return im.progress.Summary, err
}

type importer struct {
	store     hbase.Store
	files     []file
	rebuilder *rebuild.Rebuilder
	progress  progress

	objects   map[*tables.AnyObject]*lookup[string]
	lists     lists
	timelines owners
	// ensureMarker stores the import marker once, before an entry of a timeline is written: see
	// mark. interrupted is true if the marker of an earlier import was found.
	ensureMarker        func() error
	marked, interrupted bool
	markerTimestamp     int64

	broadcasters broadcasters
	fanoutLimit  int

	blank    bool // the store had no rows, except the marks of tables and rows of search tables
	repaired bool // a repair has removed cells
}

func newImporter(ctx context.Context, store hbase.Store, files []file, options Options) (*importer, error) {
	blank, err := isBlank(ctx, store)
	if err != nil {
		return nil, err
	}
	cells, err := hbase.GetAll(ctx, store, []hbase.Get{tables.Imports.Get(), tables.Broadcasters.Get()})
	if err != nil {
		return nil, err
	}
	im := &importer{
		store: store, files: files, rebuilder: rebuild.New(store), progress: progress{options: &options},
		objects: map[*tables.AnyObject]*lookup[string]{}, lists: newLists(store, blank),
		fanoutLimit: cmp.Or(options.FanoutLimit, tables.FanoutLimit),
		blank:       blank, repaired: tables.Imports.Repaired(cells[0]),
	}
	im.interrupted, im.markerTimestamp = tables.Imports.Marker(cells[0])
	im.marked = im.interrupted
	im.ensureMarker = sync.OnceValue(func() error {
		if im.marked {
			return nil
		}
		return im.mark(ctx, true)
	})
	im.rebuilder.Blank = blank
	im.rebuilder.ListBound = cmp.Or(options.ListBound, tables.ListBound)
	for _, o := range tables.Objects() {
		im.objects[o] = newLookup(store, o.Lookup, o.Find)
	}
	return im, im.broadcasters.load(cells[1])
}

func isBlank(ctx context.Context, store hbase.Store) (bool, error) {
	for _, table := range tables.Definitions(1) {
		if tables.IsSearch(table.Name) {
			continue
		}
		for row, err := range store.Scan(ctx, hbase.Scan{Table: table.Name, Limit: 2}) {
			marks := table.Name == tables.Marks.Table() && row.Key == tables.Marks.Get().Row
			if err != nil || !marks {
				return false, err
			}
		}
	}
	return true, nil
}

func (im *importer) run(ctx context.Context) error {
	for _, s := range schemas {
		if err := s.imports(im, ctx); err != nil {
			return err
		}
	}
	if err := im.rebuild(ctx); err != nil {
		return err
	}
	return im.progress.err()
}

func (im *importer) rebuild(ctx context.Context) error {
	im.progress.read("rebuilding lists", 0)
	for _, ref := range tables.References() {
		if im.has(ref.Object.Table) {
			if err := im.lists[ref.List].touchCounted(ctx, im.store); err != nil {
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
	if err := im.trimTimelines(ctx); err != nil {
		return err
	}
	return im.rebuilder.GameDays(ctx, im.lists[&tables.Players.AnyList].touched.sorted())
}

func (im *importer) has(schema string) bool {
	return slices.ContainsFunc(im.files, func(f file) bool { return f.schema.name == schema })
}

// name describes a column whose values name objects, or are empty.
type name[T any] struct {
	column string
	object *tables.AnyObject
	of     func(T) string
	lists  []*tables.AnyList // the lists that get a member for the item
}

// known returns the items whose named objects exist, and touches these objects' lists. It skips the
// others.
func known[T any](ctx context.Context, im *importer, batch []item[T], names ...name[T]) ([]item[T], error) {
	if err := findNamed(ctx, im, batch, names); err != nil {
		return nil, err
	}
	kept := batch[:0]
	for _, it := range batch {
		i := slices.IndexFunc(names, func(n name[T]) bool {
			name := n.of(it.value)
			return name != "" && !im.objects[n.object].has(name)
		})
		if i < 0 {
			kept = append(kept, it)
			continue
		}
		n := names[i]
		if err := im.progress.skip(it.dangling(n.column, n.object.Name, n.of(it.value))); err != nil {
			return nil, err
		}
	}
	return kept, touchLists(ctx, im, kept, names)
}

func findNamed[T any](ctx context.Context, im *importer, batch []item[T], names []name[T]) error {
	for _, n := range names {
		all := make([]string, 0, len(batch))
		for i := range batch {
			if name := n.of(batch[i].value); name != "" {
				all = append(all, name)
			}
		}
		if err := im.objects[n.object].find(ctx, all); err != nil {
			return err
		}
	}
	return nil
}

func touchLists[T any](ctx context.Context, im *importer, kept []item[T], names []name[T]) error {
	for _, n := range names {
		for _, l := range n.lists {
			owners := make([]string, len(kept))
			for i := range kept {
				owners[i], _ = im.objects[n.object].of(n.of(kept[i].value))
			}
			if err := im.lists[l].touch(ctx, owners); err != nil {
				return err
			}
		}
	}
	return nil
}

// owners is safe for concurrent use.
type owners struct {
	mu    sync.Mutex
	names map[string]struct{}
}

func (o *owners) add(names ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.names == nil {
		o.names = map[string]struct{}{}
	}
	for _, name := range names {
		o.names[name] = struct{}{}
	}
}

func (o *owners) sorted() []string { return slices.Sorted(maps.Keys(o.names)) }
