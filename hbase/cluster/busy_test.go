package cluster

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"twibase/hbase"
)

type busyServer struct {
	hrpc.RegionClient
	class, message string
	times          int  // number of exceptions
	wholeCall      bool // the exception is of the call, not of a region
	calls          int
}

func (b *busyServer) Addr() string { return "server:1" }

func (b *busyServer) QueueRPC(call hrpc.Call) {
	b.calls++
	var answer hrpc.RPCResult
	switch m, isMulti := call.(*multi); {
	case b.calls <= b.times && isMulti && !b.wholeCall:
		name := "org.apache.hadoop.hbase." + b.class
		failed := &pb.RegionActionResult{Exception: &pb.NameBytesPair{Name: &name, Value: []byte(name + ": " + b.message)}}
		answer.Msg = &pb.MultiResponse{RegionActionResult: []*pb.RegionActionResult{failed}}
	case b.calls <= b.times:
		answer.Error = java(b.class, b.message)
	case isMulti:
		done := new(pb.RegionActionResult)
		for k := range m.gets {
			index := uint32(k) + 1
			done.ResultOrException = append(done.ResultOrException,
				&pb.ResultOrException{Index: &index, Result: new(pb.Result)})
		}
		answer.Msg = &pb.MultiResponse{RegionActionResult: []*pb.RegionActionResult{done}}
	default:
		answer.Msg = &pb.MutateResponse{Processed: proto.Bool(true)}
	}
	call.ResultChan() <- answer
}

func TestCallsToABusyServerAreRetried(t *testing.T) {
	const forever = 1 << 30
	throttled := "number of requests exceeded - wait "
	for _, test := range []struct {
		name     string
		server   busyServer
		answered bool
		calls    int           // at most
		took     time.Duration // at most
	}{
		{"are sent again until it answers", busyServer{class: "RegionTooBusyException", times: 3}, true, 4, time.Second},
		{"are sent again if the call is rejected",
			busyServer{class: "CallQueueTooBigException", times: 3, wholeCall: true}, true, 4, time.Second},
		{"fail before the timeout, with the exception", busyServer{class: "RegionTooBusyException", times: forever},
			false, 12, 3 * time.Second},
		{"are sent again if it asks for a short wait",
			busyServer{class: "quotas.RpcThrottlingException", message: throttled + "100ms", times: 2}, true, 3, time.Second},
		{"fail immediately if it asks for a long wait",
			busyServer{class: "quotas.RpcThrottlingException", message: throttled + "1mins, 5sec, 0ms", times: forever}, false, 1, 0},
	} {
		for call, send := range map[string]func(ctx context.Context, s *Store) error{
			"Get": func(ctx context.Context, s *Store) error {
				results, err := s.Get(ctx, []hbase.Get{{Table: "t", Row: "r"}})
				return errors.Join(err, results[0].Err)
			},
			"CheckAndPut": func(ctx context.Context, s *Store) error {
				put := hbase.Put{Table: "t", Row: "r", Cells: []hbase.Cell{{Family: "f", Qualifier: "q"}}}
				_, err := s.CheckAndPut(ctx, hbase.Check{Family: "f", Qualifier: "q"}, put)
				return err
			},
		} {
			t.Run(call+"s "+test.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					server := test.server
					s := &Store{multiSize: multiSize(), exceptions: newExceptionCounter(), callTimeout: 3 * time.Second}
					region := newRegion("", "", "")
					region.SetClient(&server)
					s.regions.learn(calledAt(region))
					begun := time.Now()
					err := send(t.Context(), s)
					took := time.Since(begun)
					if (err == nil) != test.answered || took > test.took || server.calls > test.calls {
						t.Errorf("%d calls in %v: %v", server.calls, took, err)
					}
					class := test.server.class[strings.LastIndexByte(test.server.class, '.')+1:]
					if err != nil && (!errors.Is(err, hbase.ErrUnavailable) || errors.Is(err, hbase.ErrUnresponsive) ||
						!strings.Contains(err.Error(), "table t, server server:1") || !strings.Contains(err.Error(), class)) {
						t.Errorf("the error is %v", err)
					}
					rejected := min(server.calls, test.server.times)
					if n := counted(t, s.exceptions); n != rejected {
						t.Errorf("%d exceptions are counted, want %d", n, rejected)
					}
					if n := s.breaker.open.Load(); n != 0 {
						t.Errorf("the breaker is open for %d regions", n)
					}
				})
			})
		}
	}
}

func counted(t *testing.T, counter prometheus.Collector) (n int) {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(counter)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			n += int(m.GetCounter().GetValue())
		}
	}
	return n
}
