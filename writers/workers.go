package writers

import (
	"sync"

	"golang.org/x/sync/errgroup"
)

// workers finish old writes of one sort, so many at a time.
type workers struct {
	w     *Writers
	do    func(found)
	group errgroup.Group

	mu      sync.Mutex
	waiting []found
}

func newWorkers(w *Writers, limit int, do func(found)) *workers {
	s := &workers{w: w, do: do}
	s.group.SetLimit(limit)
	return s
}

// give replaces what waits for a worker: all that is still to be done was found again. The caller has entered.
func (s *workers) give(waiting []found) {
	s.mu.Lock()
	s.waiting = waiting
	s.mu.Unlock()
	for range waiting {
		s.w.running.Add(1)
		if !s.group.TryGo(s.work) {
			s.w.running.Done()
			return
		}
	}
}

func (s *workers) work() error {
	defer s.w.running.Done()
	for f, ok := s.next(); ok; f, ok = s.next() {
		s.do(f)
	}
	return nil
}

func (s *workers) next() (f found, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		return found{}, false
	}
	f, s.waiting = s.waiting[0], s.waiting[1:]
	return f, true
}

func (s *workers) wait() { _ = s.group.Wait() }
