package writers

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"twibase/hbase/tables"
	"twibase/writers/outbox"
)

// Intents are items of an outbox, so any gateway completes what another one left. Package outbox has the
// protocol of leases and scans. A gateway has the lease of its own operation from the intent on, and works on
// it without a queue: at once, before and after the acknowledgement.

// oldIntent is the age from which on an intent is taken for stale.
const oldIntent = 5 * time.Second

func (w *Writers) newOutbox() *outbox.Outbox[*execution] {
	return outbox.New(outbox.Config[*execution]{
		Store:  w.store,
		Table:  tables.Intents.Outbox,
		Decode: w.parse,
		Describe: func(x *execution) outbox.Properties {
			// The deletion of the intent masks a lease of its timestamp.
			return outbox.Properties{Due: time.UnixMilli(x.intent.Due), LeaseTimestamp: x.intent.At, Long: x.long()}
		},
		MinAge:      oldIntent,
		Work:        w.completeStale,
		Workers:     w.parallel,
		LongWorkers: min(w.parallel, backgroundLimit),
		Log:         w.log,
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
// process completes it already. The error tells so if its predecessor is not complete.
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
	err = x.alone(ctx, func(ctx context.Context) error {
		return x.advance(ctx, func(s state) bool { return s.end() || s == stateLost || s == stateUnknown })
	})
	if errors.Is(err, errSuperseded) {
		err = outbox.ErrLost
	}
	return err == nil, err
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
	working, stop := x.w.outbox.Item(x.intent.ID, x).Keep(ctx)
	defer stop()
	err := work(working)
	if err != nil && working.Err() != nil && ctx.Err() == nil {
		err = errSuperseded
	}
	return err
}
