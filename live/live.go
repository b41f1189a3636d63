// Package live delivers new entries of lists, such as twits, to subscribers.
//
// Every [Interval] a [Poller] reads all rows in use: rows that have a subscriber, or had one in the
// last minute. If one of them is a timeline, it also reads the twits of all broadcasters.
//
// A poll reads the entries of a row that are newer than its floor. The floor is at least [Overlap]
// before the previous poll, because a slow clock or a slow fan-out adds entries late. The poller
// remembers the keys found in each row, and delivers no entry twice.
//
// A poll never holds the poller's mutex during I/O:
//
//	plan                rows to read, subscriptions that join  mutex
//	read                multi-gets of positions, and of entries without texts
//	updateBroadcasters  authors merged into timelines          mutex
//	collect             new entries and their subscribers      mutex
//	Visible             the entries that subscribers may see, some at a time
//	deliver             into the queues of the subscribers     mutex
package live

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"twibase/hbase"
)

// Options configure a Poller. Visible is required.
type Options struct {
	// Visible returns the entry to deliver for each candidate, nil if it was deleted or is hidden
	// from the subscriber. The errors are nil or index-aligned. The next poll retries candidates
	// with an error. A call has candidates of at most [entriesPerCall] entries.
	Visible func(ctx context.Context, candidates []Candidate) ([]any, []error)
	// Size returns the bytes of an entry, for [maxQueued]. The default is 0.
	Size func(entry any) int
	// PendingSince returns the times of the oldest unfinished writes, such as fan-out jobs, which
	// may still add entries of those times. Zero times are ignored. The default is none.
	PendingSince func() []time.Time
	Interval     time.Duration // the default is [Interval]
	Log          *slog.Logger  // nil discards the messages
	Now          func() time.Time
}

const (
	// Interval is the default time between two polls.
	Interval = 500 * time.Millisecond
	// Overlap is the assumed maximum delay of an entry's arrival in a row. Unfinished writes extend
	// it, up to maxLag.
	Overlap = 30 * time.Second
	maxLag  = 10 * time.Minute
	// MaxClockSkew is the tolerated clock difference between gateways.
	MaxClockSkew = 5 * time.Second
	maxPending   = 1 << 16 // candidates kept for later polls
	pollTimeout  = 10 * time.Second
	// certainOrder is longer than two polls. If a gateway finds two entries so far apart, every
	// gateway finds them in the same order.
	certainOrder = 3 * pollTimeout
	// A row without subscribers is polled for idleTimeout, because a subscriber may reconnect.
	idleTimeout = time.Minute
	// MaxRows bounds the polled rows. Rows of broadcasters count, but are polled even beyond it.
	// The next poll drops rows without subscribers before their idleTimeout: all of them if more
	// than half of MaxRows are polled, and otherwise those of addresses that have added more than
	// about half of the rows that they may add (see [Poller.Subscribe]).
	MaxRows = 20_000
	// rowReserve: see [Poller.Subscribe].
	rowReserve = 4
	// QueueSize bounds the entries that wait for a subscriber: see [ErrSlow].
	QueueSize   = 256
	maxQueued   = 64 << 20 // bytes of all queued entries
	pageSize    = 256      // members per Get
	rowsPerCall = 1000
	// entriesPerCall bounds the entries of a call of Visible. Twits of the maximum length then have
	// 14.5 MiB of texts and URLs; imported twits may be longer.
	entriesPerCall = 256
)

// Key is the owner of a list and a position there. An entry of a timeline has its twit's Key in the
// author's list.
type Key struct{ Owner, Position string }

// Candidate is an entry that may be delivered to a subscriber.
type Candidate struct {
	Subscriber context.Context
	Kind       Kind
	Owner      string
	Key        Key
	// Entry is nil if Options.Visible must read it: for twits, comments, and candidates of an
	// earlier poll.
	Entry any
	to    *Subscription
}

// Poller polls rows for subscribers. It is safe for concurrent use.
type Poller struct {
	Counters Counters

	store   hbase.Store
	o       Options
	started time.Time
	woken   chan struct{}
	queued  atomic.Int64 // bytes

	mu      sync.Mutex
	rows    map[rowName]*row
	added   map[string]int // rows by the address that added them
	joining []*Subscription
	// pending are candidates for the next poll: Visible failed, an earlier entry may be unread, or
	// they were parked.
	pending []Candidate
	// broadcastersKnown is true if a timeline is in use and a poll has read the list of
	// broadcasters.
	broadcastersKnown bool
	ended             bool
}

// Counters may be read concurrently. All but Subscribers and Rows are totals. CutOff counts
// subscriptions that ended with [ErrSlow].
type Counters struct {
	Subscribers, Rows                      atomic.Int64
	Polls, Rounds, Gets, Delivered, CutOff atomic.Int64
}

type elapsed time.Duration // since Poller.started, 0 before any poll

// New returns a Poller of a store whose tables exist.
func New(store hbase.Store, o Options) *Poller {
	if o.Interval == 0 {
		o.Interval = Interval
	}
	if o.PendingSince == nil {
		o.PendingSince = func() []time.Time { return nil }
	}
	if o.Size == nil {
		o.Size = func(any) int { return 0 }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Poller{
		store: store, o: o, started: o.Now().Add(-1), rows: map[rowName]*row{}, added: map[string]int{},
		woken: make(chan struct{}, 1),
	}
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
			p.o.Log.Warn("poll for new entries failed", "error", err)
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
