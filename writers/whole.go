package writers

import "sync"

// wholeWrites remembers of the last writes that were found to be whole that they are, and in what order that was found.
type wholeWrites struct {
	mu sync.Mutex
	at map[string]int
	// ring are the same, the oldest next.
	ring [1024]string
	now  int
}

// time returns a point in time for before.
func (s *wholeWrites) time() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// before reports whether a write was known to be whole before a point in time.
func (s *wholeWrites) before(id string, time int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, known := s.at[id]
	return known && at < time
}

func (s *wholeWrites) add(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at == nil {
		s.at = map[string]int{}
	}
	if _, known := s.at[id]; known {
		return
	}
	oldest := &s.ring[s.now%len(s.ring)]
	delete(s.at, *oldest)
	s.at[id], *oldest = s.now, id
	s.now++
}
