// Package rebuild derives data from its sources, and writes what differs from the stored data.
//
//	stored data ──► BucketPages ──► derived ──┐
//	                                          ├──► []Change ──► write (rebuild) or report (check)
//	stored derived data ──────────────────────┘
//
// A new cell has a timestamp of stored data, or 1. Only masked cells get a later timestamp, which
// may depend on the clock. All functions are idempotent: after a crash, call them again. Concurrent
// calls for the same owner, and other writers of its lists, are not allowed.
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
	ListBound     int
	Blank         bool // no lengths are stored, so none are read
	TimelineBound int
}

// New returns a Rebuilder with the default bounds.
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
