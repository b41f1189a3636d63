package outbox

import (
	"context"
	"slices"
	"sync"
	"time"

	"twibase/hbase/tables"
)

type queue struct {
	wake chan struct{} // its capacity is the number of workers

	mu      sync.Mutex
	waiting []string // sorted, and so by age
	running map[string]bool
}

// maxWaiting limits the waiting ids. A later scan finds dropped ids again.
const maxWaiting = maxPerShard * tables.OutboxShards

func newQueue(workers int) *queue {
	return &queue{wake: make(chan struct{}, workers), running: map[string]bool{}}
}

func (q *queue) add(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i, found := slices.BinarySearch(q.waiting, id)
	if found || q.running[id] {
		return
	}
	q.waiting = slices.Insert(q.waiting, i, id)
	q.waiting = q.waiting[:min(len(q.waiting), maxWaiting)]
	select {
	case q.wake <- struct{}{}:
	default: // every worker reads the queue before it waits
	}
}

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

func (q *queue) finished(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.running, id)
}

type failure struct {
	count int
	retry time.Time
}

// maxBackoff is low, for retries soon after an outage of the store.
const (
	firstBackoff = time.Second
	maxBackoff   = 8 * time.Second
)

// failed starts a random pause of 50 to 100 % of the backoff.
func (o *Outbox[T]) failed(id string) (count int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f := o.failures[id]
	longest := min(firstBackoff<<min(f.count, 10), maxBackoff)
	f.count++
	f.retry = o.now().Add(longest/2 + time.Duration(o.rand.Int64N(int64(longest/2))))
	o.failures[id] = f
	return f.count
}

func (o *Outbox[T]) succeeded(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.failures, id)
}

func (o *Outbox[T]) backingOff(id string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	pause := o.failures[id].retry.Sub(o.now())
	return 0 < pause && pause <= maxBackoff // if more remains, the clock was set back
}
