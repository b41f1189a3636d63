package cluster_test

import (
	"context"
	"errors"
	"net"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/hbasetest/minihbase"
)

type freezing struct {
	mu    sync.Mutex
	thawn map[string]chan struct{} // closed when the address is thawn
}

func (f *freezing) freeze(address string) (thaw func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	thawn := make(chan struct{})
	f.thawn = map[string]chan struct{}{address: thawn}
	return sync.OnceFunc(func() { close(thawn) })
}

func (f *freezing) wait(address string) {
	f.mu.Lock()
	thawn := f.thawn[address]
	f.mu.Unlock()
	if thawn != nil {
		<-thawn
	}
}

func (f *freezing) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	return frozenConn{conn, f, address}, err
}

type frozenConn struct {
	net.Conn
	freezing *freezing
	address  string
}

func (c frozenConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.freezing.wait(c.address)
	return n, err
}

func TestBreakerFailsCallsToAnUnresponsiveServer(t *testing.T) {
	minihbase.Slow(t)
	conns := new(freezing)
	const callTimeout = 500 * time.Millisecond
	open := func(options ...cluster.Option) *cluster.Store {
		store, err := cluster.OpenThrough(t.Context(), minihbase.ForTest(t), conns.dial, options...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		return store
	}
	store, patient := open(cluster.WithCallTimeout(callTimeout)), open()
	log := new(logBuffer)
	store.LogTo(zerolog.New(log))
	var splits, rows []string
	var gets []hbase.Get
	for i := range 10 {
		rows = append(rows, "row"+strconv.Itoa(i))
		splits = append(splits, rows[i])
	}
	table := newTable(t, store, splits...)
	for _, row := range rows {
		gets = append(gets, hbase.Get{Table: table, Row: row})
	}
	fill(t, patient, table, rows)
	get := func(t *testing.T) (answered int, took time.Duration) {
		t.Helper()
		begun := time.Now()
		results, err := store.Get(t.Context(), gets)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if r.Err == nil {
				answered++
				continue
			}
			if !errors.Is(r.Err, hbase.ErrUnresponsive) || !errors.Is(r.Err, hbase.ErrUnavailable) ||
				errors.Is(r.Err, context.DeadlineExceeded) {
				t.Error(r.Err)
			}
		}
		return answered, time.Since(begun)
	}
	servers := map[string]bool{}
	for _, row := range rows {
		servers[store.ServerOf(table, row)] = true
	}
	if len(servers) < 2 {
		t.Fatalf("the regions are on %d servers", len(servers))
	}
	if _, err := patient.Get(t.Context(), gets); err != nil { // finds the regions
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	address := store.ServerOf(table, rows[0])
	thaw := conns.freeze(address)
	defer thaw()

	first, took := get(t)
	t.Run("the first call takes the timeout, and gets the rows of other servers", func(t *testing.T) {
		unresponsive := 0
		for _, row := range rows {
			if store.ServerOf(table, row) == address {
				unresponsive++
			}
		}
		if first != len(rows)-unresponsive || took < callTimeout || took > 4*callTimeout {
			t.Errorf("got %d of %d rows in %v, want %d", first, len(rows), took, len(rows)-unresponsive)
		}
	})
	t.Run("later calls fail immediately", func(t *testing.T) {
		for range 3 {
			if n, took := get(t); n != first || took > callTimeout/2 {
				t.Errorf("got %d rows in %v, want %d", n, took, first)
			}
		}
	})
	t.Run("the server is logged and counted", func(t *testing.T) {
		n := metric(t, store, "twibase_store_servers_unresponsive", "")
		if line := `"server":"` + address + `"`; n != 1 || strings.Count(log.String(), line) != 1 {
			t.Errorf("the metric is %v, the log has:\n%s", n, log)
		}
	})
	t.Run("writes fail immediately", func(t *testing.T) {
		var puts []hbase.Mutation
		for _, row := range rows {
			puts = append(puts, hbase.Put{Table: table, Row: row, Cells: []hbase.Cell{{Family: "f", Qualifier: "q"}}})
		}
		begun := time.Now()
		errs, err := store.Mutate(t.Context(), puts)
		failed := 0
		for _, err := range errs {
			if errors.Is(err, hbase.ErrUnresponsive) {
				failed++
			}
		}
		if took := time.Since(begun); err != nil || failed != len(rows)-first || took > callTimeout/2 {
			t.Errorf("%d writes failed in %v: %v; want %d", failed, took, err, len(rows)-first)
		}
	})
	t.Run("a store without a call timeout waits until the deadline", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), callTimeout)
		defer cancel()
		results, err := patient.Get(ctx, gets)
		late := 0
		for _, r := range results {
			if errors.Is(r.Err, context.DeadlineExceeded) {
				late++
			}
		}
		if err != nil || late != len(rows)-first {
			t.Errorf("%d rows exceeded the deadline: %v; want %d", late, err, len(rows)-first)
		}
	})
	thaw()
	t.Run("the breaker closes when the server answers, and no goroutine is left", func(t *testing.T) {
		for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			open := metric(t, store, "twibase_store_servers_unresponsive", "")
			again := false
			for line := range strings.Lines(log.String()) {
				again = again || strings.Contains(line, `"server":"`+address+`"`) && strings.Contains(line, "are sent again")
			}
			if n, _ := get(t); n == len(rows) && open == 0 && again && runtime.NumGoroutine() <= before+2 {
				break
			} else if time.Since(begun) > 10*time.Second {
				t.Fatalf("got %d of %d rows; goroutines: %d before, %d now; the log has:\n%s",
					n, len(rows), before, runtime.NumGoroutine(), log)
			}
		}
		if again := "calls to the regions of an unresponsive server are sent again"; strings.Count(log.String(), again) != 1 {
			t.Errorf("the log has:\n%s", log)
		}
	})
}
