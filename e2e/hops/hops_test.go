package hops

import (
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"twibase/e2e/shrink"
	"twibase/live"
)

var again = flag.Uint64("seed", 0, "of the only history, to see one again")

// histories is how many there are: more under make test, which sets CI.
func histories() int {
	if os.Getenv("CI") == "" {
		return 30
	}
	return 300
}

// TestWhoHopsBetweenGatewaysMissesNothing has subscribers come back elsewhere with the last twit that they were told of, and others stay where they
// are. The gateways have different clocks, look at different moments and lose the store, or a row, at different times.
func TestWhoHopsBetweenGatewaysMissesNothing(t *testing.T) {
	seed, n := rand.Uint64()>>20, histories()
	if *again != 0 {
		seed, n = *again, 1
	}
	t.Logf("the first seed is %d", seed)
	told, twice := 0, 0
	for i := range uint64(n) {
		h := history{seed: seed + i, bursts: 8, hop: 3, stay: true, trouble: true, scene: true}
		r := h.run(t)
		if len(r.faults) > 0 {
			h, r = shrink.Down(h, r, func(h history) (ran, bool) {
				r := h.run(t)
				return r, len(r.faults) > 0
			})
			t.Fatalf("with the seed %d, and so also in %+v, in which %d twits were posted:\n%s", seed+i, h, r.posted, strings.Join(r.faults, "\n"))
		}
		told, twice = told+r.told, twice+r.twice
	}
	t.Logf("%d twits were told, and %d once more", told, twice)
}

// history is what a seed makes, of so many bursts of twits, with so many who hop, and those who stay, what goes wrong, and a scene in the end.
type history struct {
	seed                 uint64
	bursts, hop          int
	stay, trouble, scene bool
}

// Smaller implements [shrink.History].
func (h history) Smaller() (all []history) {
	less := func(has bool, change func(*history)) {
		if smaller := h; has {
			change(&smaller)
			all = append(all, smaller)
		}
	}
	less(h.bursts > 1, func(h *history) { h.bursts /= 2 })
	less(h.stay, func(h *history) { h.stay = false })
	less(h.trouble, func(h *history) { h.trouble = false })
	less(h.scene, func(h *history) { h.scene = false })
	less(h.hop > 0, func(h *history) { h.hop-- })
	less(h.bursts > 0, func(h *history) { h.bursts-- })
	return all
}

// Next implements [shrink.History].
func (h history) Next() history {
	h.seed++
	return h
}

// ran is what became of a history.
type ran struct {
	posted, told, twice int
	faults              []string
}

func (h history) run(t *testing.T) (r ran) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, h.seed)
		defer w.store.Close()
		for _, s := range h.subscribers(w) {
			if missing := s.lacks(); len(missing) > 0 {
				w.Errorf("whoever listened to %v was not told of %v", s.kind, missing)
			}
			r.told, r.twice = r.told+len(s.heard), r.twice+s.times-len(s.heard)
		}
		r.posted, r.faults = len(w.posted), w.faults
	})
	return r
}

// subscribers lets a history happen, and returns who listened.
func (h history) subscribers(w *world) (all []*subscriber) {
	ctx, end := context.WithCancel(w.Context())
	w.ctx = ctx
	var gateways, subscribers sync.WaitGroup
	for range 3 {
		w.starts(&gateways)
	}
	time.Sleep(settled)
	first := w.decides(author, w.gateways[0])
	w.posts(first)
	w.arrives(first.Key())
	time.Sleep(settled)
	for _, g := range w.gateways {
		for _, kind := range []live.Kind{live.Posts, live.Timeline} {
			if !h.stay || w.random.IntN(2) == 0 {
				continue
			}
			s := w.subscriber(kind)
			s.heard[first.Key()] = true
			all = append(all, s)
			subscribers.Go(func() { s.stays(ctx, g) })
		}
	}
	time.Sleep(settled)
	for _, kind := range []live.Kind{live.Timeline, live.Posts, live.Timeline}[:h.hop] {
		s := w.subscriber(kind)
		s.after, s.heard[first.Key()] = first.Key(), true
		all = append(all, s)
		subscribers.Go(func() { s.hops(ctx) })
	}
	w.happens(h)
	subscribers.Wait()
	end()
	gateways.Wait()
	return all
}
