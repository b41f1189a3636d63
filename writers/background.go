package writers

import (
	"context"
	"errors"
	"slices"

	"twibase/writers/outbox"
)

// backgroundLimit is how many long operations, at most, a gateway completes after their
// acknowledgement, and how many stale ones.
const backgroundLimit = 16

// long reports whether plan.later goes through something that may be long.
func (x *execution) long() bool {
	return slices.ContainsFunc(x.plan.later, func(s stage) bool {
		return slices.ContainsFunc(s, func(e effect) bool { _, each := e.(each); return each })
	})
}

// applyLater applies plan.later. The execution that the caller started needs a lease for it and, if
// it is long, a slot; others have what they need.
func (x *execution) applyLater(ctx context.Context) error {
	apply := func(ctx context.Context) error { return x.applyStages(ctx, x.plan.later, "later ") }
	if !x.called || len(x.plan.later) == 0 {
		return apply(ctx)
	}
	if x.long() {
		release, err := x.acquireSlot(ctx)
		if err != nil {
			return err
		}
		defer release()
	}
	return x.alone(ctx, apply)
}

// acquireSlot waits for a slot of the semaphore. While it waits, any other operation that needs
// this one to be complete completes it, because such operations may hold all slots. The error is
// errSuperseded then, or if another execution, here or at another gateway, has begun with it.
func (x *execution) acquireSlot(ctx context.Context) (release func(), err error) {
	w := x.w
	release = func() { <-w.slots }
	select {
	case w.slots <- struct{}{}:
		return release, nil
	default:
	}
	w.over(x.intent.ID)
	x.mine = false
	select {
	case w.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if _, x.mine = w.begin(x.intent.ID); !x.mine {
		err = errSuperseded
	} else {
		err = x.item().Take(x.leasing(ctx, "renew"))
		if errors.Is(err, outbox.ErrLost) {
			err = errSuperseded
		}
	}
	if err != nil {
		release()
	}
	return release, err
}
