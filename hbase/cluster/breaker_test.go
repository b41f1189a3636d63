package cluster_test

import (
	"context"
	"errors"
	"net"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/hbasetest/minihbase"
)

// freezing makes connections of which those to one address can fall silent: what is sent there stays unanswered, and nothing breaks.
type freezing struct {
	mu    sync.Mutex
	thawn map[string]chan struct{} // is closed when the address is no longer frozen
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

func TestAnUnresponsiveRegionServer(t *testing.T) {
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
	fill(t, store, table, rows)
	// get returns which rows are answered, and how long that took.
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
			} else if !errors.Is(r.Err, hbase.ErrUnresponsive) || !errors.Is(r.Err, hbase.ErrUnavailable) || errors.Is(r.Err, context.DeadlineExceeded) {
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
	if _, err := patient.Get(t.Context(), gets); err != nil { // it knows the regions, too
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	address := store.ServerOf(table, rows[0])
	thaw := conns.freeze(address)
	defer thaw()

	first, took := get(t)
	t.Run("costs a call its timeout once, and the rows of others are answered", func(t *testing.T) {
		unresponsive := 0
		for _, row := range rows {
			if store.ServerOf(table, row) == address {
				unresponsive++
			}
		}
		if first != len(rows)-unresponsive || took < callTimeout || took > 4*callTimeout {
			t.Errorf("%d of %d rows are answered, in %v", first, len(rows), took)
		}
	})
	t.Run("costs nothing after that", func(t *testing.T) {
		for range 3 {
			if n, took := get(t); n != first || took > callTimeout/2 {
				t.Errorf("%d of %d rows are answered, in %v", n, len(rows), took)
			}
		}
	})
	t.Run("is refused to writers at once, too", func(t *testing.T) {
		var puts []hbase.Mutation
		for _, row := range rows {
			puts = append(puts, hbase.Put{Table: table, Row: row, Cells: []hbase.Cell{{Family: "f", Qualifier: "q"}}})
		}
		begun := time.Now()
		errs, err := store.Mutate(t.Context(), puts)
		refused := 0
		for _, err := range errs {
			if errors.Is(err, hbase.ErrUnresponsive) {
				refused++
			}
		}
		if took := time.Since(begun); err != nil || refused != len(rows)-first || took > callTimeout/2 {
			t.Errorf("%d are refused in %v: %v", refused, took, err)
		}
	})
	t.Run("is waited for by a store without a call timeout", func(t *testing.T) {
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
			t.Errorf("%d rows are late: %v", late, err)
		}
	})
	thaw()
	t.Run("answers when it is back, and leaves nothing behind", func(t *testing.T) {
		for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			if n, _ := get(t); n == len(rows) && runtime.NumGoroutine() <= before+2 {
				break
			} else if time.Since(begun) > 10*time.Second {
				t.Fatalf("%d of %d rows are answered, and %d goroutines have become %d", n, len(rows), before, runtime.NumGoroutine())
			}
		}
	})
}
