package writers

import (
	"context"
	"slices"
)

// background is how many long writes, at most, have work done for them after they were acknowledged.
const background = 16

// long reports whether stages go through something that may be long.
func long(stages []stage) bool {
	return slices.ContainsFunc(stages, func(s stage) bool {
		return slices.ContainsFunc(s, func(st step) bool { _, each := st.(each); return each })
	})
}

// slot waits until the write may be carried on in the background, and returns what ends that. While it waits, whoever is in need of the write
// carries it on: the slots may all be of such. It is errWhole if that was done, or is just being done.
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
		err = x.open(ctx, "later ")
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

// waits reports whether a write waits for a slot.
func (w *Writers) waits(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.queued[id]
}
