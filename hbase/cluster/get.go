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
func (s *Store) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	ctx, cancel, err := s.begin(ctx, s.callTimeout)
	if err != nil {
		return nil, err
	}
	defer cancel()
	results := make([]hbase.Result, len(gets))
	selections := make([]*selection, len(gets))
	valid := s.selectAll(ctx, gets, selections, results)
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

// getThrough leaves it to gohbase to find the regions of Gets, and to try again what fails.
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

// selectAll makes the selections of gets, one for each shape, and returns which gets to send.
func (s *Store) selectAll(ctx context.Context, gets []hbase.Get, selections []*selection, results []hbase.Result) (valid []int) {
	valid = make([]int, 0, len(gets))
	made := make(map[shape]*selection, 1)
	for i, g := range gets {
		as := shape{g.Columns, g.Page, g.Versions, g.Time}
		if made[as] != nil { // all but the row is as good as that of an earlier one
			g = hbase.Get{Row: g.Row}
		}
		if results[i].Err = g.Validate(); results[i].Err != nil {
			continue
		}
		if results[i].Err = s.refused(gets[i].Table, gets[i].Row); results[i].Err != nil {
			continue
		}
		if made[as] == nil {
			sel, err := s.columns.selection(as)
			if err != nil {
				results[i].Err = err
				continue
			}
			made[as] = sel
		}
		selections[i] = made[as]
		valid = append(valid, i)
	}
	return valid
}

// canceled is the call's error if its caller has given up. A deadline that passed is the error of the items that it hit.
func canceled(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("hbase: %w", ctx.Err())
	}
	return nil
}

// getCall is gohbase's Get with a selection that is made already, and with the cells that come back: gohbase would take four
// pieces of memory for each, which hold on to the answer of the whole batch.
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
	sel := c.selection
	c.cells = nil
	return &pb.GetRequest{
		Region: regionSpecifier(c.Region()),
		Get: &pb.Get{
			Row: c.Key(), Column: sel.columns, Filter: sel.filter, TimeRange: sel.time,
			MaxVersions: sel.versions, StoreLimit: sel.limit,
		},
	}
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
