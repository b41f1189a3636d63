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
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	results := make([]hbase.Result, len(gets))
	selections := make([]*selection, len(gets))
	valid := s.selectAll(gets, selections, results)
	s.send(ctx, batch{
		table: func(i int) string { return gets[i].Table },
		call: func(ctx context.Context, i int) hrpc.Call {
			return newGet(ctx, gets[i].Table, gets[i].Row, selections[i])
		},
		done: func(i int, answer proto.Message, err error) {
			if err != nil {
				results[i].Err = err
				return
			}
			results[i].Cells = cells(answer.(*pb.GetResponse).GetResult().GetCell())
		},
	}, valid)
	stats := hbase.StatsOf(ctx)
	stats.Gets.Add(int64(len(gets)))
	stats.CountResults(results)
	return results, canceled(ctx)
}

// selectAll makes the selections of gets, one for each shape, and returns which gets to send.
func (s *Store) selectAll(gets []hbase.Get, selections []*selection, results []hbase.Result) (valid []int) {
	valid = make([]int, 0, len(gets))
	made := make(map[shape]*selection, 1)
	for i, g := range gets {
		if results[i].Err = g.Validate(); results[i].Err != nil {
			continue
		}
		as := shape{g.Columns, g.Page, g.Versions, g.Time}
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

// getCall is gohbase's Get with a selection that is made already.
type getCall struct {
	*hrpc.Get
	selection *selection
}

func newGet(ctx context.Context, table, row string, sel *selection) *getCall {
	get, err := hrpc.NewGet(ctx, []byte(table), []byte(row))
	if err != nil {
		panic(err) // only options fail
	}
	return &getCall{Get: get, selection: sel}
}

// ToProto implements hrpc.Call.
func (c *getCall) ToProto() proto.Message {
	sel := c.selection
	return &pb.GetRequest{
		Region: regionOf(c),
		Get: &pb.Get{
			Row: c.Key(), Column: sel.columns, Filter: sel.filter, TimeRange: sel.time,
			MaxVersions: sel.versions, StoreLimit: sel.limit,
		},
	}
}

func regionOf(call hrpc.Call) *pb.RegionSpecifier {
	return &pb.RegionSpecifier{Type: hrpc.RegionSpecifierRegionName, Value: call.Region().Name()}
}

// cells copies cells out of the response that they came in, which is that of a whole batch. The copies' qualifiers share
// one string and their values one slice.
func cells(from []*pb.Cell) []hbase.Cell {
	if len(from) == 0 {
		return nil
	}
	var qualifiers, values int
	for _, c := range from {
		qualifiers += len(c.Qualifier)
		values += len(c.Value)
	}
	names, data := make([]byte, 0, qualifiers), make([]byte, 0, values)
	for _, c := range from {
		names = append(names, c.Qualifier...)
	}
	qualifier := string(names)
	to := make([]hbase.Cell, len(from))
	for i, c := range from {
		if i == 0 || to[i-1].Family != string(c.Family) {
			to[i].Family = string(c.Family)
		} else {
			to[i].Family = to[i-1].Family
		}
		to[i].Qualifier, qualifier = qualifier[:len(c.Qualifier)], qualifier[len(c.Qualifier):]
		to[i].Timestamp = int64(c.GetTimestamp())
		start := len(data)
		data = append(data, c.Value...)
		to[i].Value = data[start:len(data):len(data)]
	}
	return to
}
