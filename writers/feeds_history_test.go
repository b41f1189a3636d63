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
	"twibase/hbase/tables"
	"twibase/writers/feeds"
)

// feedReader always follows feedAuthor. otherFollowers cross feedLimit in both directions.
const (
	feedAuthor = "a"
	feedReader = "d"
	feedLimit  = 4
)

var otherFollowers = []string{"b", "c", "e", "f"}

type feedHistory struct {
	history
	batchSize int
	reads     int
}

func newFeedHistory(h history, batchSize int) feedHistory {
	h.bound = 1000
	return feedHistory{h, batchSize, 20}
}

func (h feedHistory) Smaller() (all []feedHistory) {
	calls := slices.Repeat([]int{h.calls}, h.clients)
	if calls[0] = len(crossings()); h.held {
		calls[0] = 0 // leaveDuringFanout needs all its calls
	}
	if h.reads > 0 {
		all = append(all, feedHistory{h.history, h.batchSize, h.reads / 2})
	}
	for _, smaller := range h.smaller(calls) {
		all = append(all, feedHistory{smaller, h.batchSize, h.reads})
	}
	return all
}

func (h feedHistory) Next() feedHistory {
	h.order++
	return h
}

type timelineRead struct {
	began, end int // steps of the scheduler
	twits      map[string]bool
}

type feedStore struct{ gateway }

func (s feedStore) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	purpose := make([]string, len(gets))
	for i, g := range gets {
		purpose[i] = "get " + g.Table
	}
	ctx, _ = recordPoints(ctx, client{caller: "feeds"}, purpose)
	return s.gateway.Get(ctx, gets)
}

func (s feedStore) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	purpose := make([]string, len(mutations))
	for i, m := range mutations {
		table, _ := m.At()
		purpose[i] = fmt.Sprintf("%T %s", m, table)
	}
	ctx, _ = recordPoints(ctx, client{caller: "feeds"}, purpose)
	return s.gateway.Mutate(ctx, mutations)
}

func (s feedStore) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (bool, error) {
	ctx, _ = recordPoints(ctx, client{caller: "feeds"}, []string{"check " + put.Table})
	return s.gateway.CheckAndPut(ctx, check, put)
}

func (h feedHistory) run(t *testing.T) (r historyResult) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { r = h.execute(t) })
	return r
}

func (h feedHistory) mustPass(t *testing.T) historyResult {
	t.Helper()
	r := h.run(t)
	if r.failed() {
		h, r = shrink.Down(h, r, func(h feedHistory) (historyResult, bool) {
			r := h.run(t)
			return r, r.failed()
		})
		t.Fatalf("seed %d, order %d, %d reads, batch size %d, fault rate %v, %v at %v:\n%s",
			h.seed, h.order, h.reads, h.batchSize, h.faultRate, h.fault, h.planned, r)
	}
	return r
}

func (h feedHistory) feeds(g gateway) *feeds.Feeds {
	return feeds.New(feedStore{g}, feeds.Options{Limit: feedLimit, BatchSize: h.batchSize, Workers: 1,
		Now: h.clock(g.id), Seed: rand.NewPCG(h.seed, uint64(g.id)+100)})
}

