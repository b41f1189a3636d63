package cluster

import (
	"context"

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
	server  hrpc.RegionClient
	request *pb.MultiRequest
	gets    []int // the caller's index of each Get, in the order of the request
	answer  chan hrpc.RPCResult
	cells   [][]hbase.Cell // of each Get
}

// newMulti takes what the request needs out of the caller's Gets, since gohbase may still look at it when the caller has given up.
func newMulti(ctx context.Context, server hrpc.RegionClient, regions []regionGets, gets []hbase.Get, selections []*selection) *multi {
	n, keys := 0, 0
	for _, r := range regions {
		n += len(r.gets)
		for _, i := range r.gets {
			keys += len(gets[i].Row)
		}
	}
	m := &multi{ctx: ctx, server: server, gets: make([]int, 0, n), answer: make(chan hrpc.RPCResult, 1),
		request: &pb.MultiRequest{RegionAction: make([]*pb.RegionAction, len(regions))}}
	// All of one kind share a piece of memory.
	actions, list, messages, indexes, rows := make([]pb.Action, n), make([]*pb.Action, n), make([]pb.Get, n), make([]uint32, n), make([]byte, 0, keys)
	for at, r := range regions {
		first := len(m.gets)
		for _, i := range r.gets {
			k, sel := len(m.gets), selections[i]
			rows = append(rows, gets[i].Row...)
			get, action := &messages[k], &actions[k]
			get.Row, get.Column, get.Filter = rows[len(rows)-len(gets[i].Row):], sel.columns, sel.filter
			get.TimeRange, get.MaxVersions, get.StoreLimit = sel.time, sel.versions, sel.limit
			indexes[k] = uint32(k) + 1 // HBase takes a zero for none
			action.Index, action.Get, list[k] = &indexes[k], get, action
			m.gets = append(m.gets, i)
		}
		m.request.RegionAction[at] = &pb.RegionAction{Region: regionSpecifier(r.region), Action: list[first:len(m.gets)]}
	}
	return m
}

// send does not wait: writing can take as long as the server takes to read, whatever ctx says.
func (m *multi) send() {
	go m.server.QueueRPC(m)
}

// wait waits for the answer, and tells of each Get whether it was answered. What was not was refused, or lost with its connection.
func (m *multi) wait() (answered []bool) {
	answered = make([]bool, len(m.gets))
	select {
	case result := <-m.answer:
		m.take(result, answered)
	case <-m.ctx.Done():
		select {
		case result := <-m.answer: // it came while another server's was waited for
			m.take(result, answered)
		default:
		}
	}
	return answered
}

func (m *multi) take(result hrpc.RPCResult, answered []bool) {
	if result.Error != nil {
		return
	}
	response := result.Msg.(*pb.MultiResponse)
	if m.cells == nil { // no row was there
		m.cells = make([][]hbase.Cell, len(m.gets))
	}
	for _, region := range response.GetRegionActionResult() {
		for _, result := range region.GetResultOrException() {
			if at := int(result.GetIndex()) - 1; at >= 0 && at < len(m.gets) {
				answered[at] = result.GetResult() != nil
			}
		}
	}
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

// What follows implements hrpc.Call. gohbase asks a call for its region only if it has to find that.

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
