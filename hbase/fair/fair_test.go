package fair

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type fixture struct {
	*Semaphore
	t     *testing.T
	mu    sync.Mutex
	taken []string
	fails []string
}

// run uses a synctest bubble. Requests that wait at its end give up.
func run(t *testing.T, size, reserve int64, maxWaiting int, test func(f *fixture)) {
	synctest.Test(t, func(t *testing.T) { test(&fixture{Semaphore: New(size, reserve, maxWaiting), t: t}) })
}

func (f *fixture) ask(ctx context.Context, name string, units int64) {
	go func() {
		taken := f.Acquire(ctx, name, units, time.Hour)
		f.mu.Lock()
		defer f.mu.Unlock()
		if taken {
			f.taken = append(f.taken, name)
		} else {
			f.fails = append(f.fails, name)
		}
	}()
	synctest.Wait()
}

func (f *fixture) want(what string, taken, fails []string) {
	f.t.Helper()
	synctest.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Equal(f.taken, taken) || !slices.Equal(f.fails, fails) {
		f.t.Errorf("%s: got %v and failures of %v, want %v and %v", what, f.taken, f.fails, taken, fails)
	}
	f.taken, f.fails = nil, nil
}

func TestOnlyClientTakesAll(t *testing.T) {
	run(t, 4, 1, 10, func(f *fixture) {
		for range 4 {
			if !f.TryAcquire("a", 1) {
				t.Error("the only client gets less than all units")
			}
		}
		if f.TryAcquire("a", 1) {
			t.Error("a client gets more than all units")
		}
	})
}

func TestClientsLeaveUnitsForOthers(t *testing.T) {
	for _, test := range []struct{ reserve, clients, each int64 }{
		{1, 1, 12}, {1, 2, 8}, {1, 3, 6}, {1, 5, 4}, {1, 11, 2}, {4, 1, 4}, {4, 2, 4}, {4, 8, 2}, {4, 20, 1},
	} {
		run(t, 24, test.reserve, 10, func(f *fixture) {
			f.TryAcquire("other", 1)
			f.Release("other", 1)
			for range 24 { // in turn
				for c := range test.clients {
					f.TryAcquire(fmt.Sprint(c), 1)
				}
			}
			if used, _ := f.Load(); used != test.clients*test.each {
				t.Errorf("%d clients hold %d units, want %d each", test.clients, used, test.each)
			}
			if !f.TryAcquire("new", 24-test.clients*test.each) {
				t.Error("a new client does not get what is free")
			}
		})
	}
}

func TestClientIsAloneAgainAfterContention(t *testing.T) {
	run(t, 4, 1, 10, func(f *fixture) {
		f.TryAcquire("other", 1)
		f.Release("other", 1)
		f.TryAcquire("a", 2)
		if f.TryAcquire("a", 1) {
			t.Error("a client takes more than half, although another one asked recently")
		}
		time.Sleep(Contention + 1)
		if !f.TryAcquire("a", 2) {
			t.Error("the only client since Contention is limited")
		}
	})
}

func TestEndOfContentionServesWaitingRequests(t *testing.T) {
	run(t, 4, 1, 10, func(f *fixture) {
		f.TryAcquire("other", 1)
		f.Release("other", 1)
		f.TryAcquire("a", 2)
		time.Sleep(Contention - time.Second)
		f.ask(f.t.Context(), "a", 1)
		f.want("during contention", nil, nil)
		time.Sleep(time.Second + 1)
		f.want("after contention, with two free units", []string{"a"}, nil)
	})
}

func TestNextUnitsGoToTheClientWithTheFewest(t *testing.T) {
	run(t, 2, 1, 100, func(f *fixture) {
		f.TryAcquire("a", 2)
		for range 5 {
			f.ask(f.t.Context(), "a", 1)
		}
		f.ask(f.t.Context(), "b", 1)
		f.ask(f.t.Context(), "c", 1)
		f.Release("a", 1)
		f.want("one of a's two", []string{"b"}, nil)
		f.Release("a", 1)
		f.want("a holds none, and waits longest", []string{"a"}, nil)
		f.Release("b", 1)
		f.want("c holds none", []string{"c"}, nil)
		f.Release("c", 1)
		f.want("a holds half", nil, nil)
		for range 4 {
			f.Release("a", 1)
			f.want("the next one of a", []string{"a"}, nil)
		}
	})
}

func TestLargeRequestIsNotOvertaken(t *testing.T) {
	run(t, 10, 1, 100, func(f *fixture) {
		f.TryAcquire("a", 6)
		ctx, cancel := context.WithCancel(f.t.Context())
		f.ask(ctx, "b", 8)
		f.ask(f.t.Context(), "c", 2)
		f.want("while units are missing", nil, nil)
		f.Release("a", 3)
		f.want("while units are still missing", nil, nil)
		cancel()
		f.want("after the large request has given up", []string{"c"}, []string{"b"})
		if used, waiting := f.Load(); used != 5 || waiting != 0 {
			t.Errorf("%d units are used, and %d requests wait", used, waiting)
		}
	})
}

func TestFullQueueRejectsTheClientWithTheMost(t *testing.T) {
	run(t, 1, 1, 3, func(f *fixture) {
		full := func(name string, want bool) {
			t.Helper()
			if got := f.Full(name); got != want {
				t.Errorf("full for %s is %t", name, got)
			}
		}
		f.TryAcquire("a", 1)
		full("a", false)
		for range 3 {
			f.ask(f.t.Context(), "a", 1)
		}
		full("a", true)
		full("b", false)
		f.ask(f.t.Context(), "a", 1)
		f.want("a fourth request", nil, []string{"a"})
		f.ask(f.t.Context(), "b", 1)
		f.want("a request of another client", nil, []string{"a"})
		full("b", true)
		f.ask(f.t.Context(), "b", 1)
		f.want("one of a client with half of the queue", nil, []string{"b"})
		full("c", false)
		f.ask(f.t.Context(), "c", 1)
		f.want("a third client", nil, []string{"a"})
		full("c", true)
		if _, waiting := f.Load(); waiting != 3 {
			t.Errorf("%d requests wait, want 3", waiting)
		}
	})
}

func TestFullQueueDoesNotRejectRequestsForFreeUnits(t *testing.T) {
	run(t, 4, 1, 1, func(f *fixture) {
		f.TryAcquire("b", 1)
		f.TryAcquire("a", 2)
		f.Release("b", 1)
		f.ask(f.t.Context(), "a", 1) // waits, because half of the units stay free for other clients
		for name, want := range map[string]bool{"a": true, "b": false} {
			if got := f.Full(name); got != want {
				t.Errorf("full for %s is %t, although units are free", name, got)
			}
		}
	})
}
