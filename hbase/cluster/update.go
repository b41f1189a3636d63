package cluster

import (
	"bytes"
	"context"
	"fmt"
	"math"

	"github.com/tsuna/gohbase/filter"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"twibase/hbase"
)

// CheckAndPut may return a wrong result if a connection is lost: gohbase repeats the RPC, and its
// check fails if the first RPC has written the cells. Then CheckAndPut reads the row, and returns
// true if it has the cells of put. The result true is wrong if another caller put the same cells,
// and the result false if another caller has replaced them. To be sure, put a unique value, and
// read it if the result is false.
func (s *Store) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (bool, error) {
	if err := put.Validate(); err != nil {
		return false, err
	}
	ctx, cancel, err := s.begin(ctx, s.callTimeout)
	if err != nil {
		return false, err
	}
	defer cancel()
	put.Table = s.FullName(put.Table)
	call, err := newCheckAndPut(ctx, check, put)
	if err != nil {
		return false, err
	}
	answer, err := s.sendOne(ctx, call)
	if err != nil {
		return false, err
	}
	done := answer.(*pb.MutateResponse).GetProcessed()
	if !done && call.sent > 1 {
		return s.holds(ctx, put)
	}
	return done, nil
}

type checkCall struct {
	*mutationCall
	condition *pb.Condition
}

func newCheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (*checkCall, error) {
	value, err := filter.NewBinaryComparator(filter.NewByteArrayComparable(check.Value)).ConstructPBComparator()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", hbase.ErrInvalid, err)
	}
	return &checkCall{
		// A multi's response lacks the condition's result.
		mutationCall: newPut(ctx, put, hrpc.SkipBatch()),
		condition: &pb.Condition{
			Row: []byte(put.Row), Family: []byte(check.Family), Qualifier: []byte(check.Qualifier),
			CompareType: pb.CompareType_EQUAL.Enum(), Comparator: value,
		},
	}, nil
}

func (c *checkCall) SerializeCellBlocks(blocks [][]byte) (proto.Message, [][]byte, uint32) {
	request, blocks, size := c.mutationCall.SerializeCellBlocks(blocks)
	request.(*pb.MutateRequest).Condition = c.condition
	return request, blocks, size
}

func (s *Store) holds(ctx context.Context, put hbase.Put) (bool, error) {
	var columns []hbase.Column
	for _, c := range put.Cells {
		columns = append(columns, hbase.Column{Family: c.Family, Qualifier: c.Qualifier})
	}
	sel := &selection{columns: protoColumns(columns), versions: number(math.MaxInt32)}
	get := newGet(ctx, put.Table, put.Row, sel)
	if _, err := s.sendOne(ctx, get); err != nil {
		return false, err
	}
	for _, want := range put.Cells {
		if !contains(get.cells, want) {
			return false, nil
		}
	}
	return true, nil
}

// In got, the newest version of a column comes first. It alone counts if want has no timestamp.
func contains(got []hbase.Cell, want hbase.Cell) bool {
	for _, c := range got {
		if c.Family != want.Family || c.Qualifier != want.Qualifier {
			continue
		}
		if want.Timestamp == 0 || want.Timestamp == c.Timestamp {
			return bytes.Equal(c.Value, want.Value)
		}
	}
	return false
}
