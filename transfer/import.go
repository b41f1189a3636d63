package transfer

import (
	"cmp"
	"context"
	"maps"
	"runtime/debug"
	"slices"
	"sync"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// Options say how to import.
type Options struct {
	// SkipBad skips rows that are wrong; without it the first one ends the import.
	SkipBad bool
	// Read is called with how many more rows of a file were read, and Skipped with each row that is left out: one
	// call at a time. Nil is no call.
	Read    func(file string, rows int)
	Skipped func(*RowError)
	// ListBound is how many members a bucket of a list holds, at least 2; 0 means [tables.ListBound].
	ListBound int
	// FanoutLimit is how many followers an author may have whose twits are put into their timelines; 0 means
	// [tables.FanoutLimit].
	FanoutLimit int
}

// Summary says what an import did.
type Summary struct {
	// Rows is how many rows were read, those that were left out included.
	Rows int
	// Bad is how many rows were left out because they are wrong, Dangling how many because they name something that
	// does not exist.
	Bad, Dangling int
}

// Import imports CSV files into a store whose tables exist: see [EnsureTables]. Paths are files, named as in users.csv or
// users.csv.gz, or folders of such files, in any order and any selection; what they name must be in them or in the store.
//
// A row that is wrong is a [RowError] and ends the import, unless the options say to skip it. Dangling rows are
// left out; if there were any the import is [ErrDangling] in the end, unless bad rows are skipped. Whatever interrupts an
// import, another one of the same files completes it. One import at a time may run on a store.
func Import(ctx context.Context, store hbase.Store, paths []string, options Options) (Summary, error) {
	files, err := sources(paths)
	if err != nil {
		return Summary{}, err
	}
	return importFiles(ctx, store, files, options)
}

// ImportFiles is [Import] of files in memory, by their names.
func ImportFiles(ctx context.Context, store hbase.Store, contents map[string][]byte, options Options) (Summary, error) {
	files, err := memorySources(contents)
	if err != nil {
		return Summary{}, err
	}
	return importFiles(ctx, store, files, options)
}

// importMemory is the memory limit of an import's garbage collection, in bytes.
const importMemory = 2 << 30

func importFiles(ctx context.Context, store hbase.Store, files []source, options Options) (Summary, error) {
	// An import makes short-lived rows by the million beside a small heap: collecting whenever it has doubled costs a
	// tenth of the time. The limit keeps garbage from growing along with a large heap.
	defer debug.SetGCPercent(debug.SetGCPercent(1000))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(importMemory))
	im, err := newImporter(ctx, store, files, options)
	if err != nil {
		return Summary{}, err
	}
	err = im.run(ctx)
	return im.progress.Summary, err
}

// importer is the state of one import.
type importer struct {
	store     hbase.Store
	files     []source
	rebuilder *rebuild.Rebuilder
	progress  progress

	// objects finds the keys of objects by the names that files give them.
	objects map[*tables.AnyObject]*lookup[string]
	lists   lists
	// timelines are the owners of the timelines to which entries were added.
	timelines owners
	// fills writes the import marker, once, before the first entry is added to a timeline. filling is whether it is
	// stored, died whether an import that died left it: nobody knows which timelines that touched.
	fills           func() error
	filling, died   bool
	markerTimestamp int64

	broadcasters broadcasters
	fanoutLimit  int

	// blank is whether the store was, when the import began. All that a blank store holds in the end was written by this
	// import, which need not read what it knows.
	blank bool
	// repaired is whether a repair has removed something from the store.
	repaired bool
}

func newImporter(ctx context.Context, store hbase.Store, files []source, options Options) (*importer, error) {
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
	im.died, im.markerTimestamp = tables.Imports.Marker(cells[0])
	im.filling = im.died
	im.fills = sync.OnceValue(func() error {
		if im.filling {
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

// isBlank reports whether a store has no rows at all.
func isBlank(ctx context.Context, store hbase.Store) (bool, error) {
	for _, table := range tables.Definitions(1) {
		for _, err := range store.Scan(ctx, hbase.Scan{Table: table.Name, Limit: 1}) {
			return false, err
		}
	}
	return true, nil
}

// run imports the files, schema by schema: what others name comes first.
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

// rebuild rebuilds the lists, sums and trees of what was imported.
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

// has reports whether there is a file of the schema.
func (im *importer) has(schema string) bool {
	return slices.ContainsFunc(im.files, func(f source) bool { return f.schema.name == schema })
}

// name is a column that names an object, which must exist. An empty one names nothing.
type name[T any] struct {
	column string
	object *tables.AnyObject
	of     func(T) string
	// lists are those of the object in which the row may have a member.
	lists []*tables.AnyList
}

// known returns the items of a batch that name existing objects, and reports the others. It touches the lists of the
// objects that they name.
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
		} else if err := im.progress.skip(it.dangling(names[i].column, names[i].object.Name, names[i].of(it.value))); err != nil {
			return nil, err
		}
	}
	for _, n := range names {
		for _, l := range n.lists {
			owners := make([]string, len(kept))
			for i := range kept {
				owners[i], _ = im.objects[n.object].of(n.of(kept[i].value))
			}
			if err := im.lists[l].touch(ctx, owners); err != nil {
				return nil, err
			}
		}
	}
	return kept, nil
}

// owners are the names of the owners of lists that an import touched. It is safe for concurrent use.
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
