// Package reconnect tests that subscribers who reconnect to another gateway miss no twit.
//
// Three gateways share a store. Their clocks differ by up to five seconds, and they poll at
// different times. At times, a gateway can't read the store, or one row.
package reconnect

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

var replay = flag.Uint64("seed", 0, "run only the history of this seed")

func TestReconnectingSubscribersMissNothing(t *testing.T) {
	seed, histories := rand.Uint64()>>20, 30
	if os.Getenv("CI") != "" {
		histories = 300
	}
	if *replay != 0 {
		seed, histories = *replay, 1
	}
	t.Logf("the first seed is %d", seed)
	delivered, redelivered := 0, 0
	for i := range uint64(histories) {
		h := history{seed: seed + i, bursts: 8, reconnecting: 3, connected: true, faults: true, scenario: true}
		r := h.run(t)
		if len(r.failures) > 0 {
			h, r = shrink.Down(h, r, func(h history) (result, bool) {
				r := h.run(t)
				return r, len(r.failures) > 0
			})
			t.Fatalf("seed %d fails, and so does %+v with %d twits:\n%s", seed+i, h, r.posted, strings.Join(r.failures, "\n"))
		}
		delivered, redelivered = delivered+r.delivered, redelivered+r.redelivered
	}
	t.Logf("%d twits were delivered, and %d once more", delivered, redelivered)
}

type history struct {
	seed         uint64
	bursts       int
	reconnecting int
	connected    bool // some subscribers stay at one gateway
	faults       bool // gateways lose the store or a row
	scenario     bool // ends with one of scenarios
}

func (h history) Smaller() (all []history) {
	less := func(possible bool, change func(*history)) {
		if smaller := h; possible {
			change(&smaller)
			all = append(all, smaller)
		}
	}
	less(h.bursts > 1, func(h *history) { h.bursts /= 2 })
	less(h.connected, func(h *history) { h.connected = false })
	less(h.faults, func(h *history) { h.faults = false })
	less(h.scenario, func(h *history) { h.scenario = false })
	less(h.reconnecting > 0, func(h *history) { h.reconnecting-- })
	less(h.bursts > 0, func(h *history) { h.bursts-- })
	return all
}

func (h history) Next() history {
	h.seed++
	return h
}

type result struct {
	posted, delivered, redelivered int
	failures                       []string
}

func (h history) run(t *testing.T) (r result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, h.seed)
		defer f.store.Close()
		for _, s := range h.subscribers(f) {
			if missing := s.missing(); len(missing) > 0 {
				f.Errorf("a subscriber to %v missed %v", s.kind, missing)
			}
			r.delivered, r.redelivered = r.delivered+len(s.received), r.redelivered+s.deliveries-len(s.received)
		}
		r.posted, r.failures = len(f.posted), f.failures
	})
	return r
}

func (h history) subscribers(f *fixture) (all []*subscriber) {
	ctx, end := context.WithCancel(f.Context())
	f.ctx = ctx
	var gateways, subscribers sync.WaitGroup
	for range 3 {
		f.startGateway(&gateways)
	}
	time.Sleep(deliveryTime)
	first := f.newTwit(author, f.gateways[0])
	f.post(first)
	f.deliver(first.Key())
	time.Sleep(deliveryTime)
	for _, g := range f.gateways {
		for _, kind := range []live.Kind{live.Posts, live.Timeline} {
			if !h.connected || f.random.IntN(2) == 0 {
				continue
			}
			s := f.subscriber(kind)
			s.received[first.Key()] = true
			all = append(all, s)
			subscribers.Go(func() { s.stay(ctx, g) })
		}
	}
	time.Sleep(deliveryTime)
	for _, kind := range []live.Kind{live.Timeline, live.Posts, live.Timeline}[:h.reconnecting] {
		s := f.subscriber(kind)
		s.after, s.received[first.Key()] = first.Key(), true
		all = append(all, s)
		subscribers.Go(func() { s.reconnect(ctx) })
	}
	f.play(h)
	subscribers.Wait()
	end()
	gateways.Wait()
	return all
}
