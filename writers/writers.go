// Package writers makes every change of the store, so that no acknowledged change is lost and none
// is left half done, wherever a gateway or a region server dies. docs/WRITES.md says why that
// holds.
//
// A noun's file declares its operation types, as data, and has a method of [Writers] for each
// mutation. Relations need no operation types of their own: see relate.go. Everything else is the
// core: protocol.go has the states of an operation, apply.go and count.go apply its effects,
// sweep.go completes what other gateways left.
package writers

import (
	"context"
	"encoding/binary"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	crypto "crypto/rand"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Options are what a gateway may set. The zero value is good.
type Options struct {
	// Log is told of what could not be finished and is left to the next sweep; nil drops it.
	Log *slog.Logger
	// ListBound is how many members a bucket of a list holds before it is cut: [tables.ListBound]
	// if it is 0, less in tests, at least 2.
	ListBound int
	// Jobs is told of each job that this gateway put into the store, and must not wait; nil is
	// nobody.
	Jobs func(tables.Job)
	// Watch is told of each call of the store; nil is nobody.
	Watch Watch
	// Seed makes the ids of writes repeatable, for tests; nil is chance.
	Seed rand.Source
}

// Watch is told of a call of the store: the kind of the write, and what the call is for, one or
// more things. It returns the ctx of the call, and what is called when that is over.
type Watch func(ctx context.Context, kind string, what []string) (of context.Context, over func())

// Writers make the changes of one gateway. All methods may be called concurrently.
type Writers struct {
	store  hbase.Store
	log    *slog.Logger
	bound  int
	holder string // of leases
	// jobs is told of what is to be done in the background.
	jobs func(tables.Job)
	// Counters say what became of the writes.
	Counters Counters

	// now is the clock: those of gateways differ.
	now func() time.Time
	// parallel is how many writes a step that has many of them runs side by side.
	parallel int
	watch    Watch

	increments incrementQueue
	completed  completedOps
	// life ends when Close has waited long enough.
	life context.Context
	end  context.CancelFunc
	// slots bounds what runs in the background.
	slots chan struct{}

	mu      sync.Mutex
	chance  *rand.Rand
	closed  bool
	running sync.WaitGroup
	// active are the decided writes that this process carries on; the channel is closed when it no
	// longer does.
	active map[string]chan struct{}
	// queued are those that it will carry on, and that anybody may meanwhile.
	queued  map[string]bool
	sweeper sweeper
}

// Counters count, since the process began. They may be read at any time.
type Counters struct {
	// Open is how many writes of this gateway are on their way: begun, and their intents not yet
	// removed.
	Open atomic.Int64
	// Decided counts writes, Helped those of others that were in the way, Again the times that a
	// write was begun anew since another came before it, Retries stages that were repeated after a
	// failure, Left writes that failed and were left to a sweep.
	Decided, Helped, Again, Retries, Left atomic.Int64
	// Swept counts old intents that a sweep finished, Fenced those that it kept from being decided.
	Swept, Fenced atomic.Int64
	// Splits counts the buckets that were split.
	Splits atomic.Int64
}

// New returns the writers of a gateway over a store whose tables exist.
func New(store hbase.Store, o Options) *Writers {
	w := &Writers{store: store, log: o.Log, jobs: o.Jobs, watch: o.Watch, bound: o.ListBound, now: time.Now, parallel: 32, slots: make(chan struct{}, backgroundLimit),
		active: map[string]chan struct{}{}, queued: map[string]bool{}}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	if w.jobs == nil {
		w.jobs = func(tables.Job) {}
	}
	if w.bound == 0 {
		w.bound = tables.ListBound
	}
	if o.Seed == nil {
		var seed [16]byte
		_, _ = crypto.Read(seed[:])
		o.Seed = rand.NewPCG(binary.BigEndian.Uint64(seed[:8]), binary.BigEndian.Uint64(seed[8:]))
	}
	w.chance = rand.New(o.Seed)
	host, _ := os.Hostname()
	w.holder = host + "/" + strconv.FormatUint(w.chance.Uint64(), 36)
	w.life, w.end = context.WithCancel(context.Background())
	return w
}

// Close refuses further writes and waits until what was begun is whole, or until ctx ends: then the
// rest is cut off and left to the sweep of another gateway, or of this one when it starts again.
func (w *Writers) Close(ctx context.Context) {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	done := make(chan struct{})
	go func() {
		w.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		w.end()
	case <-ctx.Done():
		w.end()
		<-done
	}
}

// enter begins something that Close waits for; leave, running.Done, ends it.
func (w *Writers) enter() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return ErrClosed
	}
	w.running.Add(1)
	return nil
}

// outlive returns a ctx with the values of ctx, that ends with the Writers instead.
func (w *Writers) outlive(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(w.life, cancel)
	return ctx, func() { stop(); cancel() }
}

// newOp returns an id for a write.
func (w *Writers) newOp(at time.Time) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return tables.NewOp(at, w.chance.Uint64())
}

// oneIn reports true once in n times, by chance; always if n is less than 2.
func (w *Writers) oneIn(n int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return n < 2 || w.chance.IntN(n) == 0
}

// begin notes that this process carries a write on. It reports false if it does so already; wait
// ends when it is over.
func (w *Writers) begin(id string) (wait <-chan struct{}, first bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.active[id]; c != nil {
		return c, false
	}
	w.active[id] = make(chan struct{})
	return nil, true
}

func (w *Writers) over(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.active[id])
	delete(w.active, id)
}
