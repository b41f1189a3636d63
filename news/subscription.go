package news

import (
	"context"
	"errors"
	"time"
	"unique"

	"twibase/hbase/tables"
)

// The errors with which a subscription ends before its ctx does.
var (
	// ErrSlow is that of a subscriber who let too much come up.
	ErrSlow = errors.New("news: the subscriber reads too slowly")
	// ErrEnded is that of a Poller that ends.
	ErrEnded = errors.New("news: the gateway ends")
	// ErrCut is that of a subscription that was cut: see [Subscription.Cut].
	ErrCut = errors.New("news: the subscription is cut")
)

// Subscription is what a subscriber hears. Its methods are for one goroutine.
type Subscription struct {
	poller *Poller
	row    *row
	ctx    context.Context
	begun  time.Time

	ready chan struct{} // is closed when it has joined
	queue chan *tables.Twit
	// Poller.mu guards what follows: joining says that it joins with the look that is under way.
	joining, joined, over bool
	since                 moment // when the look began with which it joined
	err                   error  // when it is over, or cut
	// until is when the subscription is cut, never if it is zero: see cut.go. What comes later is parked.
	until  time.Time
	cut    bool
	parked []unique.Handle[tables.TwitKey]
}

// Subscribe begins to listen to a row. It returns when everything that is written from now on will be heard, or with the error of ctx. Whoever
// calls it calls Close. Unless until is zero, twits that are found from then on are not told, but parked for [Subscription.Resume].
func (p *Poller) Subscribe(ctx context.Context, kind Kind, owner string, until time.Time) (*Subscription, error) {
	s := &Subscription{poller: p, ctx: ctx, begun: p.o.Now(), ready: make(chan struct{}), queue: make(chan *tables.Twit, Backlog), until: until}
	p.mu.Lock()
	if p.ended {
		p.mu.Unlock()
		return nil, ErrEnded
	}
	s.row = p.row(name{kind, owner}, s.begun)
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
	default: // it is about to look
	}
}

// row returns a row, which is looked at from now on. The caller holds mu.
func (p *Poller) row(n name, now time.Time) *row {
	r := p.rows[n]
	if r == nil {
		r = &row{name: n, begun: now, subscribers: map[*Subscription]struct{}{}}
		p.rows[n] = r
		p.Counters.Rows.Add(1)
	}
	return r
}

// Twits are those of which the subscriber is to be told. The channel is closed when the subscription ends by itself: see Err.
func (s *Subscription) Twits() <-chan *tables.Twit { return s.queue }

// Err tells why the channel of Twits was closed, nil if it is open.
func (s *Subscription) Err() error {
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	return s.err
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.poller.mu.Lock()
	defer s.poller.mu.Unlock()
	s.end(context.Canceled)
	if delete(s.row.subscribers, s); len(s.row.subscribers) == 0 {
		s.row.left = s.poller.o.Now()
	}
	s.poller.Counters.Subscribers.Add(-1)
}

// end closes the channel. The caller holds mu.
func (s *Subscription) end(err error) {
	if s.over {
		return
	}
	s.over, s.err = true, err
	if !s.joined {
		s.joined = true
		close(s.ready)
	}
	if s.parked = nil; !s.cut {
		close(s.queue)
	}
}

// tell puts a twit into the queue, or parks it. The caller holds mu.
func (s *Subscription) tell(twit *tables.Twit, now time.Time) {
	if s.over || s.park(twit.Key(), now) {
		return
	}
	select {
	case s.queue <- twit:
		s.poller.Counters.Told.Add(1)
	default:
		s.poller.Counters.CutOff.Add(1)
		s.end(ErrSlow)
	}
}
