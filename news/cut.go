package news

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
// lost or delivered twice. Subscriptions to a row with the same end are cut at the same place,
// because the poller delivers a look to all of them with one time.

// Cut cuts the subscription, which has reached its end. The channel of Twits is closed behind the
// last twit from before, and Err returns [ErrCut].
func (s *Subscription) Cut() {
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	if s.over || s.cut {
		return
	}
	s.cut, s.err = true, ErrCut
	s.ctx = context.Background() // that of the subscriber is not kept
	close(s.queue)
}

// Resume lets a subscription that was cut go on, for a subscriber of the same name, until another
// end. Twits returns a new channel. The error is the one with which the subscription ended while it
// was cut, such as [ErrSlow].
func (s *Subscription) Resume(ctx context.Context, until time.Time) error {
	p := s.poller
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.over {
		return s.err
	}
	s.ctx, s.until, s.cut, s.err = ctx, until, false, nil
	s.queue = make(chan *tables.Twit, Backlog)
	for _, key := range s.parked {
		p.keep(sighted{Sight{ctx, s.row.kind, s.row.owner, key.Value(), nil}, s}, nil)
	}
	s.parked = nil
	p.wake()
	return nil
}

// Rewind cuts the subscription before the twits that wait in its channel, and before those with the
// given keys, which came out of it.
func (s *Subscription) Rewind(taken []tables.TwitKey) {
	s.Cut()
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	if s.over {
		return
	}
	for _, key := range taken {
		s.park(key, time.Time{})
	}
	for t := range s.queue {
		s.park(t.Key(), time.Time{})
	}
}

// Fork returns another subscription that is cut at the same place as s. Whoever calls it calls
// Close.
func (s *Subscription) Fork() *Subscription {
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	fork := *s
	fork.parked = slices.Clone(s.parked)
	p := s.poller
	for _, pending := range slices.Clone(p.again) {
		if pending.of == s {
			pending.of = &fork
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

// withForks adds the sights of the forks of subscriptions that were made since the look under way
// compared, with the same results of See. The caller holds mu.
func (p *Poller) withForks(sights []sighted, twits []*tables.Twit, errs []error) (
	[]sighted, []*tables.Twit, []error,
) {
	if len(p.forks) == 0 {
		return sights, twits, errs
	}
	for i := 0; i < len(sights); i++ { // a fork may have forks
		for _, fork := range p.forks[sights[i].of] {
			sight := sights[i]
			sight.of = fork
			sights, twits = append(sights, sight), append(twits, twits[i])
			if errs != nil {
				errs = append(errs, errs[i])
			}
		}
	}
	p.forks = nil
	return sights, twits, errs
}

// park reports whether a twit that is found now comes after the end, and keeps its key. The
// subscription ends if it has parked too many. The caller holds mu.
func (s *Subscription) park(key tables.TwitKey, now time.Time) bool {
	if !s.cut && (s.until.IsZero() || now.Before(s.until)) {
		return false
	}
	switch {
	case s.over:
	case len(s.parked) < Backlog:
		s.parked = append(s.parked, unique.Make(key))
	default:
		s.poller.Counters.CutOff.Add(1)
		s.end(ErrSlow)
	}
	return true
}
