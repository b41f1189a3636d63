package loaders

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
)

type slow struct {
	hbase.Store
	latency time.Duration
	begin   time.Time
	mu      sync.Mutex
	calls   []string // time and rows
	get     func(ctx context.Context, gets []hbase.Get)
}

func (s *slow) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	rows, results := make([]string, len(gets)), make([]hbase.Result, len(gets))
	for i, g := range gets {
		rows[i], results[i].Cells = g.Row, []hbase.Cell{{Value: []byte(g.Row)}}
	}
	slices.Sort(rows)
	s.record(strings.Join(rows, " "))
	if s.get != nil {
		s.get(ctx, gets)
	}
	select {
	case <-time.After(s.latency):
		return results, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *slow) Scan(context.Context, hbase.Scan) iter.Seq2[hbase.Row, error] {
	return func(func(hbase.Row, error) bool) {
		s.record("scan")
		time.Sleep(s.latency)
	}
}

func (s *slow) record(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, fmt.Sprint(time.Since(s.begin), " ", what))
}

var rows = Loader[string, string]{
	get: func(_ *tables.Memory, row string) hbase.Get { return hbase.Get{Table: "t", Row: row} },
	decode: func(_ *tables.Memory, _ string, cells []hbase.Cell) (string, error) {
		return string(cells[0].Value), nil
	},
}

func load(ctx context.Context, t *testing.T, rowKeys string) {
	keys := strings.Fields(rowKeys)
	got, err := rows.Load(ctx, keys)
	if diff := cmp.Diff(keys, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

func runTasks(ctx context.Context, tasks ...func()) {
	var group sync.WaitGroup
	TasksOf(ctx).Start(len(tasks))
	for _, task := range tasks {
		group.Go(func() {
			defer TasksOf(ctx).End()
			task()
		})
	}
	group.Wait()
}

const ms = time.Millisecond

func TestDispatchWhenEveryTaskWaits(t *testing.T) {
	for _, test := range []struct {
		name  string
		tasks func(ctx context.Context, t *testing.T) []func()
		want  []string
	}{
		{"a level of tasks is one call of the store", func(ctx context.Context, t *testing.T) (tasks []func()) {
			for i := range 9 {
				tasks = append(tasks, func() { load(ctx, t, fmt.Sprintf("x y%d", i)) })
			}
			return tasks
		}, []string{"0s x y0 y1 y2 y3 y4 y5 y6 y7 y8"}},
		{"a batch waits for the last task", func(ctx context.Context, t *testing.T) []func() {
			return []func(){
				func() { load(ctx, t, "a") },
				func() { time.Sleep(70 * ms); load(ctx, t, "b") },
			}
		}, []string{"70ms a b"}},
		{"a batch does not wait for a task that ended", func(ctx context.Context, t *testing.T) []func() {
			return []func(){
				func() { load(ctx, t, "a") },
				func() { time.Sleep(30 * ms) },
			}
		}, []string{"30ms a"}},
		{"tasks of different depth share batches", func(ctx context.Context, t *testing.T) []func() {
			return []func(){
				func() { load(ctx, t, "a1"); load(ctx, t, "a2"); load(ctx, t, "a3") },
				func() { load(ctx, t, "b1"); load(ctx, t, "b2") },
				func() { load(ctx, t, "c1") },
			}
		}, []string{"0s a1 b1 c1", "10ms a2 b2", "20ms a3"}},
		{"a row is read once", func(ctx context.Context, t *testing.T) []func() {
			return []func(){
				func() { load(ctx, t, "a b"); load(ctx, t, "b a"); load(ctx, t, "a c") },
				func() { load(ctx, t, "b"); load(ctx, t, "a d") },
			}
		}, []string{"0s a b", "10ms c d"}},
		{"Enqueue shares the batch with the loads before the wait", func(ctx context.Context, t *testing.T) []func() {
			return []func(){func() {
				await := rows.Enqueue(ctx, []string{"a"})
				load(ctx, t, "b")
				if got, err := await(); err != nil || got[0] != "a" {
					t.Error(got, err)
				}
			}}
		}, []string{"0s a b"}},
		{"a row without a waiting task is read when the last task ends", func(ctx context.Context, t *testing.T) []func() {
			return []func(){func() { rows.Enqueue(ctx, []string{"a"}); time.Sleep(5 * ms) }}
		}, []string{"5ms a"}},
		{"Blocking does not delay other tasks", func(ctx context.Context, t *testing.T) []func() {
			return []func(){
				func() { Blocking(ctx, func() { time.Sleep(35 * ms) }); load(ctx, t, "late") },
				func() { load(ctx, t, "a1"); load(ctx, t, "a2") },
			}
		}, []string{"0s a1", "10ms a2", "35ms late"}},
		{"a task that returns from Blocking joins the next batch", func(ctx context.Context, t *testing.T) []func() {
			return []func(){
				func() { Blocking(ctx, func() { time.Sleep(5 * ms) }); load(ctx, t, "b1"); load(ctx, t, "b2") },
				func() { load(ctx, t, "a1"); load(ctx, t, "a2"); load(ctx, t, "a3") },
			}
		}, []string{"0s a1", "10ms a2 b1", "20ms a3 b2"}},
		{"a load waits for rows of two batches", func(ctx context.Context, t *testing.T) []func() {
			return []func(){
				func() { Blocking(ctx, func() { time.Sleep(5 * ms) }); load(ctx, t, "a1 b1"); load(ctx, t, "b2") },
				func() { load(ctx, t, "a1"); load(ctx, t, "a2") },
			}
		}, []string{"0s a1", "10ms a2 b1", "20ms b2"}},
		{"a task that returns from Blocking waits for a batch in flight", func(ctx context.Context, t *testing.T) []func() {
			return []func(){
				func() { Blocking(ctx, func() { time.Sleep(5 * ms) }); load(ctx, t, "a1"); load(ctx, t, "b2") },
				func() { load(ctx, t, "a1"); load(ctx, t, "a2") },
			}
		}, []string{"0s a1", "10ms a2 b2"}},
		{"functions of Together share batches with other tasks", func(ctx context.Context, t *testing.T) []func() {
			return []func(){
				func() {
					Together(ctx,
						func() { load(ctx, t, "a1"); load(ctx, t, "a2") },
						func() { load(ctx, t, "b1") },
						func() { time.Sleep(3 * ms) })
					load(ctx, t, "c")
				},
				func() { load(ctx, t, "d") },
			}
		}, []string{"3ms a1 b1 d", "13ms a2", "23ms c"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &slow{latency: 10 * ms, begin: time.Now()}
				ctx := With(t.Context(), store)
				runTasks(ctx, test.tasks(ctx, t)...)
				synctest.Wait()
				if diff := cmp.Diff(test.want, store.calls); diff != "" {
					t.Errorf("calls of the store (-want +got):\n%s", diff)
				}
				if n := stalls(ctx); n != 0 {
					t.Errorf("got %d stalls, want 0", n)
				}
			})
		})
	}
}

