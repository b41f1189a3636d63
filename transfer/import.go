package transfer

import (
	"context"
	"io"
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
	// SkipBad leaves out rows that are wrong, and goes on; without it the first one ends the import.
	SkipBad bool
	// Output is where progress and the rows that were left out are told: a terminal gets a bar, anything else plain lines. Nil is nowhere.
	Output io.Writer
	// ListBound is how many members a bucket of a list holds, at least 2; 0 means [tables.ListBound].
	ListBound int
	// FanoutLimit is how many followers an author may have whose twits are put into their timelines; 0 means [tables.FanoutLimit].
	FanoutLimit int
}

// Summary says what an import did.
type Summary struct {
	// Rows is how many rows were read, those that were left out included.
	Rows int
	// Bad is how many rows were left out because they are wrong, Nowhere how many because they name something that does not exist.
	Bad, Nowhere int
}

// Import brings CSV files into a store whose tables exist: see [EnsureTables]. Paths are files, named as in users.csv or users.csv.gz, or
// folders of such files, in any order and any selection; what they name must be in them or in the store.
//
// A row that is wrong is a [RowError] and ends the import, unless the options say to skip it. Rows that point nowhere are told and left out; if there
// were any the import goes through and is [ErrNowhere], unless bad rows are skipped. Whatever interrupts an import, another one of the same
// files completes it. One import at a time may run on a store.
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

// importMemory is how much memory an import lets stand before it collects at once, in bytes.
const importMemory = 2 << 30

func importFiles(ctx context.Context, store hbase.Store, files []source, options Options) (Summary, error) {
	// An import makes short-lived rows by the million beside a small heap: collecting whenever it has doubled costs a tenth of
	// the time. The limit keeps what is not collected from growing along with a large heap.
	defer debug.SetGCPercent(debug.SetGCPercent(1000))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(importMemory))
	im := newImporter(store, files, options)
	err := im.run(ctx)
	im.progress.end(err)
	return Summary{im.rows, im.bad, im.nowhere}, err
}

// importer is the state of one import.
type importer struct {
	store     hbase.Store
	files     []source
	rebuilder *rebuild.Rebuilder
	progress  *progress
	rowErrors
	// rows is how many were read.
	rows int

	// objects finds the keys of objects by the names that files give them.
	objects   map[*tables.AnyObject]*lookup[string]
	hasTwits  *lookup[bool]
	lists     lists
	relations map[*tables.Relation]*relations
	// timelines are the owners of those that the import brought something to.
	timelines owners
	marker    importMarker

	broadcasters *lookup[broadcast]
	fanoutLimit  int
	merging      merging

	// blank is whether the store was, when the import began.
	blank bool
	// repaired is whether a repair has taken something out of the store.
	repaired bool
	newPlays newKeys
}

// run imports the files, schema by schema: what others name comes first.
func (im *importer) run(ctx context.Context) error {
	if err := im.begin(ctx); err != nil {
		return err
	}
	for _, f := range schemas {
		if err := f.imports(im, ctx); err != nil {
			return err
		}
	}
	if err := im.rebuild(ctx); err != nil {
		return err
	}
	return im.rowErrors.err()
}

// has reports whether there is a file of the schema.
func (im *importer) has(schema string) bool {
	return slices.ContainsFunc(im.files, func(f source) bool { return f.schema.name == schema })
}

// owners are the names of those whose lists an import touched. It is safe for concurrent use.
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
