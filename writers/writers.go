// Package writers runs mutations, crash-safely: see docs/WRITES.md.
//
// A noun's file declares operation types, and has a method of [Writers] for each mutation.
//
// protocol.go has the states of an operation.
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
// Mutations return usernames and codes as stored, in Unicode's normal form C. Their errors may be
// [UserErrors].
package writers

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/writers/outbox"
)

// Options of [New]. The zero value is valid.
type Options struct {
	Log *slog.Logger // may be nil
	// ListBound is the length of a full bucket, at least 2, by default [tables.ListBound].
	ListBound int
	// Jobs is called with each stored job. It must not block, and may be nil.
	Jobs    func(tables.Job)
	Observe Observer // may be nil
	// Seed makes operation ids and other random numbers reproducible. It may be nil.
	Seed rand.Source
	// parallel limits concurrent nested operations of an effect, and short operations of a sweep.
	// The default is 32.
	parallel int
}

// Observer observes a store call. opType may also be "sweep" or "logIn". purposes are steps, such
// as "commit". ended is called after the call.
type Observer func(ctx context.Context, opType string, purposes []string) (of context.Context, ended func())

// observer is an Observer that gets the parents of an operation, too.
type observer func(ctx context.Context, c client, purposes []string) (of context.Context, ended func())

// Writers run the mutations of one gateway. They are safe for concurrent use.
type Writers struct {
	store     hbase.Store
	log       *slog.Logger
	listBound int
	jobs      func(tables.Job)

	now      func() time.Time
	parallel int
	observe  observer

	increments incrementQueue
	// life ends when the ctx of Close ends, or when Close returns.
	life  context.Context
	end   context.CancelFunc
	slots chan struct{} // of long operations in the background

	mu      sync.Mutex
	random  *rand.Rand
	closed  bool
	running sync.WaitGroup
	// by operation id; unclaim closes the channel
	claimed map[string]chan struct{}
	// by commit row: the last operation known to be complete; a later one may have committed
	completed map[location]string
	outbox    *outbox.Outbox[*execution]
}

// New returns the Writers of a gateway. The tables must exist.
func New(store hbase.Store, o Options) *Writers {
	w := &Writers{
		store: store, log: o.Log, jobs: o.Jobs, now: time.Now, parallel: cmp.Or(o.parallel, 32),
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
	w.observe = func(ctx context.Context, c client, purposes []string) (context.Context, func()) {
		if o.Observe == nil {
			return ctx, func() {}
		}
		return o.Observe(ctx, c.caller, purposes)
	}
	if o.Seed == nil {
		o.Seed = rand.NewPCG(rand.Uint64(), rand.Uint64())
	}
	w.random = rand.New(o.Seed)
	w.outbox = w.newOutbox()
	w.life, w.end = context.WithCancel(context.Background())
	return w
}

// Close rejects new operations, and waits for started ones. When ctx ends, it cancels their
// effects: a sweep completes them.
func (w *Writers) Close(ctx context.Context) {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	defer context.AfterFunc(ctx, w.end)()
	w.running.Wait()
	w.end()
}

// enter registers an operation in running, or returns ErrClosed. The caller calls running.Done.
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

// claim reserves an operation for one execution of this process. If first is false, wait is closed
// when the other execution ends.
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
