package feeds_test

import (
	"fmt"
	"testing"
	"time"

	"twibase/hbase/tables"
	"twibase/writers/feeds"
)

func TestThereAreSoManyBroadcastersAtMost(t *testing.T) {
	w := newWorld(t)
	for _, name := range numbered("b", tables.MaxBroadcasters*9/10) {
		w.write(tables.Broadcasters.Put(name, tables.Merged, 1))
	}
	w.follows("a", "b")
	f := w.gateway(feeds.Options{Limit: 1})
	w.posts("x")
	w.sweep(f)
	if w.has("a", "x"); w.state() != tables.Pushed {
		t.Error(w.state())
	}
	w.write(tables.Broadcasters.Put("b000", tables.Pushed, 2))
	w.posts("y")
	w.sweep(f)
	if w.has("a", "x"); w.state() != tables.Merged {
		t.Error(w.state())
	}
}

func TestAnJobThatComesLateLeavesABroadcasterWithManyFollowersOne(t *testing.T) {
	w := newWorld(t)
	w.follows("a", "b")
	w.write(tables.Broadcasters.Put(author, tables.Merged, 1))
	w.job(tables.Returned, "", "")
	if w.sweep(w.gateway(feeds.Options{Limit: 4})); w.state() != tables.Merged || w.open() != 0 {
		t.Errorf("%s, with %d jobs", w.state(), w.open())
	}
}

func TestWithLessThanHalfOfTheLimitABroadcasterReturns(t *testing.T) {
	for limit := 1; limit <= 4; limit++ {
		for followers := range limit + 1 {
			t.Run(fmt.Sprintf("%d of %d", followers, limit), func(t *testing.T) {
				w := newWorld(t)
				w.follows(numbered("f", followers)...)
				w.write(tables.Broadcasters.Put(author, tables.Merged, 1))
				w.posts("x")
				w.sweep(w.gateway(feeds.Options{Limit: limit}))
				if _, leaving := w.state().Leaving(); leaving != (float64(followers) < float64(limit)/2) {
					t.Error(w.state())
				}
			})
		}
	}
}

func TestABroadcasterWhomNobodyFollowsIsNone(t *testing.T) {
	w := newWorld(t)
	f := w.gateway(feeds.Options{Limit: 1})
	w.follows("a", "b")
	w.posts("x")
	w.sweep(f)
	for i, name := range []string{"a", "b"} {
		w.leaves(name)
		w.job(tables.Unfollowed, name, "")
		w.sweep(f)
		if _, leaving := w.state().Leaving(); leaving != (i == 1) {
			t.Error(w.state())
		}
	}
	w.later(time.Minute)
	if w.sweep(f); w.state() != tables.Pushed {
		t.Error(w.state())
	}
}
