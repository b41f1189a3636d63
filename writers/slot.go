package writers

import (
	"context"
	"slices"
)

// background is how many long writes, at most, a gateway carries on after it acknowledged them, and how many that others left.
const background = 16

// long reports whether the write goes through something that may be long when it was acknowledged.
func (x *execution) long() bool {
	return slices.ContainsFunc(x.plan.later, func(s stage) bool {
		return slices.ContainsFunc(s, func(st step) bool { _, each := st.(each); return each })
	})
}

// background does what is left when the write was acknowledged.
func (x *execution) background(ctx context.Context) error {
	if x.long() {
		free, err := x.slot(ctx)
		if err != nil {
			return err
		}
		defer free()
	}
	return x.alone(ctx, x.later)
}

func (x *execution) later(ctx context.Context) error { return x.stages(ctx, x.plan.later, "later ") }

// slot waits until the write may be carried on in the background, and returns what ends that. While it waits, whoever is in need of the write
// carries it on: the slots may all be of such. It is errWhole if that was done, or is just being done, here or by another gateway.
func (x *execution) slot(ctx context.Context) (free func(), err error) {
	w := x.w
	free = func() { <-w.slots }
	select {
	case w.slots <- struct{}{}:
		return free, nil
	default:
	}
	w.queue(x.intent.ID, true)
	defer w.queue(x.intent.ID, false)
	w.over(x.intent.ID)
	x.mine = false
	select {
	case w.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if _, x.mine = w.begin(x.intent.ID); !x.mine {
		err = errWhole
	} else {
		err = x.renew(ctx)
	}
	if err != nil {
		free()
	}
	return free, err
}

// queue notes that a write waits for a slot, or no longer does.
func (w *Writers) queue(id string, waits bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if waits {
		w.queued[id] = true
	} else {
		delete(w.queued, id)
	}
}

// carries reports whether this process carries a write on, or will.
func (w *Writers) carries(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.active[id] != nil || w.queued[id]
}
