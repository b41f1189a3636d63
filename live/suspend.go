package live

import (
	"context"
	"slices"
	"time"
	"unique"
)

// Suspend closes the channel of Events; Err returns [ErrSuspended].
func (s *Subscription) Suspend() {
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	if s.become(suspended, ErrSuspended) {
		s.ctx = context.Background() // releases the subscriber's context
	}
}

// Resume continues a suspended subscription with a new end, a new channel of Events, and a new
// context of the same user. The next poll checks the visibility of parked entries. Resume returns
// the error of a closed subscription. It does nothing if the subscription is not suspended.
func (s *Subscription) Resume(ctx context.Context, until time.Time) error {
	p := s.poller
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.state != suspended {
		return s.err
	}
	s.become(receiving, nil)
	s.ctx, s.until = ctx, until
	for _, key := range s.parked {
		p.postpone(Candidate{ctx, s.row.kind, s.row.owner, key.Value(), nil, s}, nil)
	}
	s.parked = nil
	p.wake()
	return nil
}

// Rewind suspends the subscription, and parks the queued entries and those that the caller took
// from the channel but did not send.
func (s *Subscription) Rewind(taken []Key) {
	s.Suspend()
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	if s.state == closed {
		return
	}
	for _, key := range taken {
		s.park(key, time.Time{})
	}
	for e := range s.queue {
		s.park(e.Key, time.Time{})
		e.Release()
	}
}

// MoveTo replaces the parked and pending entries of s by those of other, as if s had been suspended
// when other was. Both have the same row. s is suspended; other was suspended before s. If other
// has been closed since, s is closed, too.
func (s *Subscription) MoveTo(other *Subscription) {
	p := s.poller
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending = slices.DeleteFunc(p.pending, func(c Candidate) bool { return c.to == s })
	for _, pending := range slices.Clone(p.pending) {
		if pending.to == other {
			pending.to = s
			p.postpone(pending, nil)
		}
	}
	s.parked = slices.Clone(other.parked)
	if other.state == closed {
		s.end(other.err)
	}
}

// park returns false if the entry may be sent now. It parks the key if the subscription is
// suspended or past its end, and closes the subscription if too many keys are parked. The caller
// holds mu.
func (s *Subscription) park(key Key, now time.Time) bool {
	switch {
	case s.state == closed:
	case s.state != suspended && (s.until.IsZero() || now.Before(s.until)):
		return false
	case len(s.parked) < QueueSize:
		s.parked = append(s.parked, unique.Make(key))
	default:
		s.cutOff()
	}
	return true
}
