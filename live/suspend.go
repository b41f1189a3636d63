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
// lost or delivered twice. Subscriptions to a row with the same end stop at the same place,
// because the poller delivers the twits of a poll to all of them with one time.

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

// Resume continues a suspended subscription, for a subscriber of the same name, until another
// end. Twits returns a new channel. The error is the one with which the subscription ended while it
// was suspended, such as [ErrSlow].
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

// Fork returns another subscription that is suspended at the same place as s. The caller must call
// Close.
func (s *Subscription) Fork() *Subscription {
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	fork := *s
	fork.parked = slices.Clone(s.parked)
	p := s.poller
	for _, pending := range slices.Clone(p.pending) {
		if pending.to == s {
			pending.to = &fork
			p.keep(pending, nil)
		}
	}
	if p.forks == nil {
		p.forks = map[*Subscription][]*Subscription{}
	}
	p.forks[s] = append(p.forks[s], &fork)
	s.row.subscribers[&fork] = struct{}{}
	p.Counters.Subscribers.Add(1)
	return &fork
}

// withForks adds the candidates of the forks of subscriptions that were made since the poll in
// progress collected, with the same results of Visible. The caller holds mu.
func (p *Poller) withForks(candidates []addressed, twits []*tables.Twit, errs []error) (
	[]addressed, []*tables.Twit, []error,
) {
	if len(p.forks) == 0 {
		return candidates, twits, errs
	}
	for i := 0; i < len(candidates); i++ { // a fork may have forks
		for _, fork := range p.forks[candidates[i].to] {
			copied := candidates[i]
			copied.to = fork
			candidates, twits = append(candidates, copied), append(twits, twits[i])
			if errs != nil {
				errs = append(errs, errs[i])
			}
		}
	}
	p.forks = nil
	return candidates, twits, errs
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
