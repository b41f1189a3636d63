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

	"twibase/e2e/shrink"
	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
	"twibase/writers/feeds"
)

// idol is who is followed and posts, reader somebody who always follows, and movers those who come and go, so that the number of followers
// crosses limit in both directions.
const (
	idol   = "a"
	reader = "d"
	limit  = 4
)

var movers = []string{"b", "c", "e", "f"}

// feedHistory is a history of posts and follows in which all gateways do what follows in the background, and some read timelines meanwhile.
type feedHistory struct {
	history
	chunk int
	// reads is how often a timeline is read.
	reads int
}

func newFeedHistory(h history, chunk int) feedHistory {
	h.bound = 1000
	return feedHistory{h, chunk, 20}
}

// Smaller implements [shrink.History].
func (h feedHistory) Smaller() (all []feedHistory) {
	calls := slices.Repeat([]int{h.calls}, h.clients)
	if calls[0] = len(crossings()); h.held {
		calls[0] = 0 // it needs them all
	}
	if h.reads > 0 {
		all = append(all, feedHistory{h.history, h.chunk, h.reads / 2})
	}
	for _, less := range h.less(calls) {
		all = append(all, feedHistory{less, h.chunk, h.reads})
	}
	return all
}

// Next implements [shrink.History].
func (h feedHistory) Next() feedHistory {
	h.order++
	return h
}

// timelineRead is what the reader saw, and when.
type timelineRead struct {
	began, end int
	twits      map[string]bool
}

// requestTime is within which a request ends.
const requestTime = 30 * time.Second

// feedStore is the store as the feeds of a gateway see it: each call is a point.
type feedStore struct{ gateway }

func (s feedStore) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	what := make([]string, len(gets))
	for i, g := range gets {
		what[i] = "get " + g.Table
	}
	ctx, _ = traced(ctx, "feeds", what)
	return s.gateway.Get(ctx, gets)
}

func (s feedStore) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	what := make([]string, len(mutations))
	for i, m := range mutations {
		table, _ := m.At()
		what[i] = fmt.Sprintf("%T %s", m, table)
	}
	ctx, _ = traced(ctx, "feeds", what)
	return s.gateway.Mutate(ctx, mutations)
}

func (s feedStore) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (bool, error) {
	ctx, _ = traced(ctx, "feeds", []string{"check " + put.Table})
	return s.gateway.CheckAndPut(ctx, check, put)
}

func (h feedHistory) run(t *testing.T) (r ran) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { r = h.happen(t) })
	return r
}

// must runs a history, or shows the smallest one that goes wrong.
func (h feedHistory) must(t *testing.T) ran {
	t.Helper()
	r := h.run(t)
	if r.wrong() {
		h, r = shrink.Down(h, r, func(h feedHistory) (ran, bool) {
			r := h.run(t)
			return r, r.wrong()
		})
		t.Fatalf("seed %d, order %d, %d reads, chunk %d, faults %v, %v at %v:\n%s", h.seed, h.order, h.reads, h.chunk, h.faults, h.mishap, h.planned, r)
	}
	return r
}

func (h feedHistory) feeds(g gateway) *feeds.Feeds {
	return feeds.New(feedStore{g}, feeds.Options{Limit: limit, BatchSize: h.chunk, Workers: 1, Now: h.clock(g.id), Seed: rand.NewPCG(h.seed, uint64(g.id)+100)})
}

