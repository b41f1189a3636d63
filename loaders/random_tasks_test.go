package loaders

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
)

// busy notes in which spans of the clock tasks worked and the store answered, and when it was asked
// for what.
type busy struct {
	mu     sync.Mutex
	spans  [][2]time.Time
	store  [][2]time.Time
	asked  map[string]time.Time
	sent   map[string]time.Time
	random *rand.Rand
}

func (b *busy) work(d time.Duration) {
	begin := time.Now()
	time.Sleep(d)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spans = append(b.spans, [2]time.Time{begin, time.Now()})
}

// at reports whether somebody worked then. Of a span that begins or ends just then nobody can say.
func (b *busy) at(when time.Time) (surely, perhaps bool) {
	for _, s := range b.spans {
		surely = surely || s[0].Before(when) && when.Before(s[1])
		perhaps = perhaps || !when.Before(s[0]) && !s[1].Before(when)
	}
	return surely, perhaps
}

// covered reports whether at every moment between somebody may have worked, or the store have had
// something to answer.
func (b *busy) covered(from, to time.Time) bool {
	for when := from; when.Before(to); when = when.Add(ms / 2) {
		answering := slices.ContainsFunc(b.store, func(s [2]time.Time) bool { return !when.Before(s[0]) && !s[1].Before(when) })
		if _, perhaps := b.at(when); !perhaps && !answering {
			return false
		}
	}
	return true
}

// task makes a random task: work, reads, scans, and tasks side by side within it.
func (b *busy) task(ctx context.Context, depth int) func() {
	var steps []func()
	for range 1 + b.random.IntN(4) {
		wait := time.Duration(1+b.random.IntN(9)) * ms
		switch b.random.IntN(6) {
		case 0:
			steps = append(steps, func() { b.work(wait) })
		case 1:
			steps = append(steps, func() { Blocking(ctx, func() { time.Sleep(wait) }) })
		case 2:
			if depth > 0 {
				some := []func(){b.task(ctx, depth-1), b.task(ctx, depth-1)}
				steps = append(steps, func() { Together(ctx, some...) })
			}
		default:
			var keys []string
			for range 1 + b.random.IntN(3) {
				keys = append(keys, fmt.Sprint(b.random.IntN(12)))
			}
			steps = append(steps, func() {
				b.mu.Lock()
				for _, key := range keys {
					if _, ok := b.asked[key]; !ok {
						b.asked[key] = time.Now()
					}
				}
				b.mu.Unlock()
				if _, err := rows.Load(ctx, keys); err != nil {
					panic(err)
				}
			})
		}
	}
	return func() {
		for _, step := range steps {
			step()
		}
	}
}

func TestRandomTasksReadAtTheFirstMomentAtWhichAllOfThemWaitAndTheStoreIsFree(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	for n := range uint64(3000) {
		synctest.Test(t, func(t *testing.T) {
			b := &busy{asked: map[string]time.Time{}, sent: map[string]time.Time{}, random: rand.New(rand.NewPCG(seed, n))}
			store := &slow{latency: time.Duration(1+b.random.IntN(7)) * ms, begin: time.Now()}
			store.get = func(_ context.Context, gets []hbase.Get) {
				b.mu.Lock()
				defer b.mu.Unlock()
				b.store = append(b.store, [2]time.Time{time.Now(), time.Now().Add(store.latency)})
				for _, g := range gets {
					if _, again := b.sent[g.Row]; again {
						t.Errorf("row %s is read twice", g.Row)
					}
					b.sent[g.Row] = time.Now()
				}
			}
			ctx := With(t.Context(), store)
			var tasks []func()
			for range 1 + b.random.IntN(5) {
				tasks = append(tasks, b.task(ctx, 2))
			}
			running(ctx, tasks...)
			for key, asked := range b.asked {
				// Nothing is sent while somebody works, nor kept when nobody does and the store is
				// free.
				if early, _ := b.at(b.sent[key]); early || !b.covered(asked, b.sent[key]) {
					t.Errorf("row %s was asked for at %s and sent at %s; tasks worked in %v", key, asked.Sub(store.begin), b.sent[key].Sub(store.begin), b.spans)
				}
			}
			if stalls(ctx) != 0 {
				t.Error("the watchdog failed a batch")
			}
			if t.Failed() {
				t.Fatalf("seed %d, %d", seed, n)
			}
		})
		if t.Failed() {
			return
		}
	}
}
