package fair

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// After each random step, no request may wait that could be served.
func TestNoUnitIsLost(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for run := range uint64(200) {
		synctest.Test(t, func(t *testing.T) { testRandomRequests(t, rand.New(rand.NewPCG(seed, run))) })
	}
}

func testRandomRequests(t *testing.T, random *rand.Rand) {
	type lease struct {
		name  string
		units int64
	}
	s := New(1+random.Int64N(20), random.Int64N(5), random.IntN(12))
	var mu sync.Mutex
	var leases []lease
	lend := func(l lease) {
		mu.Lock()
		defer mu.Unlock()
		leases = append(leases, l)
	}
	for range 100 {
		l := lease{fmt.Sprint(random.IntN(5)), 1 + random.Int64N(s.size)}
		switch random.IntN(4) {
		case 0:
			if s.TryAcquire(l.name, l.units) {
				lend(l)
			}
		case 1, 2: // a request often ends at the same instant as a lease
			timeout := time.Duration(random.IntN(8)) * time.Second
			go func() {
				if s.Acquire(t.Context(), l.name, l.units, timeout) {
					lend(l)
				}
			}()
		default:
			time.Sleep(time.Duration(random.IntN(3)) * time.Second)
			mu.Lock()
			if len(leases) > 0 {
				i := random.IntN(len(leases))
				l := leases[i]
				leases = append(leases[:i], leases[i+1:]...)
				s.Release(l.name, l.units)
			}
			mu.Unlock()
		}
		synctest.Wait()
		lent := map[string]int64{}
		mu.Lock()
		for _, l := range leases {
			lent[l.name] += l.units
			lent[""] += l.units
		}
		mu.Unlock()
		s.check(t, lent)
	}
	time.Sleep(time.Minute) // all requests end
	synctest.Wait()
	mu.Lock()
	defer mu.Unlock()
	for _, l := range leases {
		s.Release(l.name, l.units)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.clients) != 0 || s.queues.Len() != 0 || s.used != 0 || s.waiting != 0 {
		t.Errorf("without requests: %d clients, %d queues, %d units, %d waiting",
			len(s.clients), s.queues.Len(), s.used, s.waiting)
	}
}

// check compares the state with the units lent to each client, and to all as "".
func (s *Semaphore) check(t *testing.T, lent map[string]int64) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used != lent[""] || s.used > s.size {
		t.Errorf("%d of %d units are used, and %d were lent", s.used, s.size, lent[""])
	}
	waiting := 0
	for name, c := range s.clients {
		waiting += len(c.queue)
		if c.held != lent[name] || c.held == 0 && len(c.queue) == 0 {
			t.Errorf("client %s holds %d units, and %d were lent; %d of its requests wait",
				name, c.held, lent[name], len(c.queue))
		}
	}
	if waiting != s.waiting || waiting > s.maxWaiting {
		t.Errorf("%d requests wait, counted as %d, of at most %d", waiting, s.waiting, s.maxWaiting)
	}
	if next := s.next(); next != nil && next.queue[0].units <= s.size-s.used {
		t.Errorf("%s waits for %d units although %d are free", next.name, next.queue[0].units, s.size-s.used)
	}
}
