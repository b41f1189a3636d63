package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"twibase/hbase"
)

func (s *Store) Get(ctx context.Context, gets []hbase.Get) (results []hbase.Result, err error) {
	release, err := hbase.Reserve(ctx, gets) // before the call timeout
	if err != nil {
		return nil, err
	}
	defer func() { release(results) }()
	ctx, cancel, err := s.begin(ctx, s.callTimeout)
	if err != nil {
		return nil, err
	}
	defer cancel()
	gets = s.fullGets(gets)
	results = make([]hbase.Result, len(gets))
	selections := make([]*selection, len(gets))
	rest := make([]int, 0, len(gets))
	hbase.Select(gets, results, newSelection, func(i int, sel *selection) error {
		if err := s.failFast(gets[i].Table, gets[i].Row); err != nil {
			return err
		}
		if s.collects { // getAndRetry has its own check
			if err := s.checkEnabled(gets[i].Table, gets[i].Row); err != nil {
				return err
			}
		}
		selections[i] = sel
		rest = append(rest, i)
		return nil
	})
	if s.collects {
		s.getThroughGohbase(ctx, gets, selections, rest, results)
	} else {
		s.getAndRetry(ctx, gets, selections, rest, results)
	}
	hbase.StatsOf(ctx).Gets.Add(int64(len(gets)))
	hbase.CountResults(ctx, results)
	return results, cancellation(ctx)
}

// getAndRetry sends Gets to the servers of their regions, and repeats those that a busy server
// rejected. In parallel, gohbase sends those of unknown regions, and those that failed.
func (s *Store) getAndRetry(
	ctx context.Context, gets []hbase.Get, selections []*selection, valid []int, results []hbase.Result,
) {
	var found sync.WaitGroup
	defer found.Wait()
	for pause := firstPause; len(valid) > 0; pause = min(2*pause, maxPause) {
		again, rest := s.getFromServers(ctx, gets, selections, valid, results)
		if ctx.Err() == nil {
			rest = s.dropDisabled(gets, rest, results)
		}
		found.Go(func() { s.getThroughGohbase(ctx, gets, selections, rest, results) })
		if len(again) > 0 && !s.wait(ctx, pause, results[again[0]].Err) {
			return
		}
		valid = again
	}
}

func (s *Store) dropDisabled(gets []hbase.Get, rest []int, results []hbase.Result) []int {
	disabled := map[string]error{}
	return slices.DeleteFunc(rest, func(i int) bool {
		table := gets[i].Table
		if _, checked := disabled[table]; !checked {
			disabled[table] = nil
			if s.regions.find(table, gets[i].Row) != nil || s.states.known(table) != nil {
				disabled[table] = s.disabledError(table)
			}
		}
		results[i].Err = disabled[table]
		return disabled[table] != nil
	})
}

func (s *Store) getThroughGohbase(
	ctx context.Context, gets []hbase.Get, selections []*selection, rest []int, results []hbase.Result,
) {
	if len(rest) == 0 {
		return
	}
	calls := make([]*getCall, len(gets))
	s.sendAll(ctx, batch{
		table: func(i int) string { return gets[i].Table },
		call: func(ctx context.Context, i int) hrpc.Call {
			calls[i] = newGet(ctx, gets[i].Table, gets[i].Row, selections[i])
			return calls[i]
		},
		done: func(i int, err error) {
			if results[i].Err = err; err == nil {
				results[i].Cells = calls[i].cells
			}
		},
	}, rest)
}

// cancellation returns the error of a whole call if ctx was cancelled. After a deadline, each Get
// or mutation has its own.
func cancellation(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("hbase: %w", ctx.Err())
	}
	return nil
}

// getCall has its own cells: gohbase's take four allocations each, and keep the response of the
// whole batch in memory.
type getCall struct {
	*hrpc.Get
	selection *selection
	cells     []hbase.Cell
}

func newGet(ctx context.Context, table, row string, sel *selection) *getCall {
	get, err := hrpc.NewGet(ctx, []byte(table), []byte(row))
	if err != nil {
		panic(err) // cannot happen: only options can be invalid
	}
	return &getCall{Get: get, selection: sel}
}

// ToProto is called by gohbase for each attempt.
func (c *getCall) ToProto() proto.Message {
	c.cells = nil
	get := new(pb.Get)
	c.selection.fill(get, c.Key())
	return &pb.GetRequest{Region: regionSpecifier(c.Region()), Get: get}
}

func (c *getCall) DeserializeCellBlocks(answer proto.Message, cells []byte) (uint32, error) {
	row, read, err := readRow(cells, int(answer.(*pb.GetResponse).GetResult().GetAssociatedCellCount()))
	c.cells = row.Cells
	return read, err
}

func regionSpecifier(region hrpc.RegionInfo) *pb.RegionSpecifier {
	return &pb.RegionSpecifier{Type: hrpc.RegionSpecifierRegionName, Value: region.Name()}
}
