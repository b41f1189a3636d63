package writers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// history determines the calls of clients at several gateways, the order of the store's responses,
// and faults.
type history struct {
	seed uint64
	// calls of each client
	nouns          []modelNoun
	clients, calls int
	without        []callAt
	order          uint64
	faultRate      float64
	extraFaults    []plannedFault
	// The fault happens after nth calls at planned or, if held is true, to the held call.
	planned point
	fault   fault
	nth     int
	held    bool
	bound   int
	// If calm is true, time passes only when no store call waits, so no time limit is exceeded.
	calm bool
	pace time.Duration
}

type historyResult struct {
	calls      []callResult
	violations []string
	scheduler  *scheduler
	searched   int
	err        error
}

const (
	gateways = 3
	sweeps   = 6
)

func (h history) run(t *testing.T) (r historyResult) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { r = h.execute(t) })
	return r
}

func (h history) execute(t *testing.T) (r historyResult) {
	random := rand.New(rand.NewPCG(h.seed, 1))
	store := openStore(t)
	defer store.Close()
	begin := facts{}
	for _, noun := range modelled {
		if noun.begin != nil {
			mustMutate(t, store, noun.begin(store, begin)...)
		}
	}
	scheduler := newScheduler(store, h.random())
	defer scheduler.drain()
	scheduler.pace = h.pace
	scheduler.faultRate, scheduler.extraFaults = h.faultRate, slices.Clone(h.extraFaults)
	scheduler.planned, scheduler.plannedFault, scheduler.plannedSkips = h.planned, h.fault, h.nth
	r.scheduler = scheduler
	ws := make([]*Writers, gateways)
	for i := range ws {
		ws[i] = h.gateway(gateway{scheduler, i})
	}
	var step atomic.Int32
	results := make([][]callResult, h.clients)
	var left atomic.Int32
	left.Store(int32(h.clients))
	for i := range h.clients {
		var calls []call
		for range h.calls {
			calls = append(calls, h.nouns[random.IntN(len(h.nouns))].call(random))
		}
		g := i % gateways
		go func() {
			for _, c := range h.remaining(i, calls) {
				m := callResult{call: c, began: int(step.Load()), end: -1, linearized: new(linearization)}
				m.outcome = outcome(c.do(context.WithValue(t.Context(), linearizationKey{}, m.linearized), ws[g]))
				m.end = int(step.Load())
				results[i] = append(results[i], m)
			}
			left.Add(-1)
		}()
		// The clients of a gateway must use its random source in order.
		synctest.Wait()
	}
	for synctest.Wait(); left.Load() > 0; synctest.Wait() {
		step.Add(1)
		switch {
		case step.Load() > 20_000:
			r.err = errors.New("the history does not end")
			return r
		case !h.calm && random.IntN(200) == 0:
			time.Sleep([]time.Duration{staleAge, staleAge, staleAge, grace}[random.IntN(4)] + time.Second)
			w := ws[random.IntN(gateways)]
			go func() { _ = w.Sweep(t.Context()) }()
		case !scheduler.next():
			time.Sleep(100 * time.Millisecond)
		}
	}
	for _, list := range results {
		r.calls = append(r.calls, list...)
	}
	r.err = h.restart(t, scheduler, ws)
	if r.err != nil {
		return r
	}
	end := facts{}
	for _, noun := range modelled {
		if err := noun.observe(t.Context(), store, end); err != nil {
			r.violations = append(r.violations, fmt.Sprint(noun.name, ": ", err))
		}
	}
	more, err := checkStore(t.Context(), store)
	if err != nil {
		r.err = err
	}
	if r.violations = append(r.violations, more...); len(r.violations) == 0 {
		ok, searched := linearizable(r.calls, begin, end)
		if r.searched = searched; !ok {
			r.violations = append(r.violations,
				fmt.Sprintf("not linearizable (%d states searched): the store has %s", searched, end))
		}
	}
	return r
}

func (h history) gateway(g gateway) *Writers {
	// Concurrent goroutines would use the random source in an undefined order.
	w := New(g, Options{Seed: rand.NewPCG(h.seed, uint64(g.id)+10), ListBound: h.bound, parallel: 1})
	w.now = h.clock(g.id)
	w.observe = recordPoints
	return w
}

const maxClockError = (grace - requestTime) / 2

func (h history) clock(gateway int) func() time.Time {
	random, begun := rand.New(rand.NewPCG(h.seed, uint64(gateway)+50)), time.Now()
	ahead := func() time.Duration { return time.Duration(random.Int64N(int64(2*maxClockError))) - maxClockError }
	first, then := ahead(), ahead()
	if random.IntN(2) == 0 { // the others drift during the first minute
		then = first
	}
	return func() time.Time {
		now := time.Now()
		return now.Add(first + time.Duration(min(1, now.Sub(begun).Minutes())*float64(then-first)))
	}
}

func (h history) restart(t *testing.T, scheduler *scheduler, ws []*Writers) error {
	var closed atomic.Int32
	for _, w := range ws {
		go func() {
			w.Close(t.Context())
			closed.Add(1)
		}()
	}
	if !scheduler.finish(func() bool { return int(closed.Load()) == len(ws) }) {
		return errors.New("the gateways do not close")
	}
	// A fault in a sweep may leave work to the next sweep.
	var err error
	for i := range sweeps {
		if n, err := countIntents(t.Context(), scheduler.under); n == 0 || err != nil {
			return err
		}
		w := h.gateway(gateway{scheduler, gateways + i})
		time.Sleep(grace + leaseTime)
		done := false
		go func() {
			err = w.Sweep(t.Context())
			w.Close(t.Context())
			done = true
		}()
		if !scheduler.finish(func() bool { return done }) {
			return errors.New("the sweep does not end")
		}
	}
	if err != nil {
		return fmt.Errorf("the last sweep: %w", err)
	}
	return nil
}

func countIntents(ctx context.Context, store hbase.Store) (n int, err error) {
	for _, err := range store.Scan(ctx, hbase.Scan{Table: tables.Intents.Table, Columns: tables.Attributes}) {
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

func (r historyResult) failed() bool { return r.err != nil || len(r.violations) > 0 }

func (r historyResult) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "error %v\n", r.err)
	for _, violation := range r.violations {
		fmt.Fprintln(&b, "violation:", violation)
	}
	for _, m := range r.calls {
		fmt.Fprintln(&b, m)
	}
	for i, line := range r.scheduler.log {
		fmt.Fprintf(&b, "%4d %s\n", i, line)
	}
	return b.String()
}
