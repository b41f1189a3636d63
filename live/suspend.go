package live

import (
	"context"
	"slices"
	"time"
	"unique"

	"twibase/hbase/tables"
)

// A subscription may have an end, such as the expiry of a token. Twits that the poller finds before
// it are delivered. From then on it parks the keys of the twits that it finds. Resume puts the
// parked twits back: the poller checks their visibility again and delivers them, so that none is
// lost or delivered twice. Subscriptions to a row with the same end stop at the same place, because
// the poller delivers the twits of a poll to all of them with one time.

// Suspend suspends the subscription, which has reached its end. The channel of Twits is closed
// behind the last twit from before, and Err returns [ErrSuspended].
func (s *Subscription) Suspend() {
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	if s.state != receiving {
		return
	}
	s.state, s.err = suspended, ErrSuspended
	s.ctx = context.Background() // does not keep the memory of the subscriber's
	close(s.queue)
}

// Resume continues a suspended subscription, for a subscriber of the same name, until another end.
// Twits returns a new channel. The error is the one with which the subscription ended while it was
// suspended, such as [ErrSlow].
func (s *Subscription) Resume(ctx context.Context, until time.Time) error {
	p := s.poller
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.state == closed {
		return s.err
	}
	s.state, s.ctx, s.until, s.err = receiving, ctx, until, nil
	s.queue = make(chan *tables.Twit, QueueSize)
	for _, key := range s.parked {
		p.keep(addressed{Candidate{ctx, s.row.kind, s.row.owner, key.Value(), nil}, s}, nil)
	}
	s.parked = nil
	p.wake()
	return nil
}

// Rewind suspends the subscription before the twits that wait in its channel, and before those with
// the given keys, which came out of it.
func (s *Subscription) Rewind(taken []tables.TwitKey) {
	s.Suspend()
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	if s.state == closed {
		return
	}
	for _, key := range taken {
		s.park(key, time.Time{})
	}
	for t := range s.queue {
		s.park(t.Key(), time.Time{})
	}
}

// MoveTo moves the suspended subscription back to where an earlier one of the same row is
// suspended. What the poll in progress has found is for both.
func (s *Subscription) MoveTo(earlier *Subscription) {
	p := s.poller
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending = slices.DeleteFunc(p.pending, func(c addressed) bool { return c.to == s })
	for _, pending := range slices.Clone(p.pending) {
		if pending.to == earlier {
			pending.to = s
			p.keep(pending, nil)
		}
	}
	s.parked = slices.Clone(earlier.parked)
	if earlier.state == closed {
		s.end(earlier.err)
	}
}

// park keeps the key of a twit that was found after the end, and reports whether it was. The
// subscription ends if it has too many. The caller holds mu.
func (s *Subscription) park(key tables.TwitKey, now time.Time) bool {
	switch {
	case s.state != suspended && (s.until.IsZero() || now.Before(s.until)):
		return false
	case s.state == closed:
	case len(s.parked) < QueueSize:
		s.parked = append(s.parked, unique.Make(key))
	default:
		s.cutOff()
	}
	return true
}
