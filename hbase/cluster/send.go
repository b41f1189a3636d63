package cluster

import (
	"context"
	"time"

	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"
	"google.golang.org/protobuf/proto"

	"twibase/hbase"
)

// Pauses before retries of a busy server, and between polls of a master's procedure.
const (
	firstPause = 20 * time.Millisecond
	maxPause   = 500 * time.Millisecond
)

func (s *Store) sendOne(ctx context.Context, call hrpc.Call) (proto.Message, error) {
	if err := s.failFast(string(call.Table()), string(call.Key())); err != nil {
		return nil, err
	}
	return s.sendUnchecked(ctx, call)
}

func (s *Store) sendUnchecked(ctx context.Context, call hrpc.Call) (proto.Message, error) {
	answer, err := s.sendToServer(ctx, call)
	s.regions.learn(call)
	server := serverAddress(call)
	if err != nil {
		return nil, s.callError(ctx, err, string(call.Table()), string(call.Key()), server)
	}
	s.recordResponse(server)
	return answer, nil
}

// sendToServer retries while the server is busy: gohbase would return a timeout instead of the
// exception. gohbase sends the call if the region is unknown or has moved, or the connection is
// lost.
func (s *Store) sendToServer(ctx context.Context, call hrpc.Call) (proto.Message, error) {
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		region := s.regions.find(string(call.Table()), string(call.Key()))
		server := serverOf(region)
		if server == nil {
			if err := s.checkEnabled(string(call.Table()), string(call.Key())); err != nil {
				return nil, err
			}
			return s.sendThroughGohbase(ctx, call)
		}
		call.SetRegion(region)
		_, span := startSpan(ctx, methodName(call))
		begun := time.Now()
		go server.QueueRPC(call) // QueueRPC ignores ctx, and may block
		select {
		case result := <-call.ResultChan():
			countCall(ctx, call, begun)
			span.endCall(call, result.Error)
			switch {
			case busy(result.Error):
				if !s.wait(ctx, pause, result.Error) {
					return nil, result.Error
				}
				s.recordResponse(server.Addr())
				s.observe(result.Error)
			case retryable(result.Error):
				if err := s.disabledError(string(call.Table())); err != nil {
					return nil, err
				}
				return s.sendThroughGohbase(ctx, call)
			default:
				return result.Msg, result.Error
			}
		case <-ctx.Done():
			countCall(ctx, call, begun)
			span.endCall(call, ctx.Err())
			return nil, ctx.Err()
		}
	}
}

func (s *Store) sendThroughGohbase(ctx context.Context, call hrpc.Call) (proto.Message, error) {
	_, span := startSpan(ctx, methodName(call))
	begun := time.Now()
	answer, err := s.client.(gohbase.RPCClient).SendRPC(call) // starts a span below the one in the call's ctx
	countCall(ctx, call, begun)
	span.endCall(call, err)
	return answer, err
}

func countCall(ctx context.Context, call hrpc.Call, begun time.Time) {
	stats := hbase.StatsOf(ctx)
	if server := serverAddress(call); server != "" {
		stats.CountRPC(server, 0, begun)
	} else {
		stats.RPCs.Add(1)
	}
}

// wait pauses, and reports whether to retry after err. It returns false immediately if the pause,
// or the server's wait time, exceeds the deadline.
func (s *Store) wait(ctx context.Context, pause time.Duration, err error) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= max(pause, waitTime(firstLines(err.Error()))) {
		return false
	}
	select {
	case <-time.After(pause):
		return true
	case <-ctx.Done():
		return false
	}
}
