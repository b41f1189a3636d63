package news

import (
	"context"
	"time"
	"unique"

	"twibase/hbase/tables"
)

// A subscription with an end, such as that of a token, is cut there: it tells what the poller found before, and parks the keys of what it finds later. It
// can be resumed: then what was parked is looked at again, and told as far as the subscriber may see it by then. So nothing is left out and nothing told
// twice. All subscriptions to a row with the same end are cut at the same place, as the poller tells all of them at once.

// Cut cuts the subscription, which has reached its end. The channel of Twits is closed behind the last twit from before, and Err returns [ErrCut].
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

// Resume lets a subscription that was cut go on, for a subscriber of the same name, until another end. Twits returns a new channel. The error is the one
// with which the subscription ended while it was cut, such as [ErrSlow].
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

// Fork returns another subscription that is cut at the same place as s. Whoever calls it calls Close.
func (s *Subscription) Fork() *Subscription {
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	fork := *s
	fork.parked = append([]unique.Handle[tables.TwitKey](nil), s.parked...)
	s.row.subscribers[&fork] = struct{}{}
	s.poller.Counters.Subscribers.Add(1)
	return &fork
}

// park reports whether a twit that is found now comes after the end, and keeps its key. The subscription ends if it has parked too many. The caller
// holds mu.
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
