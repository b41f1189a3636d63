// Package rebuild derives data from its sources and writes the difference to the stored data.
// Package transfer rebuilds after an import, package check compares with the same functions.
//
//	stored data ──► BucketPages ──► derived ──┐
//	                                          ├──► []Change ──► write (rebuild) or report (check)
//	stored derived data ──────────────────────┘
//
// The timestamp of a new cell is that of stored data, or 1; only a masked cell is rewritten with a
// later one. So only the timestamps of rewritten cells depend on the clock, every function is
// idempotent, and a crash is repaired by calling it again. Calls for an owner may not overlap, and
// nothing else may write the owner's lists.
package rebuild

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Rebuilder rebuilds derived data.
type Rebuilder struct {
	Store hbase.Store
	// ListBound is at least 2.
	ListBound int
	// Blank: no lengths are stored, so none are read.
	Blank         bool
	TimelineBound int
}

// New has the default bounds.
func New(store hbase.Store) *Rebuilder {
	return &Rebuilder{Store: store, ListBound: tables.ListBound, TimelineBound: tables.TimelineBound}
}

const (
	groupSize = 256 // owners
	parallel  = 4   // concurrent groups
)

func (s *Rebuilder) groups(
	ctx context.Context, owners []string, f func(ctx context.Context, owners []string) error,
) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for some := range slices.Chunk(owners, groupSize) {
		if ctx.Err() != nil {
			break
		}
		g.Go(func() error { return f(ctx, some) })
	}
	return g.Wait()
}