func (h feedHistory) happen(t *testing.T) (r ran) {
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
	must(t, store, beginPeople(store, world{})...)
	turns := newTurns(store, h.chance())
	defer turns.drain()
	turns.faults, turns.planned, turns.plannedMishap, turns.plannedAfter = h.faults, h.planned, h.mishap, h.nth
	turns.holds = h.held
	r.turns = turns
	ws, fs, sweeping := make([]*Writers, gateways), make([]*feeds.Feeds, gateways), make([]bool, gateways)
	for i := range ws {
		fs[i] = h.feeds(gateway{turns, i})
		ws[i] = h.gateway(gateway{turns, i})
		ws[i].jobs = fs[i].Notify
	}
	var steps, left atomic.Int32
	step := func() int { return int(steps.Load()) }
	left.Store(int32(h.clients + 1))
	results := make([][]made, h.clients)
	for i := range h.clients {
		calls := make([]call, h.calls)
		for j := range calls {
			calls[j] = callFeed(chance)
		}
		switch {
		case i == 0 && h.held:
			calls = departure(turns)
		case i == 0:
			calls = crossings()
		}
		go func() {
			for _, c := range h.left(i, calls) {
				m := made{call: c, began: step(), end: -1}
				m.outcome = outcome(c.do(t.Context(), ws[i%gateways]))
				m.end = step()
				results[i] = append(results[i], m)
			}
			left.Add(-1)
		}()
	}
	var reads []timelineRead
	go func() {
		for range h.reads {
			began, at := step(), time.Now()
			twits, err := visible(t.Context(), gateway{turns, gateways + sweeps}, reader)
			if err == nil && time.Since(at) < requestTime {
				reads = append(reads, timelineRead{began, step(), twits})
			}
		}
		left.Add(-1)
	}()
	for synctest.Wait(); left.Load() > 0; synctest.Wait() {
		steps.Add(1)
		g := chance.IntN(gateways)
		switch chance.IntN(100) {
		case 0:
			time.Sleep([]time.Duration{time.Second, oldIntent + time.Second, 12 * time.Second, 45 * time.Second}[chance.IntN(4)])
			go func() { _ = ws[g].Sweep(t.Context()) }()
		case 1, 2, 3, 4, 5, 6:
			if !sweeping[g] {
				sweeping[g] = true
				go func() {
					_ = fs[g].Sweep(t.Context())
					sweeping[g] = false
				}()
			}
		}
		if step() > 20_000 {
			r.err = fmt.Errorf("it does not end")
			return r
		}
		if !turns.next() {
			time.Sleep(time.Millisecond)
		}
	}
	for _, list := range results {
		r.made = append(r.made, list...)
	}
	if turns.holds && !h.release(t, turns, fs, sweeping) {
		r.err = fmt.Errorf("the others do not end")
		return r
	}
	if r.err = h.restart(t, turns, ws); r.err == nil {
		r.err = h.finish(t, turns)
	}
	if r.err != nil {
		return r
	}
	r.breaches = append(holes(reads, r.made), wrongTimelines(t, store)...)
	return r
}

// release lets a call go that was held, when the other gateways have done what there is.
func (h feedHistory) release(t *testing.T, turns *turns, fs []*feeds.Feeds, sweeping []bool) bool {
	if !turns.finish(func() bool { return true }) {
		return false
	}
	turns.keep()
	var done atomic.Int32
	for g, f := range fs {
		if sweeping[g] {
			done.Add(1)
			continue
		}
		go func() {
			_ = f.Sweep(t.Context())
			done.Add(1)
		}()
	}
	ended := turns.finish(func() bool { return int(done.Load()) == len(fs) })
	turns.release()
	return ended
}

// finish lets new gateways do what is left, until the last job has rested.
func (h feedHistory) finish(t *testing.T, turns *turns) (err error) {
	for i := range sweeps {
		f := h.feeds(gateway{turns, gateways + i})
		done := false
		time.Sleep(time.Minute)
		go func() {
			err = f.Sweep(t.Context())
			done = true
		}()
		if !turns.finish(func() bool { return done }) {
			return fmt.Errorf("the jobs do not end")
		}
	}
	return err
}

// callFeed is a random call of those that timelines follow.
func callFeed(r *rand.Rand) call {
	key, who := fmt.Sprint(r.IntN(6)), movers[r.IntN(len(movers))]
	switch r.IntN(10) {
	case 0:
		return call{"unfollow " + who, func(ctx context.Context, w *Writers) error { return w.Unrelate(ctx, tables.Follows, who, idol) }, nil}
	case 1:
		return call{"follow " + who, func(ctx context.Context, w *Writers) error { return w.Relate(ctx, tables.Follows, who, idol) }, nil}
	case 2, 3:
		return deleteFeed(key)
	}
	return postFeed(key)
}

