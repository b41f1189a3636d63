package cluster

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"twibase/hbase"
)

// The types of a cell, as HBase writes them.
const (
	putCell               = 4
	deleteOneVersionCell  = 8
	deleteAllVersionsCell = 12
	deleteFamilyCell      = 14
	latestTimestamp       = math.MaxInt64
	keyValueOverhead      = 4 + 4 + 4 + 2 + 1 + 8 + 1
)

// mutationCall is a Put or a Delete whose cells each have a timestamp, and a type, of their own. gohbase's own mutation has one of both for
// all cells and one version of each column; HBase has no such limit, and applies what comes in one mutation as one.
type mutationCall struct {
	*hrpc.Mutate
	mutation pb.MutationProto_MutationType
	row      *uint64 // a whole row's deletion up to this timestamp
	cells    []byte  // in HBase's KeyValue encoding
	count    int32
	sent     int
}

func newMutation(ctx context.Context, m hbase.Mutation) *mutationCall {
	switch m := m.(type) {
	case hbase.Put:
		return newPut(ctx, m)
	case hbase.Delete:
		return newDelete(ctx, m)
	}
	panic("hbase.Mutation is sealed")
}

func newPut(ctx context.Context, p hbase.Put, options ...func(hrpc.Call) error) *mutationCall {
	call := baseMutation(ctx, p.Table, p.Row, pb.MutationProto_PUT, options...)
	size := 0
	for _, c := range p.Cells {
		size += keyValueOverhead + len(p.Row) + len(c.Family) + len(c.Qualifier) + len(c.Value)
	}
	call.cells = make([]byte, 0, size)
	for _, c := range p.Cells {
		call.add(putCell, c)
	}
	return call
}

func newDelete(ctx context.Context, d hbase.Delete) *mutationCall {
	call := baseMutation(ctx, d.Table, d.Row, pb.MutationProto_DELETE)
	if len(d.Columns) == 0 && d.Timestamp > 0 {
		call.row = timestamp(d.Timestamp)
	}
	for _, c := range d.Columns {
		cell := hbase.Cell{Family: c.Family, Qualifier: c.Qualifier, Timestamp: c.Timestamp}
		switch c.Kind {
		case hbase.Family:
			cell.Qualifier = ""
			call.add(deleteFamilyCell, cell)
		case hbase.AllVersions:
			call.add(deleteAllVersionsCell, cell)
		case hbase.OneVersion:
			call.add(deleteOneVersionCell, cell)
		}
	}
	return call
}

func baseMutation(ctx context.Context, table, row string, kind pb.MutationProto_MutationType,
	options ...func(hrpc.Call) error) *mutationCall {
	base, err := hrpc.NewPut(ctx, []byte(table), []byte(row), nil, options...)
	if err != nil {
		panic(err) // only options fail, and ours do not
	}
	return &mutationCall{Mutate: base, mutation: kind}
}

// add appends a cell, drawn in org.apache.hadoop.hbase.KeyValue.
func (c *mutationCall) add(kind byte, cell hbase.Cell) {
	row := c.Key()
	key := 2 + len(row) + 1 + len(cell.Family) + len(cell.Qualifier) + 8 + 1
	b := c.cells
	b = binary.BigEndian.AppendUint32(b, uint32(4+4+key+len(cell.Value)))
	b = binary.BigEndian.AppendUint32(b, uint32(key))
	b = binary.BigEndian.AppendUint32(b, uint32(len(cell.Value)))
	b = binary.BigEndian.AppendUint16(b, uint16(len(row)))
	b = append(b, row...)
	b = append(b, byte(len(cell.Family)))
	b = append(b, cell.Family...)
	b = append(b, cell.Qualifier...)
	if cell.Timestamp == 0 {
		cell.Timestamp = latestTimestamp // which the server replaces by its present
	}
	b = binary.BigEndian.AppendUint64(b, uint64(cell.Timestamp))
	b = append(b, kind)
	c.cells = append(b, cell.Value...)
	c.count++
}

// request is called each time that gohbase sends the call.
func (c *mutationCall) request() *pb.MutateRequest {
	c.sent++
	return &pb.MutateRequest{
		Region: regionOf(c),
		Mutation: &pb.MutationProto{
			Row: c.Key(), MutateType: &c.mutation, Timestamp: c.row, AssociatedCellCount: &c.count,
		},
	}
}

// SerializeCellBlocks implements gohbase's interface of calls with cells.
func (c *mutationCall) SerializeCellBlocks(blocks [][]byte) (proto.Message, [][]byte, uint32) {
	if len(c.cells) > 0 {
		blocks = append(blocks, c.cells)
	}
	return c.request(), blocks, uint32(len(c.cells))
}

// CellBlocksEnabled implements gohbase's interface of calls with cells.
func (c *mutationCall) CellBlocksEnabled() bool { return true }
