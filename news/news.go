// Package news tells subscribers of twits that come, whichever gateway they come from: it looks at the rows into which twits are written, again and
// again, all of them at once, however many subscribers there are.
//
// A row is read back to some time before now, so that what comes late is found: by the clock of another gateway, or by a fan-out that took
// its time. What was there before is known by its key, and nobody is told of it twice.
package news

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Options are what a Poller is given. See is needed.
type Options struct {
	// See answers each sight with the twit that its subscriber is told of, nil for none: gone, or not for these eyes. What fails is asked
	// again at the next look; the errors are nil or index-aligned.
	See func(ctx context.Context, sights []Sight) ([]*tables.Twit, []error)
	// Behind tells since when there is, or may be, a twit that has not been brought into all timelines, the zero time if there is none; nil: there
	// never is.
	Behind func() time.Time
	// Interval is the time between two looks: [Interval] if it is 0.
	Interval time.Duration
	// Log is told of looks that failed; nil drops it.
	Log *slog.Logger
	// Now is the clock; nil is the machine's.
	Now func() time.Time
}

const (
	// Interval is the time from one look to the next.
	Interval = 500 * time.Millisecond
	// Overlap is how much later than its time a twit may come into a row and still be found, if nothing is known of its being late.
	Overlap = 30 * time.Second
	// farthest is how much that is if it is known.
	farthest = 10 * time.Minute
	// skew is how much the clocks of gateways may differ.
	skew = 5 * time.Second
	// atMost is how many sights are kept at most that could not be seen yet.
	atMost = 1 << 16
	// patience is how long a look may take. What came to another row while one was read is found apart from that by at most as much.
	patience = 10 * time.Second
	// apart is how long before another one a twit has to have been found to be known to have come first: more than what one look, of whichever
	// gateway, reads of several rows may be apart.
	apart = 3 * patience
	// linger is for how long a row is looked at after its last subscriber went, who may be about to come back.
	linger = time.Minute
	// Backlog is how many twits wait for a subscriber at most. One who lets more come up is cut off.
	Backlog = 256
	// pageSize is how many members of a row are read together.
	pageSize = 256
)

// Kind is a kind of row.
type Kind uint8

// The kinds.
const (
	Posts    Kind = iota // what a user posts
	Timeline             // what comes into a user's timeline
)

// Sight is a twit that a subscriber may be told of.
type Sight struct {
	// Subscriber is the ctx of whoever subscribes.
	Subscriber context.Context
	Kind       Kind
	// Owner is whose row it is.
	Owner string
	Key   tables.TwitKey
	// Twit is nil if the row has no more than its key, or was read a while ago.
	Twit *tables.Twit
}

// Poller looks at rows. It is safe for concurrent use.
type Poller struct {
	// Counters say what it does.
	Counters Counters

	store hbase.Store
	o     Options
	epoch time.Time // before it began
	woken chan struct{}

	mu      sync.Mutex
	rows    map[name]*row
	joining []*Subscription
	again   []sighted // what could not be seen yet, or is to wait
	// forks has the forks of a subscription that were made since the last look compared: the look
	// under way does not have them.
	forks    map[*Subscription][]*Subscription
	oriented bool // whether it is known who was a broadcaster when the first subscriber of a timeline came
	ended    bool
}

// Counters may be read at any time. Looks, Rounds, Gets, Told and CutOff count since the process began.
type Counters struct {
	Subscribers, Rows                 atomic.Int64
	Looks, Rounds, Gets, Told, CutOff atomic.Int64
}

// New returns a Poller of a store whose tables exist.
func New(store hbase.Store, o Options) *Poller {
	if o.Interval == 0 {
		o.Interval = Interval
	}
	if o.Behind == nil {
		o.Behind = func() time.Time { return time.Time{} }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Poller{store: store, o: o, epoch: o.Now().Add(-1), rows: map[name]*row{}, woken: make(chan struct{}, 1)}
}

// Run looks until ctx ends, and then ends all subscriptions.
func (p *Poller) Run(ctx context.Context) {
	defer p.end()
	ticks := time.NewTicker(p.o.Interval)
	defer ticks.Stop()
	for {
		joined := false
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		case <-p.woken:
			joined = true
		}
		bounded, done := context.WithTimeout(ctx, patience)
		if err := p.look(bounded, p.o.Now(), joined); err != nil && ctx.Err() == nil {
			p.o.Log.Warn("looking for twits failed", "error", err)
		}
		done()
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
