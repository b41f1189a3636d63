// Package live delivers twits to subscribers as they arrive, whichever gateway they were posted
// through.
//
// A [Poller] reads the rows that have subscribers, all of them in one multi-get every [Interval].
// It reads each row back to a time before the last poll, its floor, so that it also finds twits
// that arrive late: from a gateway whose clock is behind, or from a slow fan-out. It remembers the
// keys of what it has seen in a row, so that nothing is delivered twice.
//
// A poll has six steps. The poller holds its mutex only for those that touch its own state, never
// while it waits for the store:
//
//	plan                the rows to read, the joining ones     mutex
//	read                one multi-get, more for long rows
//	updateBroadcasters  authors merged into timelines          mutex
//	collect             new twits and their subscribers        mutex
//	Visible             which the subscribers may see
//	deliver             into the queues of the subscribers     mutex
//
// subscription.go has the states of a subscription.
package live

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Options configure a Poller. Visible is required.
type Options struct {
	// Visible returns the twit to deliver for each candidate, nil for none: the twit was deleted,
	// or the subscriber may not see it. Candidates with an error are retried in the next poll. The
	// errors are nil or index-aligned.
	Visible func(ctx context.Context, candidates []Candidate) ([]*tables.Twit, []error)
	// OldestFanout returns when the oldest unfinished fan-out job was created, the zero time if
	// there is none. Nil means that there never is one.
	OldestFanout func() time.Time
	// Interval is the time between two polls. The default is [Interval].
	Interval time.Duration
	// Log receives the errors of polls. Nil discards them.
	Log *slog.Logger
	// Now is the clock. Nil is time.Now.
	Now func() time.Time
}

const (
	// Interval is the default time between two polls.
	Interval = 500 * time.Millisecond
	// Overlap is how far behind its time a twit may arrive in a row and still be found, while no
	// fan-out is known to be behind.
	Overlap = 30 * time.Second
	// maxLag is how far behind its time a twit may arrive while a fan-out is behind.
	maxLag = 10 * time.Minute
	// maxClockSkew is how much the clocks of two gateways may differ.
	maxClockSkew = 5 * time.Second
	// maxPending is how many candidates are kept for later polls.
	maxPending = 1 << 16
	// pollTimeout bounds a poll. So twits that arrive in two rows during one poll are found with at
	// most this much time between them.
	pollTimeout = 10 * time.Second
	// certainOrder is how much earlier a twit must have been found than another one to be known to
	// have arrived first: more than two polls, of any gateway, can take to read the two rows.
	certainOrder = 3 * pollTimeout
	// idleTimeout is how long a row is still polled without subscribers: the last one may be
	// reconnecting.
	idleTimeout = time.Minute
	// QueueSize is how many twits wait for a subscriber. A subscription that exceeds it ends with
	// [ErrSlow].
	QueueSize = 256
	// pageSize is how many members of a row one Get reads.
	pageSize = 256
)

// Kind is the kind of a row.
type Kind uint8

// The kinds of rows.
const (
	Posts    Kind = iota // the twits of a user
	Timeline             // the timeline of a user
)

// Candidate is a twit that may be delivered to a subscriber.
type Candidate struct {
	// Subscriber is the context of the subscriber.
	Subscriber context.Context
	Kind       Kind
	// Owner is the user whose row it is.
	Owner string
	Key   tables.TwitKey
	// Twit is nil if the row holds keys only, or was read in an earlier poll.
	Twit *tables.Twit
}

// Poller polls rows for subscribers. It is safe for concurrent use.
type Poller struct {
	// Counters count what the poller does.
	Counters Counters

	store   hbase.Store
	o       Options
	started time.Time // just before the first elapsed time
	woken   chan struct{}

	mu      sync.Mutex
	rows    map[rowName]*row
	joining []*Subscription
	// pending are the candidates to try again: Visible failed, or an earlier twit may still be
	// unread.
	pending []addressed
	// broadcastersKnown is false until the first poll after a timeline got its first subscriber.
	broadcastersKnown bool
	ended             bool
}

// Counters may be read at any time. Polls, Rounds, Gets, Delivered and CutOff are totals; CutOff
// counts the subscriptions that ended with [ErrSlow].
type Counters struct {
	Subscribers, Rows                      atomic.Int64
	Polls, Rounds, Gets, Delivered, CutOff atomic.Int64
}

// elapsed is a time on the poller's monotonic clock: since just before it started. Zero is before
// any poll.
type elapsed time.Duration

// New returns a Poller of a store whose tables exist.
func New(store hbase.Store, o Options) *Poller {
	if o.Interval == 0 {
		o.Interval = Interval
	}
	if o.OldestFanout == nil {
		o.OldestFanout = func() time.Time { return time.Time{} }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Poller{store: store, o: o, started: o.Now().Add(-1), rows: map[rowName]*row{}, woken: make(chan struct{}, 1)}
}

// Run polls until ctx ends, then ends all subscriptions with [ErrEnded].
func (p *Poller) Run(ctx context.Context) {
	defer p.end()
	ticks := time.NewTicker(p.o.Interval)
	defer ticks.Stop()
	for {
		all := true
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		case <-p.woken:
			all = false
		}
		bounded, cancel := context.WithTimeout(ctx, pollTimeout)
		if err := p.poll(bounded, p.o.Now(), all); err != nil && ctx.Err() == nil {
			p.o.Log.Warn("poll for new twits failed", "error", err)
		}
		cancel()
	}
}

func (p *Poller) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	for _, r := range p.rows {
		for s := range r.subscribers {
			s.end(ErrEnded)
		}
	}
}
