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

// Resume continues a suspended subscription with a new context, a new end and a new channel of
// Events. The caller ensures that the context is of the same user. Parked entries are pending
// again, so that the poller checks their visibility. The error is that of a subscription that
// closed while it was suspended, such as [ErrSlow]. A subscription that is not suspended continues
// as before.
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

// Rewind suspends the subscription, and parks the entries that it has queued and those that the
// caller took from the channel but did not send.
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

// MoveTo sets s, which is suspended, back to the position of earlier, a subscription to the same
// row that was suspended before: s gets its parked and pending entries instead of its own.
func (s *Subscription) MoveTo(earlier *Subscription) {
	p := s.poller
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending = slices.DeleteFunc(p.pending, func(c Candidate) bool { return c.to == s })
	for _, pending := range slices.Clone(p.pending) {
		if pending.to == earlier {
			pending.to = s
			p.postpone(pending, nil)
		}
	}
	s.parked = slices.Clone(earlier.parked)
	if earlier.state == closed {
		s.end(earlier.err)
	}
}

// park parks the key of an entry if the subscription is suspended or past its end. It reports
// whether the entry must not be sent because of that, or because the subscription is closed. Too
// many parked keys close the subscription. The caller holds mu.
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
