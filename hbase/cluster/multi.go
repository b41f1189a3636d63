package cluster

import (
	"context"
	"slices"

	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"twibase/hbase"
)

// maxMulti is how many calls one multi has at most. A region server executes a multi in one thread, and responds
// when all of it is done. Smaller multis are executed in parallel, and the gateway decodes one while others are
// executed. BenchmarkUncut shows the gain.
const maxMulti = 256

// multi is an RPC of Gets to one region server, whatever their tables. gohbase sends it as it is.
type multi struct {
	ctx     context.Context
	request *pb.MultiRequest
	gets    []routed // in the order of their indexes in the request
	answer  chan hrpc.RPCResult
	cells   [][]hbase.Cell // of each Get
}

// newMulti copies the Gets, because gohbase may still read the request when the caller has given up.
func newMulti(ctx context.Context, routes []routed, gets []hbase.Get, selections []*selection) *multi {
	m := &multi{ctx: ctx, gets: routes, answer: make(chan hrpc.RPCResult, 1), request: new(pb.MultiRequest)}
	messages := make([]struct {
		action pb.Action
		get    pb.Get
		index  uint32
	}, len(routes))
	regions := map[hrpc.RegionInfo]*pb.RegionAction{}
	for k, r := range routes {
		region := regions[r.region]
		if region == nil {
			region = &pb.RegionAction{Region: regionSpecifier(r.region)}
			regions[r.region] = region
			m.request.RegionAction = append(m.request.RegionAction, region)
		}
		message := &messages[k]
		selections[r.get].describe(&message.get, []byte(gets[r.get].Row))
		message.index = uint32(k) + 1 // HBase takes a zero for none
		message.action.Index, message.action.Get = &message.index, &message.get
		region.Action = append(region.Action, &message.action)
	}
	return m
}

// getDirectly sends Gets to the regions that gohbase has located, as one multi per region server, whatever the tables.
// It returns the indexes of the Gets that are not answered: gohbase must locate their regions, or retry them.
//
// gohbase's own batches have one table each. They are a multi per table and server, or, delayed until others come, one late multi.
func (s *Store) getDirectly(
	ctx context.Context, gets []hbase.Get, selections []*selection, valid []int, results []hbase.Result,
) (rest []int) {
	servers, rest := s.located.route(gets, valid)
	stats := hbase.StatsOf(ctx)
	var multis []*multi
	for server, routes := range servers {
		for chunk := range slices.Chunk(routes, s.maxMulti) {
			m := newMulti(ctx, chunk, gets, selections)
			stats.CountRPC(server.Addr())
			s.multiSize.WithLabelValues(server.Addr()).Observe(float64(len(m.gets)))
			go server.QueueRPC(m) // which ignores ctx, and blocks while the server does not read
			multis = append(multis, m)
		}
	}
	for _, m := range multis {
		answered := m.wait()
		for k, r := range m.gets {
			if answered[k] {
				results[r.get].Cells = m.cells[k]
			} else {
				rest = append(rest, r.get)
			}
		}
	}
	return rest
}

// wait waits for the response, and reports which Gets were answered. The others were refused, or lost with the connection.
func (m *multi) wait() (answered []bool) {
	answered = make([]bool, len(m.gets))
	var result hrpc.RPCResult
	select {
	case result = <-m.answer:
	case <-m.ctx.Done():
		select {
		case result = <-m.answer: // it came during the wait for another server
		default:
			return answered
		}
	}
	if result.Error != nil {
		return answered
	}
	if m.cells == nil { // no row was there
		m.cells = make([][]hbase.Cell, len(m.gets))
	}
	for _, region := range result.Msg.(*pb.MultiResponse).GetRegionActionResult() {
		for _, result := range region.GetResultOrException() {
			if k := int(result.GetIndex()) - 1; k >= 0 && k < len(m.gets) {
				answered[k] = result.GetResult() != nil
			}
		}
	}
	return answered
}

// DeserializeCellBlocks implements gohbase's interface of calls that are answered by cells.
func (m *multi) DeserializeCellBlocks(answer proto.Message, data []byte) (uint32, error) {
	regions, all := answer.(*pb.MultiResponse).GetRegionActionResult(), 0
	for _, region := range regions {
		for _, result := range region.GetResultOrException() {
			all += int(result.GetResult().GetAssociatedCellCount())
		}
	}
	if all > len(data)/keyValueOverhead {
		return 0, malformed("%d bytes are not %d cells", len(data), all)
	}
	b, cells, room := newBlock(data), make([][]hbase.Cell, len(m.gets)), make([]hbase.Cell, all)
	for _, region := range regions {
		for _, result := range region.GetResultOrException() {
			at, count := int(result.GetIndex())-1, int(result.GetResult().GetAssociatedCellCount())
			if at < 0 || at >= len(cells) {
				return 0, malformed("it has a result for Get %d of %d", at, len(cells))
			}
			if count == 0 {
				continue
			}
			if _, err := b.read(room[:count]); err != nil {
				return 0, err
			}
			cells[at], room = room[:count:count], room[count:]
		}
	}
	m.cells = cells
	return uint32(b.at), nil
}

// The following methods implement hrpc.Call. gohbase asks a call for its region only if it must find that.

func (m *multi) Name() string                    { return "Multi" }
func (m *multi) Description() string             { return "Multi" }
func (m *multi) Context() context.Context        { return m.ctx }
func (m *multi) ToProto() proto.Message          { return m.request }
func (m *multi) NewResponse() proto.Message      { return new(pb.MultiResponse) }
func (m *multi) ResultChan() chan hrpc.RPCResult { return m.answer }
func (m *multi) Table() []byte                   { return nil }
func (m *multi) Key() []byte                     { return nil }
func (m *multi) Region() hrpc.RegionInfo         { return nil }
func (m *multi) SetRegion(hrpc.RegionInfo)       {}
