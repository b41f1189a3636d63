package outbox

import (
	"context"
	"slices"
	"sync"
)

// queue hands the ids of available items to the workers of one gateway, the oldest first, and each to one
// worker at a time.
type queue struct {
	wake chan struct{}

	mu      sync.Mutex
	waiting []string // ascending, and so by age
	running map[string]bool
}

func newQueue(workers int) *queue {
	return &queue{wake: make(chan struct{}, workers), running: map[string]bool{}}
}

// add adds an id, unless it waits already or a worker has it.
func (q *queue) add(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i, found := slices.BinarySearch(q.waiting, id)
	if found || q.running[id] {
		return
	}
	q.waiting = slices.Insert(q.waiting, i, id)
	if len(q.waiting) > maxItems {
		q.waiting = q.waiting[:len(q.waiting)-1] // the newest, which a later scan finds again
	}
	select {
	case q.wake <- struct{}{}:
	default: // every worker will look at the queue before it waits
	}
}

// next takes the oldest id.
func (q *queue) next() (id string, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return "", false
	}
	id = q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	q.running[id] = true
	return id, true
}

// wait takes the oldest id as soon as there is one. ok is false when ctx is done.
func (q *queue) wait(ctx context.Context) (id string, ok bool) {
	for ctx.Err() == nil {
		if id, ok := q.next(); ok {
			return id, true
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
		}
	}
	return "", false
}

// finished says that a worker no longer has the id.
func (q *queue) finished(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.running, id)
}
