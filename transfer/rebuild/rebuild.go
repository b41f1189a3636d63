package rebuild

import (
	"context"
	"fmt"
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
	// TimelineBound is how many entries a timeline keeps: [tables.TimelineBound], less in tests.
	TimelineBound int
	// Done is called with the number of owners that were rebuilt since the last call, from several goroutines. It may be nil.
	Done func(owners int)
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
		g.Go(func() error {
			if err := f(ctx, some); err != nil {
				return err
			}
			if s.Done != nil {
				s.Done(len(some))
			}
			return nil
		})
	}
	return g.Wait()
}

// Read is a multi-get that fails as a whole: it returns the cells of each get, or the first error.
func Read(ctx context.Context, store hbase.Store, gets []hbase.Get) ([][]hbase.Cell, error) {
	if len(gets) == 0 {
		return nil, nil
	}
	results, err := store.Get(ctx, gets)
	if err != nil {
		return nil, err
	}
	cells := make([][]hbase.Cell, len(results))
	for i := range results {
		if results[i].Err != nil {
			return nil, fmt.Errorf("read %s %q: %w", gets[i].Table, gets[i].Row, results[i].Err)
		}
		cells[i] = results[i].Cells
	}
	return cells, nil
}

// Write is a batch of mutations that fails as a whole: with the first error, though others may have been written.
func Write(ctx context.Context, store hbase.Store, mutations []hbase.Mutation) error {
	if len(mutations) == 0 {
		return nil
	}
	errs, err := store.Mutate(ctx, mutations)
	if err != nil {
		return err
	}
	for i, err := range errs {
		if err != nil {
			table, row := mutations[i].At()
			return fmt.Errorf("write %s %q: %w", table, row, err)
		}
	}
	return nil
}
