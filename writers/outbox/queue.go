package outbox

import (
	"context"
	"slices"
	"sync"
	"time"

	"twibase/hbase/tables"
)

// queue hands the ids of available items to the workers of one gateway, the oldest first, and each to one
// worker at a time.
type queue struct {
	wake chan struct{} // has room for each worker

	mu      sync.Mutex
	waiting []string // ascending, and so by age
	running map[string]bool
}

// maxWaiting is how many ids a queue has. A later scan finds the others again.
const maxWaiting = maxPerShard * tables.OutboxShards

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
	q.waiting = q.waiting[:min(len(q.waiting), maxWaiting)]
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

// failure is how often an item failed in a row in this gateway, and when this gateway tries it again.
type failure struct {
	count int
	retry time.Time
}

const (
	// firstRetry is the longest pause after the first failure of an item. It doubles with each further one,
	// up to maxRetry, which keeps the recovery after an outage of the store short.
	firstRetry = time.Second
	maxRetry   = 8 * time.Second
)

// failed notes a failure, and returns how many there were. The pause is between half of the longest and the longest,
// by chance, so that items that failed together are not all tried at the same moment.
func (o *Outbox[T]) failed(id string) (count int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f := o.failures[id]
	longest := min(firstRetry<<min(f.count, 10), maxRetry)
	f.count++
	f.retry = o.now().Add(longest/2 + time.Duration(o.rand.Int64N(int64(longest/2))))
	o.failures[id] = f
	return f.count
}

// succeeded forgets the failures of an item.
func (o *Outbox[T]) succeeded(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.failures, id)
}

// backingOff reports whether it is too early to try an item again. No pause is longer than maxRetry, unless the clock
// was put back.
func (o *Outbox[T]) backingOff(id string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	pause := o.failures[id].retry.Sub(o.now())
	return 0 < pause && pause <= maxRetry
}