func postFeed(key string) call {
	return call{"post " + key, func(ctx context.Context, w *Writers) error {
		_, err := w.PostTwit(ctx, idol, NewTwit{Content: key, Visibility: tables.Public, IdempotencyKey: &key})
		return err
	}, nil}
}

func deleteFeed(key string) call {
	return call{"delete " + key, func(ctx context.Context, w *Writers) error {
		cells, err := cellsOf(ctx, w.store, tables.TwitNames.Get(tables.KeyedName(idol, key)))
		if err != nil {
			return err
		}
		place, _, posted, err := tables.TwitNames.Decode(cells)
		if err != nil || !posted {
			return err
		}
		at, name, err := place.Parts()
		if err != nil {
			return err
		}
		return w.DeleteTwit(ctx, &tables.Twit{AuthorName: idol, PostedAt: at, Name: name, Visibility: tables.Public})
	}, nil}
}

// crossings take the author over the limit and back, each time with a twit that makes it be noticed.
func crossings() []call {
	var calls []call
	for i := range 2 {
		calls = append(calls,
			call{"all follow", func(ctx context.Context, w *Writers) error {
				return eachOf(movers, func(who string) error { return w.Relate(ctx, tables.Follows, who, idol) })
			}, nil},
			postFeed(fmt.Sprint("many ", i)),
			call{"all unfollow", func(ctx context.Context, w *Writers) error {
				return eachOf(movers, func(who string) error { return w.Unrelate(ctx, tables.Follows, who, idol) })
			}, nil},
			postFeed(fmt.Sprint("few ", i)))
	}
	return calls
}

// departure deletes a twit that is on its way, and those leave whom it is on its way to, while a call is held.
func departure(turns *turns) []call {
	leavers := movers[:2]
	return []call{
		{"some follow", func(ctx context.Context, w *Writers) error {
			return eachOf(leavers, func(who string) error { return w.Relate(ctx, tables.Follows, who, idol) })
		}, nil},
		{"hold", func(context.Context, *Writers) error { turns.hold(); return nil }, nil},
		postFeed("leaving"),
		{"await", func(context.Context, *Writers) error { turns.awaitHeld(); return nil }, nil},
		deleteFeed("leaving"),
		{"some unfollow", func(ctx context.Context, w *Writers) error {
			return eachOf(leavers, func(who string) error { return w.Unrelate(ctx, tables.Follows, who, idol) })
		}, nil},
	}
}

func eachOf(names []string, do func(string) error) error {
	var errs []error
	for _, name := range names {
		errs = append(errs, do(name))
	}
	return errors.Join(errs...)
}

// Whatever is posted, deleted and followed at the same time, whoever dies: in the end each timeline has what it should, and nobody who follows
// and reads meanwhile ever misses what was there before, though the author becomes a broadcaster and ceases to be one.
func TestAnyHistoryOfFeedsIsWhole(t *testing.T) {
	seed, left := firstSeed(t), map[string]int{}
	for i := range few(450) {
		h := newFeedHistory(history{seed: seed + uint64(i), clients: 2 + i%3, calls: 4 + i%8, faults: float64(i%4) * 0.02}, []int{1, 2, 1000}[i%3])
		r := h.must(t)
		for _, line := range r.turns.log {
			for _, state := range []string{`""`, "pushed", "merged", "leaving"} {
				if _, check, ok := strings.Cut(line, " check broadcasters "); ok && strings.Contains(check, state) {
					left[state]++
				}
			}
		}
	}
	t.Logf("how often the author left the states: %v", left)
	if long && (left["merged"] < 45 || left["leaving"] < 45) {
		t.Error("that is too seldom")
	}
}
