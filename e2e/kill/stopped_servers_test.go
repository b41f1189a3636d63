//go:build linux

package kill

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"twibase/e2e/loadtest"
	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/hbasetest/minihbase"
	"twibase/hbase/tables"
)

var stopped = flag.Bool("stopped", false, "stop region servers, and print the responses of a gateway per second")

const (
	// Each client sends ten requests per second.
	concurrency = 20
	// stopTime exceeds the store's call timeout. The ZooKeeper session of 6 seconds survives it,
	// although the last ping may be 2 seconds old, and the server may reconnect a second later.
	stopTime = 3200 * time.Millisecond
	// detectionTime is the store's call timeout plus some seconds for the circuit breaker.
	detectionTime = 8 * time.Second
	// reconnectTime is the time until a continued server serves all its regions again.
	reconnectTime = 40 * time.Second
)

func TestGatewayRecoversFromStoppedRegionServers(t *testing.T) {
	if !*stopped {
		t.Skip("it takes two minutes: make stopped")
	}
	h, err := minihbase.StartDistributed(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Kill)
	t.Logf("-seed %d", *seed)
	const users = 16
	f := newFixture(t, h.URL(), 1, users, *seed)
	g := f.gateways[0]
	g.metrics = freeAddress(t)
	g.args = append(g.args, "--metrics-listen", g.metrics)
	f.start(t)
	m := &monitor{t: t, f: f}
	m.start(users)
	defer m.stop()
	m.await("healthy", 10*time.Second, healthy)
	before := goroutines(t, g)

	for i := range h.Servers() { // one of them has hbase:meta
		m.event("region server %d is stopped", i)
		h.StopServer(i)
		time.Sleep(stopTime)
		m.event("it continues")
		h.ContinueServer(i)
		m.awaitRecovery(h.URL(), users)
		time.Sleep(2 * time.Second)
	}
	i := serverOf(t, h, fmt.Sprint("u", *seed%users))
	m.event("region server %d is stopped until its ZooKeeper session expires", i)
	h.StopServer(i)
	m.await("degraded", detectionTime, degraded)
	m.awaitRecovery(h.URL(), users)
	m.event("its regions have moved; it continues, and exits")
	h.ContinueServer(i)
	if err := h.StartServer(i); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * time.Second)

	m.event("all region servers are killed")
	for i := range h.Servers() {
		h.KillServer(i)
	}
	m.await("failing", detectionTime, failing)
	time.Sleep(time.Second)
	if status := m.ready.Load(); status != http.StatusServiceUnavailable {
		t.Errorf("/readyz without region servers: status %d, want 503", status)
	}
	m.event("new ones are started")
	for i := range h.Servers() {
		if err := h.StartServer(i); err != nil {
			t.Fatal(err)
		}
	}
	m.awaitRecovery(h.URL(), users)
	time.Sleep(time.Second)
	if status := m.ready.Load(); status != http.StatusOK {
		t.Errorf("/readyz with all region servers: status %d, want 200", status)
	}
	m.stop()
	more := ""
	for begun := time.Now(); time.Since(begun) < reconnectTime; time.Sleep(time.Second) {
		httpClient.CloseIdleConnections()
		if more = goroutines(t, g).More(before); more == "" {
			break
		}
	}
	if more != "" {
		t.Errorf("additional goroutines %v after the load:\n%s", reconnectTime, more)
	}
	f.verify(t)
}

