// Package fair shares a resource among clients.
//
// A [Semaphore] gives units, such as slots or bytes, to named clients:
//
//   - The waiting client with the fewest units is served next. In a tie, clients take turns.
//   - A client may hold t units only while reserve × t units stay free. So n competing clients hold
//     1/(n+reserve) of the units each, and a new client finds free units. A client that has no
//     units, or was alone for the last [Contention], may take any number of units.
//   - If too many requests wait, the client with the most waiting requests loses its newest
//     request. In a tie, the new request is rejected.
package fair

import (
	"container/list"
	"context"
	"slices"
	"sync"
	"time"
)

// Contention is how long a request of one client limits the other clients.
const Contention = 10 * time.Second

// Semaphore is a weighted semaphore. Serving a request takes O(waiting clients that hold units),
// removing a request O(waiting requests of its client). A Semaphore is safe for concurrent use.
type Semaphore struct {
	size, reserve int64
	maxWaiting    int

	mu      sync.Mutex
	used    int64
	waiting int
	clients map[string]*client // clients that hold units or wait
	queues  list.List          // clients that wait; the one whose last turn is longest ago comes first
	last    string             // the client of the last request, if begun
	shared  time.Time          // when two successive requests last had different clients
	alone   *time.Timer        // calls dispatch when Contention has passed since shared
	begun   bool               // there was a request
}

type client struct {
	name  string
	held  int64
	queue []*request    // the earliest first
	place *list.Element // in Semaphore.queues; nil if queue is empty
}

type request struct {
	units   int64
	decided chan bool // receives whether the units were taken
}

// New returns a semaphore of size units. At most maxWaiting requests wait.
func New(size, reserve int64, maxWaiting int) *Semaphore {
	return &Semaphore{size: size, reserve: reserve, maxWaiting: maxWaiting, clients: map[string]*client{}}
}

// Load returns the taken units, and the number of waiting requests.
func (s *Semaphore) Load() (used int64, waiting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used, s.waiting
}

// TryAcquire is [Semaphore.Acquire] without waiting.
func (s *Semaphore) TryAcquire(name string, units int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.client(name)
	if s.queues.Len() == 0 {
		taken := s.may(c, units) && units <= s.size-s.used
		if taken {
			s.take(c, units)
		}
		s.forget(c)
		return taken
	}
	r := s.add(c, units)
	if s.taken(r) {
		return true
	}
	s.remove(c, r)
	s.dispatch()
	return false
}

// Acquire takes units, and reports whether it did. It waits until ctx is done, for timeout at most.
func (s *Semaphore) Acquire(ctx context.Context, name string, units int64, timeout time.Duration) bool {
	if s.TryAcquire(name, units) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	s.mu.Lock()
	c := s.client(name)
	r := s.add(c, units)
	if s.taken(r) {
		s.mu.Unlock()
		return true
	}
	if s.waiting > s.maxWaiting {
		longest := s.longest()
		if len(longest.queue) <= len(c.queue) {
			longest = c
		}
		latest := longest.queue[len(longest.queue)-1]
		s.remove(longest, latest)
		latest.decided <- false
		s.dispatch()
	}
	s.mu.Unlock()
	select {
	case taken := <-r.decided:
		return taken
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case taken := <-r.decided:
		return taken
	default:
	}
	s.remove(c, r)
	s.dispatch()
	return false
}

// Full reports whether Acquire would reject a request for one unit without waiting. It assumes that
// all waiting requests are for one unit.
func (s *Semaphore) Full(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting < s.maxWaiting {
		return false
	}
	c := s.clients[name]
	if c == nil {
		c = &client{}
	}
	if s.used < s.size && s.may(c, 1) && len(c.queue) == 0 {
		return false
	}
	longest := s.longest()
	return longest == nil || len(longest.queue) <= len(c.queue)+1
}

// Release returns units of a client.
func (s *Semaphore) Release(name string, units int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.clients[name]
	c.held -= units
	s.used -= units
	s.forget(c)
	s.dispatch()
}

// The caller holds mu, here and below.
func (s *Semaphore) client(name string) *client {
	if s.begun && name != s.last {
		s.contend()
	}
	s.begun, s.last = true, name
	c := s.clients[name]
	if c == nil {
		c = &client{name: name}
		s.clients[name] = c
	}
	return c
}

// contend limits clients until Contention has passed.
func (s *Semaphore) contend() {
	s.shared = time.Now()
	if s.alone != nil {
		s.alone.Reset(Contention + 1)
		return
	}
	s.alone = time.AfterFunc(Contention+1, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.dispatch()
	})
}

func (s *Semaphore) add(c *client, units int64) *request {
	if len(c.queue) == 0 {
		c.place = s.queues.PushBack(c)
	}
	r := &request{units, make(chan bool, 1)}
	c.queue = append(c.queue, r)
	s.waiting++
	s.dispatch()
	return r
}

func (s *Semaphore) taken(r *request) bool {
	select {
	case taken := <-r.decided:
		return taken
	default:
		return false
	}
}

// dispatch serves waiting requests. A request that needs more units than are free blocks all
// others, so that small requests can't keep it waiting.
func (s *Semaphore) dispatch() {
	for s.used < s.size {
		next := s.next()
		if next == nil || next.queue[0].units > s.size-s.used {
			return
		}
		r := next.queue[0]
		s.take(next, r.units)
		s.remove(next, r)
		if next.place != nil {
			s.queues.MoveToBack(next.place)
		}
		r.decided <- true
	}
}

func (s *Semaphore) take(c *client, units int64) {
	c.held += units
	s.used += units
}

// may reports whether a client may take units if they are free.
func (s *Semaphore) may(c *client, units int64) bool {
	free := s.size - s.used - units
	return c.held == 0 || s.reserve*(c.held+units) <= free || time.Since(s.shared) > Contention
}

// next returns the client whose request is next, or nil if no waiting client may take more.
func (s *Semaphore) next() (next *client) {
	for place := s.queues.Front(); place != nil; place = place.Next() {
		c := place.Value.(*client)
		if c.held == 0 { // often the first of many, such as the viewers of one event
			return c
		}
		if s.may(c, c.queue[0].units) && (next == nil || c.held < next.held) {
			next = c
		}
	}
	return next
}

func (s *Semaphore) longest() (longest *client) {
	for place := s.queues.Front(); place != nil; place = place.Next() {
		c := place.Value.(*client)
		if longest == nil || len(c.queue) > len(longest.queue) {
			longest = c
		}
	}
	return longest
}

// remove must be followed by dispatch, because the request may have blocked others.
func (s *Semaphore) remove(c *client, r *request) {
	i := slices.Index(c.queue, r)
	c.queue = slices.Delete(c.queue, i, i+1)
	s.waiting--
	if len(c.queue) == 0 {
		s.queues.Remove(c.place)
		c.place = nil
		s.forget(c)
	}
}

func (s *Semaphore) forget(c *client) {
	if c.held == 0 && len(c.queue) == 0 {
		delete(s.clients, c.name)
	}
}
