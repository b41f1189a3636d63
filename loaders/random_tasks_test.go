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

type activity struct {
	mu       sync.Mutex
	tasks    []span
	store    []span
	enqueued map[string]time.Time
	sent     map[string]time.Time
	random   *rand.Rand
}

type span struct{ begin, end time.Time }

func (s span) includes(t time.Time) bool { return !t.Before(s.begin) && !s.end.Before(t) }

func (a *activity) work(d time.Duration) {
	begin := time.Now()
	time.Sleep(d)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tasks = append(a.tasks, span{begin, time.Now()})
}

func (a *activity) computing(at time.Time) bool {
	return slices.ContainsFunc(a.tasks, func(s span) bool { return s.begin.Before(at) && at.Before(s.end) })
}

func (a *activity) covered(from, to time.Time) bool {
	for at := from; at.Before(to); at = at.Add(ms / 2) {
		includes := func(s span) bool { return s.includes(at) }
		if !slices.ContainsFunc(a.tasks, includes) && !slices.ContainsFunc(a.store, includes) {
			return false
		}
	}
	return true
}

func (a *activity) task(ctx context.Context, depth int) func() {
	var steps []func()
	for range 1 + a.random.IntN(4) {
		wait := time.Duration(1+a.random.IntN(9)) * ms
		switch a.random.IntN(6) {
		case 0:
			steps = append(steps, func() { a.work(wait) })
		case 1:
			steps = append(steps, func() { Blocking(ctx, func() { time.Sleep(wait) }) })
		case 2:
			if depth > 0 {
				tasks := []func(){a.task(ctx, depth-1), a.task(ctx, depth-1)}
				steps = append(steps, func() { Together(ctx, tasks...) })
			}
		default:
			var keys []string
			for range 1 + a.random.IntN(3) {
				keys = append(keys, fmt.Sprint(a.random.IntN(12)))
			}
			steps = append(steps, func() {
				a.mu.Lock()
				for _, key := range keys {
					if _, ok := a.enqueued[key]; !ok {
						a.enqueued[key] = time.Now()
					}
				}
				a.mu.Unlock()
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

func TestRandomTasksDispatchWhenAllWait(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	for n := range uint64(3000) {
		synctest.Test(t, func(t *testing.T) {
			a := &activity{random: rand.New(rand.NewPCG(seed, n)),
				enqueued: map[string]time.Time{}, sent: map[string]time.Time{}}
			store := &slow{latency: time.Duration(1+a.random.IntN(7)) * ms, begin: time.Now()}
			store.get = func(_ context.Context, gets []hbase.Get) {
				a.mu.Lock()
				defer a.mu.Unlock()
				a.store = append(a.store, span{time.Now(), time.Now().Add(store.latency)})
				for _, g := range gets {
					if _, again := a.sent[g.Row]; again {
						t.Errorf("row %s is read twice", g.Row)
					}
					a.sent[g.Row] = time.Now()
				}
			}
			ctx := With(t.Context(), store)
			var tasks []func()
			for range 1 + a.random.IntN(5) {
				tasks = append(tasks, a.task(ctx, 2))
			}
			runTasks(ctx, tasks...)
			for key, enqueued := range a.enqueued {
				// A row is read as soon as no task computes and the store is free.
				if sent := a.sent[key]; a.computing(sent) || !a.covered(enqueued, sent) {
					t.Errorf("row %s was enqueued at %s and sent at %s; tasks computed in %v",
						key, enqueued.Sub(store.begin), sent.Sub(store.begin), a.tasks)
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
