package cluster

import (
	"cmp"
	"context"
	"math"

	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"twibase/hbase"
)

// Mutate implements [hbase.Store].
func (s *Store) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	ctx, cancel, err := s.begin(ctx, s.callTimeout)
	if err != nil {
		return nil, err
	}
	defer cancel()
	mutations = s.fullMutations(mutations)
	errs := make([]error, len(mutations))
	valid := make([]int, 0, len(mutations))
	for i, m := range mutations {
		if errs[i] = m.Validate(); errs[i] != nil {
			continue
		}
		table, row := m.At()
		if errs[i] = cmp.Or(s.failFast(table, row), s.checkEnabled(table, row)); errs[i] == nil {
			valid = append(valid, i)
		}
	}
	s.sendAll(ctx, batch{
		table: func(i int) string {
			table, _ := mutations[i].At()
			return table
		},
		call: func(ctx context.Context, i int) hrpc.Call { return newMutation(ctx, mutations[i]) },
		done: func(i int, err error) { errs[i] = err },
	}, valid)
	for _, err := range errs {
		if err != nil {
			return errs, cancellation(ctx)
		}
	}
	return nil, nil
}

const (
	putCell               = 4
	deleteAllVersionsCell = 12
	deleteFamilyCell      = 14
	latestTimestamp       = math.MaxInt64
)

// mutationCall is gohbase's mutation with a timestamp and a type per cell.
type mutationCall struct {
	*hrpc.Mutate
	mutation pb.MutationProto_MutationType
	upTo     *uint64 // of a Delete of all families
	cells    []byte
	count    int32
	sent     int // number of attempts
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
		call.upTo = new(uint64(d.Timestamp))
	}
	for _, c := range d.Columns {
		cell := hbase.Cell{Family: c.Family, Qualifier: c.Qualifier, Timestamp: c.Timestamp}
		switch c.Kind {
		case hbase.Family:
			cell.Qualifier = ""
			call.add(deleteFamilyCell, cell)
		case hbase.AllVersions:
			call.add(deleteAllVersionsCell, cell)
		}
	}
	return call
}

func baseMutation(ctx context.Context, table, row string, kind pb.MutationProto_MutationType,
	options ...func(hrpc.Call) error) *mutationCall {
	base, err := hrpc.NewPut(ctx, []byte(table), []byte(row), nil, options...)
	if err != nil {
		panic(err) // cannot happen: the options are valid
	}
	return &mutationCall{Mutate: base, mutation: kind}
}

func (c *mutationCall) add(kind byte, cell hbase.Cell) {
	if cell.Timestamp == 0 {
		cell.Timestamp = latestTimestamp // the server's time
	}
	kv := keyValue{c.Key(), []byte(cell.Family), []byte(cell.Qualifier), cell.Value, cell.Timestamp, kind}
	c.cells = kv.append(c.cells)
	c.count++
}

func (c *mutationCall) request() *pb.MutateRequest {
	c.sent++
	return &pb.MutateRequest{
		Region: regionSpecifier(c.Region()),
		Mutation: &pb.MutationProto{
			Row: c.Key(), MutateType: &c.mutation, Timestamp: c.upTo, AssociatedCellCount: &c.count,
		},
	}
}

func (c *mutationCall) SerializeCellBlocks(blocks [][]byte) (proto.Message, [][]byte, uint32) {
	if len(c.cells) > 0 {
		blocks = append(blocks, c.cells)
	}
	return c.request(), blocks, uint32(len(c.cells))
}

func (c *mutationCall) CellBlocksEnabled() bool { return true }
