package writers

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/writers/outbox"
)

// Intents are items of an outbox, so any gateway completes what another one left. Package outbox has the
// protocol of leases and scans. A gateway has the lease of its own operation from the intent on, and works on
// it without a queue: at once, before and after the acknowledgement.

const (
	// oldIntent is the age from which on an intent is taken for stale.
	oldIntent = 5 * time.Second
	// shortLimit is how many stale intents, at most, a gateway completes at a time, beside the long ones.
	shortLimit = 32
)

func (w *Writers) newOutbox() *outbox.Outbox[*execution] {
	return outbox.New(outbox.Config[*execution]{
		Store:          w.store,
		Table:          tables.Intents.Outbox,
		Decode:         w.parse,
		Due:            func(x *execution) time.Time { return time.UnixMilli(x.intent.Due) },
		MinAge:         oldIntent,
		LeaseTimestamp: func(x *execution) int64 { return x.intent.At }, // so that the intent's deletion masks it
		Work:           w.completeStale,
		Workers:        shortLimit,
		Long:           (*execution).long,
		LongWorkers:    backgroundLimit,
		Log:            w.log,
		Observe: func(ctx context.Context, x *execution, what string) (context.Context, func()) {
			if x == nil {
				return client{w, "sweep"}.call(ctx, what)
			}
			return x.call(ctx, what)
		},
		Now:  func() time.Time { return w.now() },
		Rand: rand.NewPCG(w.chance.Uint64(), w.chance.Uint64()),
	})
}

// Run completes stale intents until ctx ends, and then what it has begun, until Close has waited long enough.
func (w *Writers) Run(ctx context.Context) {
	work, cancel := w.outlive(ctx)
	defer cancel()
	w.outbox.Run(ctx, work)
}

// Sweep completes the intents that are more than 5 seconds old and that no other gateway has leased.
// It returns the errors of those that failed or cannot be read.
func (w *Writers) Sweep(ctx context.Context) error {
	if err := w.enter(); err != nil {
		return err
	}
	defer w.running.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.life, cancel)()
	return errors.Join(w.outbox.Sweep(ctx))
}

// completeStale completes the operation of a stale intent, or keeps it from committing. It reports false if this
// process completes it already, or if its predecessor is not complete.
func (w *Writers) completeStale(ctx context.Context, item *outbox.Item[*execution]) (done bool, err error) {
	x := item.Value
	if w.enter() != nil {
		return false, nil
	}
	defer w.running.Done()
	if _, first := w.begin(item.ID); !first {
		return false, nil
	}
	defer w.over(item.ID)
	if err := item.Renew(ctx); err != nil {
		return false, err
	}
	err = x.alone(ctx, func(ctx context.Context) (err error) {
		done, err = x.settle(ctx)
		return err
	})
	if errors.Is(err, errSuperseded) {
		err = outbox.ErrLost
	}
	return done, err
}

// fate is what a sweep found out about a stale intent.
type fate int

const (
	// postponed: the operation before it on its commit row is not complete. A later sweep looks again.
	postponed fate = iota
	// committed: its effects must be applied.
	committed
	// fenced: it did not commit, and never will.
	fenced
)

// settle finishes an operation, or keeps it from committing. It reports false if neither is possible yet.
func (x *execution) settle(ctx context.Context) (bool, error) {
	fate, err := x.fate(ctx)
	if err != nil {
		return false, err
	}
	switch fate {
	case committed:
		err = x.finish(ctx)
	case fenced:
		err = x.mutate(ctx, write{"sweep, forget", tables.Intents.Remove(x.intent)})
	}
	return fate != postponed, err
}

// fate finds out whether the operation committed, and fences it if it did not.
func (x *execution) fate(ctx context.Context) (fate, error) {
	if x.marked || x.intent.Table == "" {
		return committed, nil
	}
	for range maxTries {
		row, err := x.one(ctx, "sweep, read", x.lastGet())
		if err != nil {
			return 0, err
		}
		last, err := tables.DecodeOp(row)
		switch id, _ := tables.CommittedBy(last); {
		case err != nil:
			return 0, err
		case id == x.intent.ID:
			return committed, nil
		case last != x.intent.After:
			_, marked, err := x.ownIntent(ctx, "sweep, own intent")
			if err == nil && marked {
				return committed, nil
			}
			return fenced, err
		}
		// A fence is a commit like any other: the operation before it must be complete. A sweep completes that
		// one by itself, so nothing short waits for something long.
		if id, incomplete := predecessor(ctx, last); incomplete {
			open, err := x.openIntents(ctx, []string{id}, "sweep, last intent")
			if err != nil || open[id] {
				return postponed, err
			}
		}
		switch done, err := x.fence(ctx, row); {
		case done:
			return fenced, nil
		case err != nil && !errors.Is(err, hbase.ErrUnavailable):
			return 0, err
		}
	}
	return 0, x.failed("sweep", hbase.ErrUnavailable)
}

// intended is the intent, leased to this gateway from the beginning. Every renewal expects a lease, so one that
// comes late leaves nothing behind where the intent was.
func (x *execution) intended() write {
	put := tables.Intents.Put(x.intent)
	put.Cells = append(put.Cells, x.w.outbox.Lease(x))
	return write{"intent", put}
}

// alone does work in the background while it renews the lease. If another execution takes
// the lease, the work is cut off, and the error is errSuperseded.
func (x *execution) alone(ctx context.Context, work func(context.Context) error) error {
	working, stop := x.keep(ctx)
	defer stop()
	err := work(working)
	if err != nil && working.Err() != nil && ctx.Err() == nil {
		err = errSuperseded
	}
	return err
}

// keep renews the lease until stop is called. The returned context ends when another execution has the lease, or
// the operation is complete.
func (x *execution) keep(ctx context.Context) (working context.Context, stop func()) {
	return x.w.outbox.Item(x.intent.ID, x).Keep(ctx)
}
