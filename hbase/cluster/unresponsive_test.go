package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"github.com/tsuna/gohbase/hrpc"

	"twibase/hbase"
)

type silentServer struct {
	hrpc.RegionClient
	silent atomic.Bool
	thawn  chan struct{}
}

func (*silentServer) Addr() string { return "server:1" }

func (s *silentServer) QueueRPC(call hrpc.Call) {
	if s.silent.Load() {
		<-s.thawn
	}
	new(busyServer).QueueRPC(call)
}

func TestUnresponsiveServerIsReportedOnce(t *testing.T) {
	put := func(s *Store, row string) error {
		put := hbase.Put{Table: "t", Row: row, Cells: []hbase.Cell{{Family: "f", Qualifier: "q"}}}
		_, err := s.CheckAndPut(context.Background(), hbase.Check{Family: "f", Qualifier: "q"}, put)
		return err
	}
	for _, test := range []struct {
		name    string
		regions []hrpc.RegionInfo
		fail    func(s *Store, server *silentServer)
	}{
		{"a server with one known region", []hrpc.RegionInfo{newRegion("", "", "")}, func(s *Store, server *silentServer) {
			put(s, "a")
		}},
		{"a server that answered when the calls to its regions timed out",
			[]hrpc.RegionInfo{newRegion("", "m", ""), newRegion("m", "", "")},
			func(s *Store, server *silentServer) {
				go put(s, "a")
				go put(s, "z")
				time.Sleep(time.Second) // fake time
				server.silent.Store(false)
				put(s, "a")
				server.silent.Store(true)
				time.Sleep(time.Second)
				go put(s, "z")
				put(s, "a")
			}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				s := &Store{multiSize: multiSize(), exceptions: newExceptionCounter(),
					callTimeout: 3 * time.Second, log: zerolog.New(zerolog.SyncWriter(&log))}
				server := &silentServer{thawn: make(chan struct{})}
				server.silent.Store(true)
				for _, region := range test.regions {
					region.SetClient(server)
					s.regions.learn(calledAt(region))
				}
				check := func(unresponsive int, lines ...string) {
					t.Helper()
					synctest.Wait()
					if n := gauge(t, s, "twibase_store_servers_unresponsive"); n != unresponsive {
						t.Errorf("got %d unresponsive servers, want %d", n, unresponsive)
					}
					if diff := cmp.Diff(lines, linesOf(t, log.Bytes())); diff != "" {
						t.Errorf("the log (-want +got):\n%s", diff)
					}
				}
				test.fail(s, server)
				failed := "server:1: a region server does not answer: calls to its regions fail immediately until it does"
				check(1, failed)
				if err := put(s, "a"); !errors.Is(err, hbase.ErrUnresponsive) {
					t.Errorf("got %v, want ErrUnresponsive", err)
				}
				close(server.thawn)
				check(0, failed, "server:1: calls to the regions of an unresponsive server are sent again")
				if err := put(s, "a"); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestServerIsMarkedUntilTheBreakerIsClosedForAllItsRegions(t *testing.T) {
	var b breaker
	server := &silentServer{}
	first, others := newRegion("", "m", ""), newRegion("m", "", "")
	b.add(server, first)
	b.add(server, others)
	if !b.mark(server.Addr()) {
		t.Fatal("the server is not marked")
	}
	for _, test := range []struct {
		region hrpc.RegionInfo
		marked int
	}{{first, 1}, {others, 0}} {
		if _, removed := b.remove(server, []hrpc.RegionInfo{test.region}); removed != (test.marked == 0) {
			t.Errorf("the mark was removed: %t", removed)
		}
		if n := b.countUnresponsive(); n != test.marked {
			t.Errorf("%d servers are marked, want %d", n, test.marked)
		}
	}
}

func linesOf(t *testing.T, log []byte) (lines []string) {
	t.Helper()
	for decoder := json.NewDecoder(bytes.NewReader(log)); decoder.More(); {
		var line struct{ Server, Message string }
		if err := decoder.Decode(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line.Server+": "+line.Message)
	}
	return lines
}

func gauge(t *testing.T, s *Store, name string) int {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(s.Metrics()...)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == name {
			return int(family.GetMetric()[0].GetGauge().GetValue())
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}
