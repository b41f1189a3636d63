package cluster

import (
	"context"

	"github.com/tsuna/gohbase/pb"
	"golang.org/x/sync/errgroup"
)

// Warm finds the regions of tables and connects to their servers, so that the first requests do not wait for that.
func (s *Store) Warm(ctx context.Context, tables ...string) error {
	ctx, cancel, err := s.begin(ctx, 0)
	if err != nil {
		return err
	}
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	for _, table := range tables {
		group.Go(func() error { return s.reach(ctx, table) })
	}
	return group.Wait()
}

// reach reads a row of each region of a table, one after the other: where a region ends the next one begins.
func (s *Store) reach(ctx context.Context, table string) error {
	for row := "\x00"; row != ""; {
		get := newGet(ctx, table, row, firstCell)
		if _, err := s.sendOne(ctx, get); err != nil {
			return err
		}
		row = string(get.Region().StopKey())
	}
	return nil
}

// firstCell selects one cell of each family: all that a probe of a row needs.
var firstCell = &selection{time: &pb.TimeRange{}, limit: number(1)}
