package outbox

import (
	"maps"
	"time"
)

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
