//go:build linux

package kill

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"twibase/hbase"
	"twibase/hbase/cluster"
	"twibase/hbase/hbasetest/minihbase"
	"twibase/hbase/tables"
)

var stopped = flag.Bool("stopped", false, "stop region servers, and print second by second what a gateway answers")

const (
	// asking is how many ask at the same time, each of them ten times a second.
	asking = 20
	// settles is how long a gateway may take to find out that a server is silent, or that it is back: storePatience of package main, and the seconds in which it does.
	settles = 8 * time.Second
	// notices is how long it may take to find a server that is back: gohbase looks again after half a minute at the latest.
	notices = 40 * time.Second
)

// second is what was answered in a second.
type second struct {
	ok, partial, failed int
	longest             time.Duration
}

// timeline asks a gateway for many users at once, and notes how that goes.
type timeline struct {
	t     *testing.T
	w     *world
	begun time.Time
	mu    sync.Mutex
	now   second
	since []second // all since the last mark
	end   atomic.Bool
	ready atomic.Int64 // the last status of /readyz
	all   sync.WaitGroup
}

// ask asks for users of all regions. Each that is not answered must be null, and have an error at its path; of many the last error tells how many there are.
func (l *timeline) ask(query string, users int) {
	begun := time.Now()
	data, errs, err := l.w.ask(0, "", query, nil)
	took := time.Since(begun)
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &l.now
	s.longest = max(s.longest, took)
	var null, wrong []string
	all := len(errs)
	for i := range users {
		if alias := fmt.Sprint("u", i); dig(data, alias) == nil {
			null = append(null, alias)
		}
	}
	for _, e := range errs {
		if n, many := dig(e, "extensions", "actual").(float64); many {
			all = int(n)
		} else if path := list(dig(e, "path")); len(path) != 1 || !unavailable(e) {
			l.t.Errorf("an error that tells something else: %v", e)
		} else {
			wrong = append(wrong, fmt.Sprint(path[0]))
		}
	}
	switch {
	case err != nil || len(null) == users:
		s.failed++
	case len(null) == 0 && len(errs) == 0:
		s.ok++
	case all == len(null) && !slices.ContainsFunc(wrong, func(alias string) bool { return !slices.Contains(null, alias) }):
		s.partial++
	default:
		l.t.Errorf("null are %v, and %d errors, some at %v", null, all, wrong)
	}
}

// run asks until stop.
func (l *timeline) run(users int) {
	query := "{"
	for i := range users {
		query += fmt.Sprintf("u%d:user(username:\"u%d\"){name}", i, i)
	}
	query += "}"
	l.begun = time.Now()
	for range asking {
		l.all.Go(func() {
			for next := time.Now(); !l.end.Load(); next = next.Add(100 * time.Millisecond) {
				time.Sleep(time.Until(next))
				l.ask(query, users)
			}
		})
	}
	l.all.Go(l.probe)
	l.all.Go(func() {
		for next := l.begun.Add(time.Second); !l.end.Load(); next = next.Add(time.Second) {
			time.Sleep(time.Until(next))
			l.mu.Lock()
			s := l.now
			l.now = second{}
			l.since = append(l.since, s)
			l.mu.Unlock()
			l.t.Logf("%3.0f s: ok %3d, partial %3d, failed %3d, the longest %5d ms, /readyz %d, %s", time.Since(l.begun).Seconds(),
				s.ok, s.partial, s.failed, s.longest.Milliseconds(), l.ready.Load(), l.w.gateways[0].size(l.t))
		}
	})
}

// probe keeps asking whether the gateway is ready.
func (l *timeline) probe() {
	for !l.end.Load() {
		status, _ := get("http://" + l.w.gateways[0].address + "/readyz")
		l.ready.Store(int64(status))
		time.Sleep(200 * time.Millisecond)
	}
}

func (l *timeline) stop() {
	l.end.Store(true)
	l.all.Wait()
}

// mark begins something new.
func (l *timeline) mark(format string, args ...any) {
	l.mu.Lock()
	l.since, l.now = nil, second{}
	l.mu.Unlock()
	l.t.Logf("%3.0f s: "+format, append([]any{time.Since(l.begun).Seconds()}, args...)...)
}

