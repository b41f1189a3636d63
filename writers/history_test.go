package writers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
)

// history is what a seed makes: what is called from which gateways, in what order the store answers, and what goes wrong.
type history struct {
	seed uint64
	// nouns are those whose calls it has; clients how many callers, and how many calls each makes.
	nouns          []modelNoun
	clients, calls int
	// without are calls that are left out, order is which of the orders in which the store may answer.
	without []callAt
	order   uint64
	faults  float64
	// besides is what goes wrong at certain points.
	besides []planned
	// planned, if its mishap is one, goes wrong at that point the nth time.
	planned point
	mishap  mishap
	nth     int
	held    bool
	// bound is that of lists.
	bound int
	// calm is whether time passes only when nothing is under way, so that nothing takes longer than it may.
	calm bool
	// pace is how long each call of the store takes.
	pace time.Duration
}

// ran is what became of a history.
type ran struct {
	made     []made
	breaches []string
	turns    *turns
	// looked is how many states were looked at for an order of the calls.
	looked int
	err    error
}

// sweeps is how many gateways sweep in the end, one after the other.
const (
	gateways = 3
	sweeps   = 6
)

// run makes a history happen, in time of its own.
func (h history) run(t *testing.T) (r ran) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { r = h.happen(t) })
	return r
}

func (h history) happen(t *testing.T) (r ran) {
	chance := rand.New(rand.NewPCG(h.seed, 1))
	store, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, table := range tables.Definitions(1) {
		if err := store.CreateTable(t.Context(), table); err != nil {
			t.Fatal(err)
		}
	}
	begin := world{}
	for _, noun := range modelled {
		if noun.begin != nil {
			must(t, store, noun.begin(store, begin)...)
		}
	}
	turns := newTurns(store, h.chance())
	defer turns.drain()
	turns.pace = h.pace
	turns.faults, turns.planned, turns.plannedMishap, turns.plannedAfter = h.faults, h.planned, h.mishap, h.nth
	r.turns, turns.besides = turns, slices.Clone(h.besides)
	ws := make([]*Writers, gateways)
	for i := range ws {
		ws[i] = h.gateway(gateway{turns, i})
	}
	var step atomic.Int32
	results := make([][]made, h.clients)
	var left atomic.Int32
	left.Store(int32(h.clients))
	for i := range h.clients {
		var calls []call
		for range h.calls {
			calls = append(calls, h.nouns[chance.IntN(len(h.nouns))].call(chance))
		}
		g := i % gateways
		go func() {
			for _, c := range h.left(i, calls) {
				m := made{call: c, began: int(step.Load()), end: -1, decided: new(moment)}
				m.outcome = outcome(c.do(context.WithValue(t.Context(), momentKey{}, m.decided), ws[g]))
				m.end = int(step.Load())
				results[i] = append(results[i], m)
			}
			left.Add(-1)
		}()
		// Up to its first call of the store, so that those of one gateway take their chances in order.
		synctest.Wait()
	}
	for synctest.Wait(); left.Load() > 0; synctest.Wait() {
		step.Add(1)
		switch {
		case step.Load() > 20_000:
			r.err = fmt.Errorf("it does not end")
			return r
		case !h.calm && chance.IntN(200) == 0:
			// The intents that are there become old, and somebody sweeps them.
			time.Sleep([]time.Duration{oldIntent, oldIntent, oldIntent, grace}[chance.IntN(4)] + time.Second)
			w := ws[chance.IntN(gateways)]
			go func() { _ = w.Sweep(t.Context()) }()
		case !turns.next():
			time.Sleep(100 * time.Millisecond)
		}
	}
	for _, list := range results {
		r.made = append(r.made, list...)
	}
	r.err = h.restart(t, turns, ws)
	if r.err != nil {
		return r
	}
	end := world{}
	for _, noun := range modelled {
		if err := noun.observe(t.Context(), store, end); err != nil {
			r.breaches = append(r.breaches, fmt.Sprint(noun.name, ": ", err))
		}
	}
	more, err := checkStore(t.Context(), store)
	if err != nil {
		r.err = err
	}
	if r.breaches = append(r.breaches, more...); len(r.breaches) == 0 {
		ok, looked := explained(r.made, begin, end)
		if r.looked = looked; !ok {
			r.breaches = append(r.breaches, fmt.Sprintf("no order of the calls explains that there is, as far as %d looks tell: %s", looked, end))
		}
	}
	return r
}

func (h history) gateway(g gateway) *Writers {
	// One after the other: what runs side by side would take its chances in no certain order.
	w := New(g, Options{Seed: rand.NewPCG(h.seed, uint64(g.id)+10), ListBound: h.bound, parallel: 1})
	w.now = h.clock(g.id)
	w.watch = traced
	return w
}

// apart is how far clocks are from the time, at most: no two differ by more than what is left of the grace when the slowest request is over.
const apart = (grace - slowest) / 2

// clock is that of a gateway. Half of them go faster or slower than time for a minute.
func (h history) clock(gateway int) func() time.Time {
	chance, begun := rand.New(rand.NewPCG(h.seed, uint64(gateway)+50)), time.Now()
	ahead := func() time.Duration { return time.Duration(chance.Int64N(int64(2*apart))) - apart }
	first, then := ahead(), ahead()
	if chance.IntN(2) == 0 {
		then = first
	}
	return func() time.Time {
		now := time.Now()
		return now.Add(first + time.Duration(min(1, now.Sub(begun).Minutes())*float64(then-first)))
	}
}

// restart closes the gateways, and lets a new one sweep what they left.
func (h history) restart(t *testing.T, turns *turns, ws []*Writers) error {
	var closed atomic.Int32
	for _, w := range ws {
		go func() {
			w.Close(t.Context())
			closed.Add(1)
		}()
	}
	if !turns.finish(func() bool { return int(closed.Load()) == len(ws) }) {
		return fmt.Errorf("the gateways do not close")
	}
	// What goes wrong at a certain point may do so in a sweep, and one sweep may leave something to do for the next.
	var err error
	for i := range sweeps {
		if n, err := intents(t.Context(), turns.under); n == 0 || err != nil {
			return err
		}
		w := h.gateway(gateway{turns, gateways + i})
		time.Sleep(grace + leased)
		done := false
		go func() {
			err = w.Sweep(t.Context())
			w.Close(t.Context())
			done = true
		}()
		if !turns.finish(func() bool { return done }) {
			return fmt.Errorf("the sweep does not end")
		}
	}
	if err != nil {
		return fmt.Errorf("the last sweep: %w", err)
	}
	return nil
}

// intents counts the writes that are not whole.
func intents(ctx context.Context, store hbase.Store) (n int, err error) {
	for _, err := range store.Scan(ctx, hbase.Scan{Table: tables.Intents.Table, Columns: tables.Attributes}) {
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

func (r ran) wrong() bool { return r.err != nil || len(r.breaches) > 0 }

func (r ran) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "error %v\n", r.err)
	for _, breach := range r.breaches {
		fmt.Fprintln(&b, "BREACH", breach)
	}
	for _, m := range r.made {
		fmt.Fprintln(&b, m)
	}
	for i, line := range r.turns.log {
		fmt.Fprintf(&b, "%4d %s\n", i, line)
	}
	return b.String()
}
