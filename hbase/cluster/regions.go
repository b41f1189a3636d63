package cluster

import (
	"context"
	"fmt"

	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"github.com/tsuna/gohbase/region"
	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/proto"

	"twibase/hbase"
)

const metaTable = "hbase:meta"

// Regions returns how many regions a table has. It is [hbase.ErrTableNotFound] if there is no such table.
func (s *Store) Regions(ctx context.Context, table string) (int, error) {
	starts, err := s.regionStarts(ctx, table)
	return len(starts), err
}

// Warm finds the regions of tables and connects to their servers, so that the first requests do not wait for that.
func (s *Store) Warm(ctx context.Context, tables ...string) error {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	for _, table := range tables {
		group.Go(func() error {
			starts, err := s.regionStarts(ctx, table)
			if err != nil {
				return err
			}
			return s.reach(ctx, table, starts)
		})
	}
	return group.Wait()
}

// reach reads a row of each region that starts at one of starts, or at none: the first.
func (s *Store) reach(ctx context.Context, table string, starts []string) error {
	if err := s.cacheRegions(ctx, table); err != nil {
		return err
	}
	rows := []string{"\x00"}
	for _, start := range starts {
		if start != "" {
			rows = append(rows, start)
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, row := range rows {
		group.Go(func() error {
			sel := &selection{time: &pb.TimeRange{}, limit: number(1)}
			_, err := s.sendOne(ctx, newGet(ctx, table, row, sel))
			return err
		})
	}
	return group.Wait()
}

// cacheRegions lets gohbase find all regions of a table in one scan. gohbase's method has no ctx: one that comes too late goes on until
// the store is closed.
func (s *Store) cacheRegions(ctx context.Context, table string) error {
	done := make(chan error, 1)
	go func() { done <- s.client.CacheRegions([]byte(table)) }()
	select {
	case err := <-done:
		return translate(err, table)
	case <-ctx.Done():
		return translate(ctx.Err(), table)
	}
}

// regionStarts reads the first keys of a table's regions from HBase's catalogue. Its keys, table,start,id, are ordered part by part, so that
// all that follow the bare table's name and precede the least longer name are the table's.
func (s *Store) regionStarts(ctx context.Context, table string) ([]string, error) {
	catalogue := hbase.Scan{Table: metaTable, Start: table, Stop: hbase.Next(table), Columns: "info"}
	var starts []string
	for row, err := range s.Scan(ctx, catalogue) {
		if err != nil {
			return nil, err
		}
		info, _, err := region.ParseRegionInfo(catalogueRow(row))
		if err != nil {
			continue // a region that was split or is being made; nobody serves it
		}
		starts = append(starts, string(info.StartKey()))
	}
	if starts == nil {
		return nil, fmt.Errorf("%w: %s", hbase.ErrTableNotFound, table)
	}
	return starts, nil
}

func catalogueRow(row hbase.Row) *hrpc.Result {
	result := new(hrpc.Result)
	for _, c := range row.Cells {
		result.Cells = append(result.Cells, &hrpc.Cell{
			Row: []byte(row.Key), Family: []byte(c.Family), Qualifier: []byte(c.Qualifier),
			Timestamp: proto.Uint64(uint64(c.Timestamp)), Value: c.Value,
		})
	}
	return result
}
