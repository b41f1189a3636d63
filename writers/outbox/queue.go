package outbox

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
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

const (
	// firstRetry is the longest pause after the first failure of an item. It doubles with each further one,
	// up to maxRetry, which keeps the recovery after an outage of the store short.
	firstRetry = time.Second
	maxRetry   = 8 * time.Second
)

// failure is how often an item failed in a row in this gateway, and when this gateway tries it again.
type failure struct {
	count int
	retry time.Time
}

// failed notes a failure. The pause is between half of the longest and the longest, by chance, so that items
// that failed together are not all tried at the same moment.
func (o *Outbox[T]) failed(id string) failure {
	o.mu.Lock()
	defer o.mu.Unlock()
	f := o.failures[id]
	longest := maxRetry
	if f.count < 3 {
		longest = firstRetry << f.count
	}
	f.count++
	f.retry = o.c.Now().Add(longest/2 + time.Duration(o.rand.Int64N(int64(longest/2))))
	o.failures[id] = f
	return f
}

// succeeded forgets the failures of an item.
func (o *Outbox[T]) succeeded(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.failures, id)
}

// backingOff reports whether it is too early to try an item again.
func (o *Outbox[T]) backingOff(id string, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return now.Before(o.failures[id].retry)
}

// forgetFailures drops the items that were to be tried again long ago: another gateway did them. The caller
// holds o.mu.
func (o *Outbox[T]) forgetFailures(now time.Time) {
	maps.DeleteFunc(o.failures, func(_ string, f failure) bool { return now.Sub(f.retry) > fullInterval })
}