// Stopping a server without users would have no effect.
func serverOf(t *testing.T, h *minihbase.Distributed, user string) int {
	t.Helper()
	store, err := cluster.Open(t.Context(), h.URL(), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	stats := &hbase.Stats{Servers: new(hbase.Servers)}
	if _, err := hbase.GetOne(hbase.WithStats(t.Context(), stats), store, tables.Users.Get(user, "i:name")); err != nil {
		t.Fatal(err)
	}
	for i := range h.Servers() {
		for _, calls := range stats.Servers.All() {
			if strings.HasSuffix(calls.Server, fmt.Sprint(":", h.Port(i))) {
				return i
			}
		}
	}
	t.Fatalf("no server has %s: %v", user, stats.Servers.All())
	return 0
}

type second struct {
	ok, partial, failed int
	longest             time.Duration
}

func healthy(s second) bool { return s.ok > 0 && s.partial+s.failed == 0 }

func degraded(s second) bool { return s.partial > concurrency && s.longest < time.Second }

func failing(s second) bool {
	return s.failed > concurrency && s.ok+s.partial == 0 && s.longest < time.Second
}

type monitor struct {
	t       *testing.T
	f       *fixture
	started time.Time
	mu      sync.Mutex
	current second
	seconds []second
	stopped atomic.Bool
	ready   atomic.Int64
	running sync.WaitGroup
}

func (m *monitor) start(users int) {
	query := "{"
	for i := range users {
		query += fmt.Sprintf("u%d:user(username:\"u%d\"){name}", i, i)
	}
	query += "}"
	m.started = time.Now()
	for range concurrency {
		m.running.Go(func() {
			for next := time.Now(); !m.stopped.Load(); next = next.Add(100 * time.Millisecond) {
				time.Sleep(time.Until(next))
				m.query(query, users)
			}
		})
	}
	m.running.Go(m.probe)
	m.running.Go(func() {
		for next := m.started.Add(time.Second); !m.stopped.Load(); next = next.Add(time.Second) {
			time.Sleep(time.Until(next))
			m.mu.Lock()
			s := m.current
			m.current = second{}
			m.seconds = append(m.seconds, s)
			m.mu.Unlock()
			g := m.f.gateways[0]
			m.t.Logf("%3.0f s: ok %3d, partial %3d, failed %3d, longest %5d ms, /readyz %d, %d goroutines, %d MB",
				time.Since(m.started).Seconds(), s.ok, s.partial, s.failed, s.longest.Milliseconds(), m.ready.Load(),
				int(g.metric(m.t, "go_goroutines")), int(g.metric(m.t, "process_resident_memory_bytes"))>>20)
		}
	})
}

func (m *monitor) stop() {
	m.stopped.Store(true)
	m.running.Wait()
}

// Each unreadable user must be null and have an error. If there are too many errors, the last one
// has their number.
func (m *monitor) query(query string, users int) {
	begun := time.Now()
	data, errs, err := m.f.query(0, "", query, nil)
	took := time.Since(begun)
	m.mu.Lock()
	defer m.mu.Unlock()
	s := &m.current
	s.longest = max(s.longest, took)
	var null, paths []string
	count := len(errs)
	for i := range users {
		if alias := fmt.Sprint("u", i); dig(data, alias) == nil {
			null = append(null, alias)
		}
	}
	for _, e := range errs {
		if n, many := dig(e, "extensions", "actual").(float64); many {
			count = int(n)
		} else if path := list(dig(e, "path")); len(path) != 1 || !isUnavailable(e) {
			m.t.Errorf("unexpected error: %v", e)
		} else {
			paths = append(paths, fmt.Sprint(path[0]))
		}
	}
	notNull := func(alias string) bool { return !slices.Contains(null, alias) }
	switch {
	case err != nil || len(null) == users:
		s.failed++
	case len(null) == 0 && len(errs) == 0:
		s.ok++
	case count == len(null) && !slices.ContainsFunc(paths, notNull):
		s.partial++
	default:
		m.t.Errorf("null fields: %v; %d errors, at %v", null, count, paths)
	}
}

func (m *monitor) probe() {
	for !m.stopped.Load() {
		status, _ := get("http://" + m.f.gateways[0].address + "/readyz")
		m.ready.Store(int64(status))
		time.Sleep(200 * time.Millisecond)
	}
}

func (m *monitor) event(format string, args ...any) {
	m.mu.Lock()
	m.seconds, m.current = nil, second{}
	m.mu.Unlock()
	m.t.Logf("%3.0f s: "+format, append([]any{time.Since(m.started).Seconds()}, args...)...)
}

func (m *monitor) await(name string, timeout time.Duration, condition func(second) bool) {
	m.t.Helper()
	begun := time.Now()
	m.mu.Lock()
	from := len(m.seconds) + 1
	m.mu.Unlock()
	for {
		m.mu.Lock()
		found := slices.ContainsFunc(m.seconds[min(from, len(m.seconds)):], condition)
		m.mu.Unlock()
		if found {
			return
		}
		if time.Since(begun) > timeout {
			m.t.Errorf("the gateway is not %s after %v", name, timeout)
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (m *monitor) awaitRecovery(url string, users int) {
	m.t.Helper()
	var gets []hbase.Get
	for i := range users {
		gets = append(gets, tables.Users.Get(fmt.Sprint("u", i), "i:name"))
	}
	serves := func() bool {
		ctx, cancel := context.WithTimeout(m.t.Context(), 5*time.Second)
		defer cancel()
		store, err := cluster.Open(ctx, url, zerolog.Nop())
		if err != nil {
			return false
		}
		defer store.Close()
		results, err := store.Get(ctx, gets)
		return err == nil && !slices.ContainsFunc(results, func(r hbase.Result) bool { return r.Err != nil })
	}
	for begun := time.Now(); !serves(); time.Sleep(100 * time.Millisecond) {
		if time.Since(begun) > 4*time.Minute {
			m.t.Fatal("HBase has not recovered after 4 minutes")
		}
	}
	m.t.Logf("%3.0f s: HBase serves all users", time.Since(m.started).Seconds())
	m.await("healthy", reconnectTime, healthy)
}

func goroutines(t *testing.T, g *gateway) loadtest.Goroutines {
	t.Helper()
	all, err := (&loadtest.Gateway{MetricsURL: "http://" + g.metrics}).Goroutines()
	if err != nil {
		t.Fatal(err)
	}
	return all
}