func (h feedHistory) execute(t *testing.T) (r historyResult) {
	random := rand.New(rand.NewPCG(h.seed, 1))
	store := openStore(t)
	defer store.Close()
	mustMutate(t, store, beginFollows(store, facts{})...)
	scheduler := newScheduler(store, h.random())
	defer scheduler.drain()
	scheduler.faultRate, scheduler.holds = h.faultRate, h.held
	scheduler.planned, scheduler.plannedFault, scheduler.plannedSkips = h.planned, h.fault, h.nth
	r.scheduler = scheduler
	ws, fs, sweeping := make([]*Writers, gateways), make([]*feeds.Feeds, gateways), make([]bool, gateways)
	for i := range ws {
		fs[i] = h.feeds(gateway{scheduler, i})
		ws[i] = h.gateway(gateway{scheduler, i})
		ws[i].jobs = fs[i].Notify
	}
	var steps, left atomic.Int32
	step := func() int { return int(steps.Load()) }
	left.Store(int32(h.clients + 1))
	results := make([][]callResult, h.clients)
	for i := range h.clients {
		calls := make([]call, h.calls)
		for j := range calls {
			calls[j] = callFeed(random)
		}
		switch {
		case i == 0 && h.held:
			calls = leaveDuringFanout(scheduler)
		case i == 0:
			calls = crossings()
		}
		go func() {
			for _, c := range h.remaining(i, calls) {
				m := callResult{call: c, began: step(), end: -1}
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
			twits, err := visibleTwits(t.Context(), gateway{scheduler, gateways + sweeps}, feedReader)
			if err == nil && time.Since(at) < requestTime {
				reads = append(reads, timelineRead{began, step(), twits})
			}
		}
		left.Add(-1)
	}()
	for synctest.Wait(); left.Load() > 0; synctest.Wait() {
		steps.Add(1)
		g := random.IntN(gateways)
		switch random.IntN(100) {
		case 0:
			waits := []time.Duration{time.Second, staleAge + time.Second, 12 * time.Second, 45 * time.Second}
			time.Sleep(waits[random.IntN(4)])
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
			r.err = errors.New("the history does not end")
			return r
		}
		if !scheduler.next() {
			time.Sleep(time.Millisecond)
		}
	}
	for _, list := range results {
		r.calls = append(r.calls, list...)
	}
	if scheduler.holds && !h.release(t, scheduler, fs, sweeping) {
		r.err = errors.New("the other gateways' jobs do not end")
		return r
	}
	if r.err = h.restart(t, scheduler, ws); r.err == nil {
		r.err = h.finish(t, scheduler)
	}
	if r.err != nil {
		return r
	}
	r.violations = append(vanishedTwits(reads, r.calls), timelineViolations(t, store)...)
	return r
}

func (h feedHistory) release(t *testing.T, scheduler *scheduler, fs []*feeds.Feeds, sweeping []bool) bool {
	if !scheduler.finish(func() bool { return true }) {
		return false
	}
	scheduler.keep()
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
	ended := scheduler.finish(func() bool { return int(done.Load()) == len(fs) })
	scheduler.release()
	return ended
}

func (h feedHistory) finish(t *testing.T, scheduler *scheduler) (err error) {
	for i := range sweeps {
		f := h.feeds(gateway{scheduler, gateways + i})
		done := false
		time.Sleep(time.Minute)
		go func() {
			err = f.Sweep(t.Context())
			done = true
		}()
		if !scheduler.finish(func() bool { return done }) {
			return errors.New("the jobs do not end")
		}
	}
	return err
}

func callFeed(r *rand.Rand) call {
	key, follower := fmt.Sprint(r.IntN(6)), otherFollowers[r.IntN(len(otherFollowers))]
	switch r.IntN(10) {
	case 0:
		return unfollowFeed(follower)
	case 1:
		return followFeed(follower)
	case 2, 3:
		return deleteFeed(key)
	}
	return postFeed(key)
}

func postFeed(key string) call {
	return call{"post " + key, func(ctx context.Context, w *Writers) error {
		_, err := w.PostTwit(ctx, feedAuthor, NewTwit{Content: key, Visibility: tables.Public, IdempotencyKey: &key})
		return err
	}, nil}
}

func deleteFeed(key string) call {
	return call{"delete " + key, func(ctx context.Context, w *Writers) error {
		cells, err := cellsOf(ctx, w.store, tables.TwitNames.Get(tables.KeyedName(feedAuthor, key)))
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
		return w.DeleteTwit(ctx, &tables.Twit{AuthorName: feedAuthor, PostedAt: at, Name: name, Visibility: tables.Public})
	}, nil}
}

// The job of the twit after each crossing changes the author's state.
func crossings() []call {
	var calls []call
	for i := range 2 {
		calls = append(calls, followFeed(otherFollowers...), postFeed(fmt.Sprint("many ", i)),
			unfollowFeed(otherFollowers...), postFeed(fmt.Sprint("few ", i)))
	}
	return calls
}

func leaveDuringFanout(scheduler *scheduler) []call {
	leavers := otherFollowers[:2]
	return []call{
		followFeed(leavers...),
		{"hold", func(context.Context, *Writers) error { scheduler.hold(); return nil }, nil},
		postFeed("leaving"),
		{"await", func(context.Context, *Writers) error { scheduler.awaitHeld(); return nil }, nil},
		deleteFeed("leaving"),
		unfollowFeed(leavers...),
	}
}

func followFeed(names ...string) call {
	return call{fmt.Sprint("follow ", names), func(ctx context.Context, w *Writers) error {
		return forEach(names, func(name string) error { return w.Relate(ctx, tables.Follows, name, feedAuthor) })
	}, nil}
}

func unfollowFeed(names ...string) call {
	return call{fmt.Sprint("unfollow ", names), func(ctx context.Context, w *Writers) error {
		return forEach(names, func(name string) error { return w.Unrelate(ctx, tables.Follows, name, feedAuthor) })
	}, nil}
}

func forEach(names []string, do func(string) error) error {
	var errs []error
	for _, name := range names {
		errs = append(errs, do(name))
	}
	return errors.Join(errs...)
}

// Later reads of a constant follower have all twits of earlier ones. In the end each timeline has
// exactly the twits of followed authors.
func TestEveryHistoryOfFeedsIsComplete(t *testing.T) {
	seed, left := firstSeed(t), map[string]int{}
	for i := range scaled(450) {
		h := newFeedHistory(history{seed: seed + uint64(i), clients: 2 + i%3, calls: 4 + i%8,
			faultRate: float64(i%4) * 0.02}, []int{1, 2, 1000}[i%3])
		r := h.mustPass(t)
		for _, line := range r.scheduler.log {
			for _, state := range []string{`""`, "pushed", "merged", "leaving"} {
				if _, check, ok := strings.Cut(line, " check broadcasters "); ok && strings.Contains(check, state) {
					left[state]++
				}
			}
		}
	}
	t.Logf("changes of the author's broadcaster state, by old state: %v", left)
	if thorough && (left["merged"] < 45 || left["leaving"] < 45) {
		t.Errorf("%d and %d changes from merged and leaving, want at least 45", left["merged"], left["leaving"])
	}
}
