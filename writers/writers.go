// Package writers changes the store, crash-safely: see docs/WRITES.md.
//
// A noun's file declares operation types, and has a method of [Writers] for each mutation.
// relate.go derives the operation types of relations from the catalogue.
//
// The core: protocol.go has the states of an operation, attempt.go and commit.go those up to the
// commit, complete.go those after it. apply.go, count.go and each.go apply effects, split.go splits
// buckets, and sweep.go completes stale intents.
//
// Stored names that differ from those in the code:
//
//	cut, empty       split, cleanup                           operation types
//	Fresh, Named     splitArgs.Created, splitArgs.Columns     arguments
//	Left, Gone       unrelateArgs.FromDeleted, .IfMissing     arguments
//	decided          [tables.Intents.Mark]                    column of an intent
//	op, whole        [tables.CommitColumn], .CompleteColumn   columns of a commit row
//	errands, cuts    [tables.Jobs], [tables.Splits]           tables
//	twit_ids         [tables.TwitNames]; an id is Twit.Name   table
//
// Mutations return names and codes in their stored form, which is Unicode's normal form C. Their
// errors may be [UserErrors]. A creation is idempotent under the same caller and idempotency key.
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

// Options are options of [New]. The zero value is valid.
type Options struct {
	Log *slog.Logger // may be nil
	// ListBound is the size of a full bucket, at least 2. The default is [tables.ListBound].
	ListBound int
	// Jobs is called with each job that was stored. It must not block, and may be nil.
	Jobs    func(tables.Job)
	Observe Observer // may be nil
	// Seed makes random numbers reproducible, such as those in ids of operations. It may be nil.
	Seed rand.Source
	// parallel limits the concurrent operations of an effect, and the short operations of a sweep,
	// which has further workers for long ones. The default is 32.
	parallel int
}

// Observer observes a store call. opType is an operation type, "sweep" or "logIn". purposes name
// the steps that the call serves, such as "commit". ended is called at the end of the call.
type Observer func(ctx context.Context, opType string, purposes []string) (of context.Context, ended func())

// Writers run the mutations of one gateway. They are safe for concurrent use.
type Writers struct {
	store     hbase.Store
	log       *slog.Logger
	listBound int
	jobs      func(tables.Job)
	// Open counts the operations of this gateway that have committed, and are neither complete nor
	// left to a sweep.
	Open atomic.Int64

	now      func() time.Time
	parallel int
	observe  Observer

	increments incrementQueue
	// life ends when Close returns, or when its ctx ends while it waits.
	life  context.Context
	end   context.CancelFunc
	slots chan struct{} // of long operations in the background

	mu      sync.Mutex
	random  *rand.Rand
	closed  bool
	running sync.WaitGroup
	// by the id of the operation; unclaim closes the channel
	claimed map[string]chan struct{}
	// by commit row: the operation that was last noted as complete; later ones may have committed
	completed map[location]string
	outbox    *outbox.Outbox[*execution]
}

// New returns the Writers of a gateway. The tables must exist.
func New(store hbase.Store, o Options) *Writers {
	w := &Writers{
		store: store, log: o.Log, jobs: o.Jobs, observe: o.Observe, now: time.Now, parallel: cmp.Or(o.parallel, 32),
		listBound: cmp.Or(o.ListBound, tables.ListBound), slots: make(chan struct{}, backgroundLimit),
		claimed: map[string]chan struct{}{}, completed: map[location]string{},
		increments: incrementQueue{rows: map[location][]*increment{}},
	}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	if w.jobs == nil {
		w.jobs = func(tables.Job) {}
	}
	if w.observe == nil {
		w.observe = func(ctx context.Context, _ string, _ []string) (context.Context, func()) { return ctx, func() {} }
	}
	if o.Seed == nil {
		o.Seed = rand.NewPCG(rand.Uint64(), rand.Uint64())
	}
	w.random = rand.New(o.Seed)
	w.outbox = w.newOutbox()
	w.life, w.end = context.WithCancel(context.Background())
	return w
}

// Close rejects new operations, and waits until the started ones are complete or ctx ends. A sweep
// completes the others later.
func (w *Writers) Close(ctx context.Context) {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	defer context.AfterFunc(ctx, w.end)()
	w.running.Wait()
	w.end()
}

// enter lets an operation start, or returns ErrClosed. The caller ends it by running.Done.
func (w *Writers) enter() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return ErrClosed
	}
	w.running.Add(1)
	return nil
}

// outlive returns a context that ends with w.life instead of ctx.
func (w *Writers) outlive(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(w.life, cancel)
	return ctx, func() { stop(); cancel() }
}

func (w *Writers) newOp(at time.Time) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return tables.NewOp(at, w.random.Uint64())
}

func (w *Writers) oneIn(n int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return n < 2 || w.random.IntN(n) == 0
}

// claim reserves an operation for one execution of this process. If another one has it, first is
// false, and wait is closed when that one calls unclaim.
func (w *Writers) claim(id string) (wait <-chan struct{}, first bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.claimed[id]; c != nil {
		return c, false
	}
	w.claimed[id] = make(chan struct{})
	return nil, true
}

func (w *Writers) unclaim(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.claimed[id])
	delete(w.claimed, id)
}