func stalls(ctx context.Context) int64 { return from(ctx).watchdog.Stalls.Load() }

func TestTogetherWithoutFunctionsReturns(t *testing.T) {
	ctx := With(t.Context(), &slow{})
	runTasks(ctx, func() { Together(ctx) })
	if running := from(ctx).scheduler.running; running != 0 {
		t.Errorf("%d tasks are running, want 0", running)
	}
}

func TestReadsOutsideOfTasksAreDispatchedImmediately(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slow{latency: 10 * ms, begin: time.Now()}
		ctx := With(t.Context(), store)
		load(ctx, t, "first")
		var group sync.WaitGroup
		for i := range 5 {
			group.Go(func() { time.Sleep(ms); load(ctx, t, fmt.Sprint("a", i)) })
		}
		group.Go(func() { load(ctx, t, "c") })
		group.Go(func() { time.Sleep(ms); Blocking(ctx, func() { time.Sleep(30 * ms) }); load(ctx, t, "d") })
		group.Go(func() { time.Sleep(ms); Together(ctx, func() { load(ctx, t, "e") }, func() { load(ctx, t, "f") }) })
		group.Wait()
		// Reads enqueued during a batch are the next batch.
		want := []string{"0s first", "10ms c", "20ms a0 a1 a2 a3 a4 e f", "41ms d"}
		if diff := cmp.Diff(want, store.calls); diff != "" || stalls(ctx) != 0 {
			t.Error(diff, stalls(ctx))
		}
	})
}

func TestWatchdogFailsReadsIfATaskBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged strings.Builder
		store, watchdog := &slow{latency: 10 * ms}, &Watchdog{Log: slog.New(slog.NewTextHandler(&logged, nil))}
		ctx := watchdog.With(t.Context(), store)
		rounds := Trace(ctx, func(context.Context) string { return "f" })
		other := watchdog.With(t.Context(), store)
		runTasks(other, func() { load(other, t, "b") })
		begin := time.Now()
		runTasks(ctx,
			func() {
				for _, row := range []string{"first", "second"} {
					_, err := rows.Load(ctx, []string{row})
					if !errors.Is(err, errStalled) || time.Since(begin) != watchdogTimeout {
						t.Errorf("%s: got error %v after %s, want %v after %s",
							row, err, time.Since(begin), errStalled, watchdogTimeout)
					}
				}
			},
			func() { time.Sleep(2 * watchdogTimeout) })
		synctest.Wait()
		if watchdog.Stalls.Load() != 1 || !strings.Contains(logged.String(), errStalled.Error()) {
			t.Errorf("got %d stalls and log %q, want 1 and %v", watchdog.Stalls.Load(), logged.String(), errStalled)
		}
		for _, r := range rounds() {
			if !r.Stalled {
				t.Error("Stalled is false for a failed round")
			}
		}
		runTasks(other, func() { load(other, t, "c") })
	})
}

func TestWatchdogIgnoresASlowStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slow{latency: 3 * watchdogTimeout / 2, begin: time.Now()}
		ctx := With(t.Context(), store)
		runTasks(ctx,
			func() { load(ctx, t, "a") },
			func() { Blocking(ctx, func() { time.Sleep(ms) }); load(ctx, t, "b") })
		if diff := cmp.Diff([]string{"0s a", "15s b"}, store.calls); diff != "" || stalls(ctx) != 0 {
			t.Error(diff, stalls(ctx))
		}
	})
}

func TestWatchdogRestartsAfterEachBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slow{latency: 9 * time.Second, begin: time.Now()}
		ctx := With(t.Context(), store)
		runTasks(ctx,
			func() { load(ctx, t, "a"); time.Sleep(watchdogTimeout / 2) },
			func() { Blocking(ctx, func() { time.Sleep(ms) }); load(ctx, t, "b") })
		if diff := cmp.Diff([]string{"0s a", "14s b"}, store.calls); diff != "" || stalls(ctx) != 0 {
			t.Error(diff, stalls(ctx))
		}
	})
}

func TestDispatchWaitsForASlowTask(t *testing.T) {
	store := &slow{}
	ctx := With(t.Context(), store)
	begin := time.Now()
	runTasks(ctx,
		func() { load(ctx, t, "a") },
		func() {
			for time.Since(begin) < 1100*ms {
				continue
			}
			load(ctx, t, "b")
		})
	if len(store.calls) != 1 || !strings.HasSuffix(store.calls[0], " a b") || stalls(ctx) != 0 {
		t.Error(store.calls, stalls(ctx))
	}
}

func TestFailuresAreIsolated(t *testing.T) {
	test := func(name string, run func(t *testing.T, store *slow)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { run(t, &slow{latency: 10 * ms, begin: time.Now()}) })
		})
	}
	test("a cancelled response", func(t *testing.T, store *slow) {
		cancelled, cancel := context.WithCancel(t.Context())
		one, other := With(cancelled, store), With(t.Context(), store)
		var group sync.WaitGroup
		group.Go(func() {
			runTasks(one, func() {
				if _, err := rows.Load(one, []string{"a"}); !errors.Is(err, context.Canceled) {
					t.Errorf("got error %v, want %v", err, context.Canceled)
				}
			})
		})
		group.Go(func() { runTasks(other, func() { load(other, t, "a"); load(other, t, "b") }) })
		time.Sleep(5 * ms)
		cancel()
		group.Wait()
	})
	test("a cancelled field does not fail the batch", func(t *testing.T, store *slow) {
		ctx := With(t.Context(), store)
		field, cancel := context.WithCancel(ctx)
		runTasks(ctx,
			func() { load(field, t, "a") },
			func() { time.Sleep(ms); load(ctx, t, "b") },
			func() { Blocking(ctx, func() { time.Sleep(5 * ms); cancel() }) })
	})
	test("a task that panics", func(t *testing.T, store *slow) {
		ctx := With(t.Context(), store)
		runTasks(ctx,
			func() {
				defer func() { _ = recover() }()
				Together(ctx, func() { panic("a") }, func() { load(ctx, t, "b") })
			},
			func() { defer func() { _ = recover() }(); Blocking(ctx, func() { panic("c") }) },
			func() { load(ctx, t, "d"); load(ctx, t, "e") })
		if diff := cmp.Diff([]string{"0s b d", "10ms e"}, store.calls); diff != "" {
			t.Error(diff)
		}
	})
	test("a store that panics fails one batch", func(t *testing.T, store *slow) {
		store.get = func(_ context.Context, gets []hbase.Get) {
			if len(gets) == 1 {
				panic("store")
			}
		}
		ctx := With(t.Context(), store)
		runTasks(ctx, func() {
			if _, err := rows.Load(ctx, []string{"a"}); At(err, 0) == nil {
				t.Error("got no error of a store that panicked")
			}
			load(ctx, t, "b c")
		})
		if diff := cmp.Diff([]string{"0s a", "0s b c"}, store.calls); diff != "" || stalls(ctx) != 0 {
			t.Error(diff, stalls(ctx))
		}
	})
	test("a batch that cannot be merged fails alone", func(t *testing.T, store *slow) {
		ctx := With(t.Context(), store)
		runTasks(ctx, func() {
			l, set := from(ctx), newReadSet(1)
			set.add(hbase.Get{Row: "a"})
			l.enqueue(ctx, "rows", set)
			set.reads[0].template = nil
			if l.wait(set); set.result(0).Err == nil {
				t.Error("got no error of a merge that panicked")
			}
			load(ctx, t, "b c")
		})
		if diff := cmp.Diff([]string{"0s b c"}, store.calls); diff != "" {
			t.Error(diff)
		}
	})
}
