package live

import (
	"context"
	"errors"
	"time"
	"unique"
)

var (
	// ErrSlow ends a subscription with more than [QueueSize] unread or parked entries. If all
	// queues together have more than maxQueued bytes, it ends the subscription that has been behind
	// longest, and drops its queue.
	ErrSlow = errors.New("live: the subscriber reads too slowly")
	// ErrEnded means that the poller ended.
	ErrEnded = errors.New("live: the gateway is shutting down")
	// ErrTooManyRows rejects a row beyond [MaxRows], or beyond the address's share: see
	// [Poller.Subscribe].
	ErrTooManyRows = errors.New("live: too many rows have subscribers")
	// ErrSuspended means that the subscription can be resumed.
	ErrSuspended = errors.New("live: the subscription is suspended")
)

// state is the state of a subscription:
//
//	          next poll            its row was read
//	waiting ────────────► joining ────────────────► receiving
//	                                                 │     ▲
//	                                  Suspend, Rewind│     │Resume
//	                                                 ▼     │
//	                                               suspended
//
// Close or an error closes a subscription in any state.
//
// A subscription may have an end, such as the expiry of a token. The poller parks the keys of
// entries that it finds after the end, until Resume. Subscriptions to one row with the same end
// stop at the same entry, because for each entry all ends are compared with one reading of the
// clock.
type state uint8

const (
	waiting state = iota
	joining
	receiving
	suspended
	closed
)

// Event is an entry to send to a subscriber.
type Event struct {
	Key
	Entry  any
	queued *queued
}

// Subscription delivers the entries of a row to one subscriber. It is not safe for concurrent use.
type Subscription struct {
	poller *Poller
	row    *row
	since  time.Time
	ready  chan struct{} // closed at the end of joining

	// Guarded by Poller.mu.
	state  state
	joined elapsed // the start of the poll with which the subscription joined
	ctx    context.Context
	queue  chan Event // closed if suspended or closed
	behind time.Time  // since when the queue is not empty
	err    error
	until  time.Time
	parked []unique.Handle[Key]
	// blocked is true if candidates wait for the next poll: later ones must wait, too.
	blocked bool
}

// Subscribe waits until all later entries are certain to be delivered. The caller must call Close.
// If until is not zero, entries found after it are parked for [Subscription.Resume]. The error may
// be [ErrTooManyRows], [ErrEnded], or an error of ctx or of the store.
//
// An address may add its first row if any row is free. It may add another if, after that, at least
// rowReserve rows stay free for each row of the address.
func (p *Poller) Subscribe(
	ctx context.Context, address string, kind Kind, owner string, until time.Time,
) (*Subscription, error) {
	s := &Subscription{
		poller: p, ctx: ctx, since: p.o.Now(), until: until,
		ready: make(chan struct{}), queue: make(chan Event, QueueSize),
	}
	p.mu.Lock()
	if p.ended {
		p.mu.Unlock()
		return nil, ErrEnded
	}
	name := rowName{kind, owner}
	isNew := p.rows[name] == nil
	if isNew && !p.mayAdd(address) {
		p.mu.Unlock()
		return nil, ErrTooManyRows
	}
	s.row = p.row(name, s.since)
	if isNew {
		s.row.addedBy = address
		p.added[address]++
	}
	s.row.subscribers[s] = struct{}{}
	p.joining = append(p.joining, s)
	p.Counters.Subscribers.Add(1)
	p.mu.Unlock()
	p.wake()
	select {
	case <-s.ready:
		if err := s.Err(); err != nil {
			s.Close()
			return nil, err
		}
		return s, nil
	case <-ctx.Done():
		s.Close()
		return nil, ctx.Err()
	}
}

func (p *Poller) wake() {
	select {
	case p.woken <- struct{}{}:
	default:
	}
}

// row creates the row if necessary. The caller holds mu.
func (p *Poller) row(n rowName, now time.Time) *row {
	r := p.rows[n]
	if r == nil {
		r = &row{rowName: n, since: now, subscribers: map[*Subscription]struct{}{}}
		p.rows[n] = r
		p.Counters.Rows.Add(1)
	}
	return r
}

// The caller holds mu.
func (p *Poller) mayAdd(address string) bool {
	added, free := p.added[address]+1, MaxRows-len(p.rows)-1
	return free >= 0 && (added == 1 || rowReserve*added <= free)
}

// The caller holds mu.
func (p *Poller) drop(r *row) {
	delete(p.rows, r.rowName)
	p.Counters.Rows.Add(-1)
	if p.added[r.addedBy]--; p.added[r.addedBy] <= 0 { // the rows of updateBroadcasters have no address
		delete(p.added, r.addedBy)
	}
}

// Events returns a channel that is closed when the subscription ends or is suspended.
// [Subscription.Resume] opens a new one.
func (s *Subscription) Events() <-chan Event {
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	return s.queue
}

// Err returns why the channel of Events was closed, or nil if the channel is open.
func (s *Subscription) Err() error {
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	return s.err
}

func (s *Subscription) Close() {
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	s.end(context.Canceled)
	s.drain()
	if delete(s.row.subscribers, s); len(s.row.subscribers) == 0 {
		s.row.left = s.poller.o.Now()
	}
	s.poller.Counters.Subscribers.Add(-1)
}

// become reports whether the diagram has a transition to next, and makes it. The caller holds mu.
func (s *Subscription) become(next state, err error) bool {
	type transition struct{ from, to state }
	switch (transition{s.state, next}) {
	case transition{waiting, joining}, transition{suspended, closed}:
	case transition{joining, receiving}:
		close(s.ready)
	case transition{receiving, suspended}, transition{receiving, closed}:
		close(s.queue)
	case transition{suspended, receiving}:
		s.queue = make(chan Event, QueueSize)
	case transition{waiting, closed}, transition{joining, closed}:
		close(s.ready)
		close(s.queue)
	default:
		return false
	}
	s.state, s.err = next, err
	return true
}

// The caller holds mu.
func (s *Subscription) end(err error) {
	if s.become(closed, err) {
		s.parked = nil
	}
}

// The caller holds mu.
func (s *Subscription) send(e Event, now time.Time) {
	if s.park(e.Key, now) {
		return
	}
	if len(s.queue) == 0 {
		s.behind = now
	}
	e.queued.hold()
	select {
	case s.queue <- e:
		s.poller.Counters.Delivered.Add(1)
	default:
		e.Release()
		s.cutOff()
	}
}

// The caller holds mu.
func (s *Subscription) cutOff() {
	s.poller.Counters.CutOff.Add(1)
	s.end(ErrSlow)
}
