package hops

import (
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"twibase/news"
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
		synctest.Test(t, func(t *testing.T) {
			all := history(t, seed+i)
			for _, s := range all {
				if missing := s.lacks(); len(missing) > 0 {
					t.Errorf("whoever listened to %v was not told of %v", s.kind, missing)
				}
				told, twice = told+len(s.heard), twice+s.times-len(s.heard)
			}
			if t.Failed() {
				t.Fatalf("that was with the seed %d", seed+i)
			}
		})
	}
	t.Logf("%d twits were told, and %d once more", told, twice)
}

// history returns the subscribers of one.
func history(t *testing.T, seed uint64) (all []*subscriber) {
	w := newWorld(t, seed)
	defer w.store.Close()
	ctx, end := context.WithCancel(t.Context())
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
		for _, kind := range []news.Kind{news.Posts, news.Timeline} {
			if w.random.IntN(2) == 0 {
				continue
			}
			s := w.subscriber(kind)
			s.heard[first.Key()] = true
			all = append(all, s)
			subscribers.Go(func() { s.stays(ctx, g) })
		}
	}
	time.Sleep(settled)
	for _, kind := range []news.Kind{news.Posts, news.Timeline, news.Timeline} {
		s := w.subscriber(kind)
		s.after, s.heard[first.Key()] = first.Key(), true
		all = append(all, s)
		subscribers.Go(func() { s.hops(ctx) })
	}
	w.happens()
	subscribers.Wait()
	end()
	gateways.Wait()
	return all
}
