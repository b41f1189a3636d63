package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"twibase/hbase"
)

// Get implements [hbase.Store].
func (s *Store) Get(ctx context.Context, gets []hbase.Get) (results []hbase.Result, err error) {
	land, err := hbase.BudgetOf(ctx).Fly(ctx, gets) // the wait is not part of the region servers' time
	if err != nil {
		return nil, err
	}
	defer func() { land(results) }()
	ctx, cancel, err := s.begin(ctx, s.callTimeout)
	if err != nil {
		return nil, err
	}
	defer cancel()
	results = make([]hbase.Result, len(gets))
	selections := make([]*selection, len(gets))
	valid := s.selectAll(gets, selections, results)
	rest := valid
	if !s.collects {
		rest = s.getDirectly(ctx, gets, selections, valid, results)
	}
	if len(rest) > 0 {
		s.getThrough(ctx, gets, selections, rest, results)
	}
	hbase.StatsOf(ctx).Gets.Add(int64(len(gets)))
	hbase.CountResults(ctx, results)
	return results, canceled(ctx)
}

// getThrough sends Gets through gohbase, which finds their regions and retries them.
func (s *Store) getThrough(ctx context.Context, gets []hbase.Get, selections []*selection, rest []int, results []hbase.Result) {
	calls := make([]*getCall, len(gets))
	s.send(ctx, batch{
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

// selectAll sets the selections of gets. Successive gets that differ in their rows only share one. It returns the indexes of the gets to send.
func (s *Store) selectAll(gets []hbase.Get, selections []*selection, results []hbase.Result) (valid []int) {
	valid = make([]int, 0, len(gets))
	var sel *selection
	for i := range gets {
		g, err := &gets[i], error(nil)
		if sel != nil && g.SameButRow(&gets[i-1]) {
			err = hbase.Get{Row: g.Row}.Validate() // all else was valid
		} else if err = g.Validate(); err == nil {
			sel, err = s.columns.selection(g)
		}
		if err == nil {
			err = s.refused(g.Table, g.Row)
		}
		if err != nil {
			results[i].Err, sel = err, nil
			continue
		}
		selections[i] = sel
		valid = append(valid, i)
	}
	return valid
}

// canceled returns an error if ctx was canceled. If its deadline has passed, that is the error of the items that were not answered.
func canceled(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("hbase: %w", ctx.Err())
	}
	return nil
}

// getCall is gohbase's Get with a selection, and with the returned cells. gohbase's own cells take four allocations each, and keep the response of
// the whole batch in memory.
type getCall struct {
	*hrpc.Get
	selection *selection
	cells     []hbase.Cell
}

func newGet(ctx context.Context, table, row string, sel *selection) *getCall {
	get, err := hrpc.NewGet(ctx, []byte(table), []byte(row))
	if err != nil {
		panic(err) // only options fail
	}
	return &getCall{Get: get, selection: sel}
}

// ToProto implements hrpc.Call. gohbase calls it each time that it sends the call.
func (c *getCall) ToProto() proto.Message {
	c.cells = nil
	get := new(pb.Get)
	c.selection.describe(get, c.Key())
	return &pb.GetRequest{Region: regionSpecifier(c.Region()), Get: get}
}

// DeserializeCellBlocks implements gohbase's interface of calls that are answered by cells.
func (c *getCall) DeserializeCellBlocks(answer proto.Message, cells []byte) (uint32, error) {
	row, read, err := readRow(cells, int(answer.(*pb.GetResponse).GetResult().GetAssociatedCellCount()))
	c.cells = row.Cells
	return read, err
}

func regionSpecifier(region hrpc.RegionInfo) *pb.RegionSpecifier {
	return &pb.RegionSpecifier{Type: hrpc.RegionSpecifierRegionName, Value: region.Name()}
}
