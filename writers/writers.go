// Package writers makes every change of the store, so that no acknowledged change is lost and none
// is left half done, wherever a gateway or a region server dies. docs/WRITES.md says why that
// holds.
//
// A noun's file declares its operation types, as data, and has a method of [Writers] for each
// mutation. Relations need no operation types of their own: see relate.go. Everything else is the
// core: protocol.go has the states of an operation, apply.go and count.go apply its effects,
// sweep.go completes what other gateways left.
//
// Mutations return names and codes as they are stored. Their errors may be [UserErrors]. With the
// same caller and idempotency key, a creation does nothing the second time.
package writers

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/writers/outbox"
)

// Options are the options of [New]. The zero value is valid.
type Options struct {
	// Log gets a warning for each operation that failed and is left to a sweep; nil drops it.
	Log *slog.Logger
	// ListBound is how many members a bucket of a list holds before it is split: [tables.ListBound]
	// if it is 0; less in tests, at least 2.
	ListBound int
	// Jobs is called with each fan-out job that this gateway stored, and must not block. It may be
	// nil.
	Jobs func(tables.Job)
	// Watch is called for each call of the store. It may be nil.
	Watch Watch
	// Seed makes the ids of operations reproducible, for tests. If it is nil, they are random.
	Seed rand.Source
	// parallel is how many nested operations an effect, and how many stale ones a sweep runs at the
	// same time: 32 if it is 0; less in tests.
	parallel int
}

// Watch observes a call of the store: the operation type, and the purposes of the call, at least
// one. It returns the context of the call, and a function that is called when the call has ended.
type Watch func(ctx context.Context, opType string, what []string) (of context.Context, ended func())

// Writers make the changes of one gateway. They are safe for concurrent use.
type Writers struct {
	store hbase.Store
	log   *slog.Logger
	bound int
	jobs  func(tables.Job)
	// Counters count operations. They may be read at any time.
	Counters struct {
		// Open is how many operations of this gateway are neither complete nor left to a sweep.
		Open atomic.Int64
	}

	// now is the clock: those of gateways differ.
	now      func() time.Time
	parallel int // as in Options
	watch    Watch

	increments incrementQueue
	// life ends when Close has waited long enough.
	life context.Context
	end  context.CancelFunc
	// slots is the semaphore of long operations in the background.
	slots chan struct{}

	mu      sync.Mutex
	chance  *rand.Rand
	closed  bool
	running sync.WaitGroup
	// claimed are the operations that this process completes. A channel is closed when it no longer
	// does.
	claimed map[string]chan struct{}
	// complete is the last operation on a commit row, if it is known to be complete. Only types that
	// need their predecessors note it.
	complete map[location]string
	outbox   *outbox.Outbox[*execution]
}

// New returns the writers of a gateway over a store whose tables exist.
func New(store hbase.Store, o Options) *Writers {
	w := &Writers{
		store: store, log: o.Log, jobs: o.Jobs, watch: o.Watch, now: time.Now, parallel: cmp.Or(o.parallel, 32),
		bound: cmp.Or(o.ListBound, tables.ListBound), slots: make(chan struct{}, backgroundLimit),
		claimed: map[string]chan struct{}{}, complete: map[location]string{},
		increments: incrementQueue{rows: map[location][]*increment{}},
	}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	if w.jobs == nil {
		w.jobs = func(tables.Job) {}
	}
	if w.watch == nil {
		w.watch = func(ctx context.Context, _ string, _ []string) (context.Context, func()) { return ctx, func() {} }
	}
	if o.Seed == nil {
		o.Seed = rand.NewPCG(rand.Uint64(), rand.Uint64())
	}
	w.chance = rand.New(o.Seed)
	w.outbox = w.newOutbox()
	w.life, w.end = context.WithCancel(context.Background())
	return w
}

// Close refuses further operations and waits until those that began are complete, or until ctx
// ends. Then it cancels the rest, which a sweep of this or another gateway completes later.
func (w *Writers) Close(ctx context.Context) {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	defer context.AfterFunc(ctx, w.end)()
	w.running.Wait()
	w.end()
}

// enter begins something that Close waits for; running.Done ends it.
func (w *Writers) enter() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return ErrClosed
	}
	w.running.Add(1)
	return nil
}

// outlive returns a context with the values of ctx, which ends with the Writers instead.
func (w *Writers) outlive(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(w.life, cancel)
	return ctx, func() { stop(); cancel() }
}

// newOp returns an id for an operation.
func (w *Writers) newOp(at time.Time) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return tables.NewOp(at, w.chance.Uint64())
}

// oneIn reports true once in n times at random, always if n is less than 2.
func (w *Writers) oneIn(n int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return n < 2 || w.chance.IntN(n) == 0
}

// claim notes that this process completes an operation. first is false if it does so already: then
// wait is closed when it no longer does.
func (w *Writers) claim(id string) (wait <-chan struct{}, first bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.claimed[id]; c != nil {
		return c, false
	}
	w.claimed[id] = make(chan struct{})
	return nil, true
}

// unclaim ends a claim.
func (w *Writers) unclaim(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.claimed[id])
	delete(w.claimed, id)
}
