package writers

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"twibase/hbase/tables"
	"twibase/writers/outbox"
)

const staleAge = 5 * time.Second

func (w *Writers) newOutbox() *outbox.Outbox[*execution] {
	return outbox.New(outbox.Config[*execution]{
		Store:  w.store,
		Table:  tables.Intents.Outbox,
		Decode: w.parse,
		Describe: func(x *execution) outbox.Properties {
			// The deletion of the intent must mask the lease, too.
			return outbox.Properties{Due: time.UnixMilli(x.intent.Due), LeaseTimestamp: x.intent.At, Long: x.long()}
		},
		MinAge:      staleAge,
		Work:        w.completeStale,
		Workers:     w.parallel,
		LongWorkers: min(w.parallel, backgroundLimit),
		Log:         w.log,
		Observe: func(ctx context.Context, x *execution, purpose string) (context.Context, func()) {
			if x == nil {
				return w.client("sweep").call(ctx, purpose)
			}
			return x.call(ctx, purpose)
		},
		Now:  func() time.Time { return w.now() },
		Rand: rand.NewPCG(w.random.Uint64(), w.random.Uint64()),
	})
}

// Run completes stale intents until ctx is done, and then waits for started operations. Close may
// cancel them.
func (w *Writers) Run(ctx context.Context) {
	work, cancel := w.outlive(ctx)
	defer cancel()
	w.outbox.Run(ctx, work)
}

// Lag returns the intents older than staleAge as of the last scan, also of those leased or not yet
// due.
func (w *Writers) Lag() outbox.Lag { return w.outbox.Lag() }

// PendingSince is [outbox.Outbox.PendingSince] of the intents, also of those leased or not yet due.
func (w *Writers) PendingSince() time.Time { return w.outbox.PendingSince() }

// Sweep completes all stale intents that no execution of this process has claimed.
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

// completeStale returns false without an error after Close, and if this process already executes
// the operation.
func (w *Writers) completeStale(ctx context.Context, item *outbox.Item[*execution]) (done bool, err error) {
	x := item.Value
	if w.enter() != nil {
		return false, nil
	}
	defer w.running.Done()
	if _, first := w.claim(item.ID); !first {
		return false, nil
	}
	defer w.unclaim(item.ID)
	if err := item.Renew(ctx); err != nil {
		return false, err
	}
	if x.sweeping = true; !x.marked && x.intent.Table != "" {
		x.state = stateResolving
	}
	lost, err := x.withLease(ctx, func(ctx context.Context) error {
		return x.advance(ctx, func(s state) bool { return s.end() || s == stateLost || s == stateUnknown })
	})
	if lost {
		return false, outbox.ErrLeaseLost
	}
	return err == nil, err
}

// leasedIntent puts the intent with a lease. Renewals expect the previous lease, so after the
// removal of the intent they write nothing.
func (x *execution) leasedIntent() write {
	put := tables.Intents.Put(x.intent)
	put.Cells = append(put.Cells, x.w.outbox.Lease(x))
	return write{"intent", put}
}

// withLease renews the lease until work returns. If another gateway takes the lease, work's context
// ends, and lost is true.
func (x *execution) withLease(ctx context.Context, work func(context.Context) error) (lost bool, err error) {
	working, stop := x.w.outbox.Item(x.intent.ID, x).RenewPeriodically(ctx)
	defer stop()
	if err = work(working); err != nil && working.Err() != nil && ctx.Err() == nil {
		return true, nil
	}
	return false, err
}
