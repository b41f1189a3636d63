// Package rebuild rebuilds derived data from its sources, also after a crash at any write. Lists lie in the right
// buckets, none longer than its bound. Their lengths, the sums of games and the ends of timelines are exact.
//
// Every function reads the owners that it is given, compares what is stored with what should be, and writes the
// difference only: if nothing differs it writes nothing. What it writes has the timestamp of what it replaces. So the
// result depends neither on the clock nor on how often a function ran. Two calls for the same owners must not run at
// the same time, nor may others write their lists during a call.
package rebuild

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Rebuilder is the store to rebuild, and how.
type Rebuilder struct {
	Store hbase.Store
	// ListBound is how many members a bucket holds: [tables.ListBound], less in tests, at least 2.
	ListBound int
	// Blank is whether no length was ever written: then none is read.
	Blank bool
	// TimelineBound is how many entries a timeline keeps: [tables.TimelineBound], less in tests.
	TimelineBound int
}

// New returns a Rebuilder with the bounds of the tables.
func New(store hbase.Store) *Rebuilder {
	return &Rebuilder{Store: store, ListBound: tables.ListBound, TimelineBound: tables.TimelineBound}
}

const (
	// group is how many owners are read together, parallel how many groups are on the way at the same time.
	group    = 256
	parallel = 4
)

// groups calls f with owners, some at a time, in several goroutines.
func (s *Rebuilder) groups(ctx context.Context, owners []string, f func(ctx context.Context, owners []string) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for some := range slices.Chunk(owners, group) {
		if ctx.Err() != nil {
			break
		}
		g.Go(func() error { return f(ctx, some) })
	}
	return g.Wait()
}