// becomes waits until what is answered in a second is as it must be, and returns how long that took.
func (l *timeline) becomes(what string, patience time.Duration, is func(second) bool) time.Duration {
	l.t.Helper()
	begun := time.Now()
	l.mu.Lock()
	from := len(l.since) + 1 // the next whole second
	l.mu.Unlock()
	for {
		l.mu.Lock()
		there := slices.ContainsFunc(l.since[min(from, len(l.since)):], is)
		l.mu.Unlock()
		if took := time.Since(begun); there {
			return took
		} else if took > patience {
			l.t.Errorf("after %v it is not %s", patience, what)
			return took
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// follows waits until HBase answers for all users to somebody who has just come, and then until the gateway does.
func (l *timeline) follows(url string, users int) {
	l.t.Helper()
	var gets []hbase.Get
	for i := range users {
		gets = append(gets, tables.Users.Get(fmt.Sprint("u", i), "i:name"))
	}
	answers := func() bool {
		ctx, cancel := context.WithTimeout(l.t.Context(), 5*time.Second)
		defer cancel()
		store, err := cluster.Open(ctx, url, zerolog.Nop())
		if err != nil {
			return false
		}
		defer store.Close()
		results, err := store.Get(ctx, gets)
		return err == nil && !slices.ContainsFunc(results, func(r hbase.Result) bool { return r.Err != nil })
	}
	for begun := time.Now(); !answers(); time.Sleep(100 * time.Millisecond) {
		if time.Since(begun) > 4*time.Minute {
			l.t.Fatal("HBase does not come back")
		}
	}
	l.t.Logf("%3.0f s: HBase answers", time.Since(l.begun).Seconds())
	l.becomes("whole", notices, whole)
}

func whole(s second) bool { return s.ok > 0 && s.partial+s.failed == 0 }

// quick is a second in which the users of other servers were answered for, and nobody waited.
func quick(s second) bool { return s.partial > asking && s.longest < time.Second }

func failing(s second) bool {
	return s.failed > asking && s.ok+s.partial == 0 && s.longest < time.Second
}

// A region server that is stopped costs others nothing, and when it is back all is as it was.
func TestStoppedRegionServers(t *testing.T) {
	if !*stopped {
		t.Skip("it takes two minutes: make stopped")
	}
	h, err := minihbase.StartDistributed(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Kill)
	t.Logf("-seed %d", *seed)
	const users = 16 // of which each may fail without too many errors
	w := newWorld(t, h.URL(), 1, users, *seed)
	w.start(t)
	l := &timeline{t: t, w: w}
	l.run(users)
	defer l.stop()
	l.becomes("whole", 10*time.Second, whole)
	before := w.gateways[0].goroutines(t)

	for i := range h.Servers() { // one of them has the catalogue
		l.mark("region server %d is stopped", i)
		h.StopServer(i)
		time.Sleep(3500 * time.Millisecond) // two seconds later ZooKeeper may have given it up
		l.mark("it goes on")
		h.ContinueServer(i)
		l.follows(h.URL(), users)
		time.Sleep(2 * time.Second)
	}
	i := int(*seed % uint64(h.Servers()))
	l.mark("region server %d is stopped, for longer than ZooKeeper waits for it", i)
	h.StopServer(i)
	l.becomes("partial", settles, quick)
	l.follows(h.URL(), users)
	l.mark("its regions have moved; it goes on, and ends")
	h.ContinueServer(i)
	if err := h.StartServer(i); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * time.Second)

	l.mark("all region servers are killed")
	for i := range h.Servers() {
		h.KillServer(i)
	}
	l.becomes("failing", settles, failing)
	time.Sleep(time.Second)
	if status := l.ready.Load(); status != http.StatusServiceUnavailable {
		t.Errorf("while no server answers /readyz has the status %d", status)
	}
	l.mark("new ones are started")
	for i := range h.Servers() {
		if err := h.StartServer(i); err != nil {
			t.Fatal(err)
		}
	}
	l.follows(h.URL(), users)
	time.Sleep(time.Second)
	if status := l.ready.Load(); status != http.StatusOK {
		t.Errorf("when all servers answer /readyz has the status %d", status)
	}
	l.stop()
	time.Sleep(2 * time.Second)
	if after := w.gateways[0].goroutines(t); after > before {
		t.Errorf("the gateway had %d goroutines under load, and has %d when that is over", before, after)
	}
	w.proven(t)
}

func (g *gateway) goroutines(t *testing.T) int { return int(g.metric(t, "go_goroutines")) }

// size is how large the gateway is.
func (g *gateway) size(t *testing.T) string {
	return fmt.Sprintf("%d goroutines, %d MB", g.goroutines(t), int(g.metric(t, "process_resident_memory_bytes"))>>20)
}

// metric returns one of its metrics.
func (g *gateway) metric(t *testing.T, name string) float64 {
	response, err := connections.Get("http://" + g.address + "/metrics")
	if err != nil {
		t.Error(err)
		return 0
	}
	defer response.Body.Close()
	value, found := 0.0, false
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if text, is := strings.CutPrefix(lines.Text(), name+" "); is {
			value, err = strconv.ParseFloat(text, 64)
			found = err == nil
		}
	}
	if !found {
		t.Errorf("/metrics lacks %s", name)
	}
	return value
}
