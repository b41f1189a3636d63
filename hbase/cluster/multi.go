package cluster

import (
	"context"
	"slices"
	"time"

	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"twibase/hbase"
)

// maxMulti bounds the calls of a multi: a region server executes several multis in parallel, while
// the gateway decodes others.
const maxMulti = 256

// multi is one RPC with Gets of one region server. gets, answered and cells have the same indexes.
type multi struct {
	ctx     context.Context
	request *pb.MultiRequest
	gets    []routedGet // in the order of the request
	server  string
	answer  chan hrpc.RPCResult
	cells   [][]hbase.Cell

	span    rpcSpan
	sent    time.Time
	arrived time.Time // of cells, or zero; set by another goroutine before it sends the answer

	// Set by wait.
	ended    time.Time
	answered []bool
	failed   map[int]error
}

// newMulti copies the Gets, because gohbase may read the request after the caller's deadline.
func newMulti(
	ctx context.Context, server string, routes []routedGet, gets []hbase.Get, selections []*selection,
) *multi {
	m := &multi{ctx: ctx, gets: routes, server: server, answer: make(chan hrpc.RPCResult, 1),
		request: new(pb.MultiRequest)}
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
		selections[r.get].fill(&message.get, []byte(gets[r.get].Row))
		message.index = uint32(k) + 1 // 0 is none
		message.action.Index, message.action.Get = &message.index, &message.get
		region.Action = append(region.Action, &message.action)
	}
	return m
}

// getFromServers sets the results of Gets of known regions. It returns those that a busy server
// rejected, and the rest, which gohbase must locate or retry.
func (s *Store) getFromServers(
	ctx context.Context, gets []hbase.Get, selections []*selection, valid []int, results []hbase.Result,
) (rejected, rest []int) {
	servers, rest := s.regions.route(gets, valid)
	stats := hbase.StatsOf(ctx)
	var multis []*multi
	for server, routes := range servers {
		for chunk := range slices.Chunk(routes, maxMulti) {
			ctx, span := startSpan(ctx, "Multi")
			m := newMulti(ctx, server.Addr(), chunk, gets, selections)
			m.span = span
			m.sent = time.Now()
			s.multiSize.WithLabelValues(server.Addr()).Observe(float64(len(m.gets)))
			go server.QueueRPC(m) // QueueRPC ignores ctx, and may block
			multis = append(multis, m)
		}
	}
	for _, m := range multis {
		if m.wait() {
			s.recordResponse(m.server)
		}
		stats.RPCs.Add(1)
		stats.Servers.Add(hbase.ServerCalls{
			Server: m.server, RPCs: 1, Gets: int64(len(m.gets)), Begun: m.sent, Ended: m.ended,
		})
		for k, r := range m.gets {
			switch {
			case m.answered[k]:
				results[r.get] = hbase.Result{Cells: m.cells[k]}
			case busy(m.failed[k]):
				s.observe(m.failed[k])
				results[r.get].Err = translate(m.failed[k], location{gets[r.get].Table, m.server})
				rejected = append(rejected, r.get)
			default:
				rest = append(rest, r.get)
			}
		}
	}
	return rejected, rest
}

// wait reports whether the server responded. An exception is a response.
func (m *multi) wait() (responded bool) {
	var failed error
	defer func() { m.span.endMulti(m, failed) }()
	m.answered = make([]bool, len(m.gets))
	var result hrpc.RPCResult
	select {
	case result = <-m.answer:
	case <-m.ctx.Done():
		select {
		case result = <-m.answer:
		default:
			m.ended, failed = time.Now(), m.ctx.Err()
			return false
		}
	}
	if m.ended = m.arrived; m.ended.IsZero() {
		m.ended = time.Now()
	}
	if failed = result.Error; failed != nil {
		for k := range m.gets {
			m.fail(k, result.Error)
		}
		return exceptionOf(result.Error) != ""
	}
	if m.cells == nil {
		m.cells = make([][]hbase.Cell, len(m.gets))
	}
	failed = m.readResults(result.Msg.(*pb.MultiResponse))
	return true
}

func (m *multi) readResults(response *pb.MultiResponse) (failed error) {
	for i, region := range response.GetRegionActionResult() {
		if e := region.GetException(); e != nil && i < len(m.request.RegionAction) {
			err := newException(e.GetName(), string(e.GetValue()))
			failed = err
			for _, action := range m.request.RegionAction[i].Action {
				m.fail(int(action.GetIndex())-1, err)
			}
		}
		for _, result := range region.GetResultOrException() {
			k := int(result.GetIndex()) - 1
			if k < 0 || k >= len(m.gets) {
				continue
			}
			m.answered[k] = result.GetResult() != nil
			if e := result.GetException(); e != nil {
				m.fail(k, newException(e.GetName(), string(e.GetValue())))
			}
		}
	}
	return failed
}

func (m *multi) fail(k int, err error) {
	if m.failed == nil {
		m.failed = map[int]error{}
	}
	m.failed[k] = err
}

func (m *multi) DeserializeCellBlocks(answer proto.Message, data []byte) (uint32, error) {
	regions, all := answer.(*pb.MultiResponse).GetRegionActionResult(), 0
	for _, region := range regions {
		for _, result := range region.GetResultOrException() {
			count := int(result.GetResult().GetAssociatedCellCount())
			if count < 0 {
				return 0, malformed("%d cells", count)
			}
			all += count
		}
	}
	if all > len(data)/keyValueOverhead {
		return 0, malformed("%d bytes are too short for %d cells", len(data), all)
	}
	b, cells, room := newBlock(data), make([][]hbase.Cell, len(m.gets)), make([]hbase.Cell, all)
	for _, region := range regions {
		for _, result := range region.GetResultOrException() {
			at, count := int(result.GetIndex())-1, int(result.GetResult().GetAssociatedCellCount())
			if at < 0 || at >= len(cells) {
				return 0, malformed("a result for Get %d of %d", at, len(cells))
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
	m.cells, m.arrived = cells, time.Now()
	return uint32(b.at), nil
}

func (m *multi) Name() string                    { return methodOf(m.ctx, "Multi") }
func (m *multi) Description() string             { return "Multi" }
func (m *multi) Context() context.Context        { return m.ctx }
func (m *multi) ToProto() proto.Message          { return m.request }
func (m *multi) NewResponse() proto.Message      { return new(pb.MultiResponse) }
func (m *multi) ResultChan() chan hrpc.RPCResult { return m.answer }

// Table is empty: gohbase needs no table, key or region for a call to a known server.
func (m *multi) Table() []byte             { return nil }
func (m *multi) Key() []byte               { return nil }
func (m *multi) Region() hrpc.RegionInfo   { return nil }
func (m *multi) SetRegion(hrpc.RegionInfo) {}
