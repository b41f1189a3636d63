package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// LeaseTime is how long a lease lasts after it was taken or renewed.
const LeaseTime = 4 * time.Second

// Config says what the items of an outbox are. All fields without a default are required.
type Config[T any] struct {
	Store hbase.Store
	// Table has the items.
	Table tables.Outbox
	// Decode reads the item of a row. ok is false if the row has none, but perhaps the rest of a removed one.
	Decode func(row string, cells []hbase.Cell) (item T, ok bool, err error)
	// Describe returns the properties of an item.
	Describe func(item T) Properties
	// MinAge is the age from which on scans find an item: a younger one has not failed. The default is 0.
	MinAge time.Duration
	// Work does an item and removes it, and reports whether it did. An item that is not done and has no error was
	// deferred, or is tried again after the next scan. What fails is tried again after a pause. The package comment
	// has Work's obligations.
	Work func(ctx context.Context, item *Item[T]) (done bool, err error)
	// Workers is how many items the gateway works on at a time, and LongWorkers how many long ones beside them.
	Workers, LongWorkers int
	// Observe is called for each call of the store, with the zero value if the call is about no item that is known.
	// It returns the context of the call, and a function that is called when the call has ended. The default
	// observes nothing.
	Observe func(ctx context.Context, item T, what string) (of context.Context, ended func())
	// Log is for items that fail. The default logs nothing.
	Log *slog.Logger
	// Now is the clock. The default is the machine's.
	Now func() time.Time
	// Rand makes ids, lease holders and backoff repeatable. The default is random.
	Rand rand.Source
}

// Properties are what an outbox has to know of an item.
type Properties struct {
	// Deferred is whether the item's progress says that it waits for the end of its lease.
	Deferred bool
	// Due is the time before which no gateway works on the item.
	Due time.Time
	// LeaseTimestamp is that of the item's leases, not later than that of the item's removal. 0 is the store's clock.
	LeaseTimestamp int64
	// Long items have workers of their own, so that others do not wait for them.
	Long bool
}

// Outbox is one gateway's view of the items in a table. Its methods are safe for concurrent use.
type Outbox[T any] struct {
	c      Config[T]
	holder string // names this gateway in leases
	// queue has the items that do not take long, or that were notified of, and long the others.
	queue, long *queue

	mu       sync.Mutex
	rand     *rand.Rand
	failures map[string]failure // by the id of the item
	scanned  scanned
}

// New returns an outbox over a table that exists.
func New[T any](c Config[T]) *Outbox[T] {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Observe == nil {
		c.Observe = func(ctx context.Context, _ T, _ string) (context.Context, func()) { return ctx, func() {} }
	}
	if c.Rand == nil {
		c.Rand = rand.NewPCG(rand.Uint64(), rand.Uint64())
	}
	random := rand.New(c.Rand)
	host, _ := os.Hostname()
	return &Outbox[T]{
		c:        c,
		holder:   host + "/" + strconv.FormatUint(random.Uint64(), 36),
		queue:    newQueue(c.Workers),
		long:     newQueue(c.LongWorkers),
		rand:     random,
		failures: map[string]failure{},
	}
}

// now returns the wall clock's time. Without the monotonic clock's, it is later than a time of before only if the
// wall clock says so, which may have been put back.
func (o *Outbox[T]) now() time.Time { return o.c.Now().Round(0) }

// NewID returns the id for a new item.
func (o *Outbox[T]) NewID() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return tables.NewOp(o.now(), o.rand.Uint64())
}

// Notify says that an item was put into the store. Run works on it at once, unless older items wait. An item
// that nobody notifies of is found by a scan.
func (o *Outbox[T]) Notify(id string) { o.queue.add(id) }

// Run works on items, those that it is notified of and those that it finds, until ctx is done. It returns when
// the work that it began is over, which ends with the context work.
func (o *Outbox[T]) Run(ctx, work context.Context) {
	var workers sync.WaitGroup
	defer workers.Wait()
	for _, q := range []*queue{o.queue, o.long} {
		for range cap(q.wake) {
			workers.Go(func() {
				for id, ok := q.wait(ctx); ok; id, ok = q.wait(ctx) {
					_, _ = o.process(work, q, id) // logged, and tried again
				}
			})
		}
	}
	ticks := time.NewTicker(scanInterval)
	defer ticks.Stop()
	for ctx.Err() == nil {
		if _, err := o.scan(ctx, false); err != nil && ctx.Err() == nil {
			o.c.Log.Warn("outbox scan failed", "outbox", o.c.Table.Table, "error", err)
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
		}
	}
}

// Sweep works on all items that are available now, also on those that failed a moment ago, until no further one can
// be done. It returns the errors of the items that failed in the end, and apart from these the errors of those that
// cannot be decoded, which hold up no other.
func (o *Outbox[T]) Sweep(ctx context.Context) (corrupt, err error) {
	for {
		corrupt, err := o.scan(ctx, true)
		if err != nil {
			return nil, err
		}
		short, errs := o.drain(ctx, o.queue)
		long, more := o.drain(ctx, o.long)
		if !short && !long {
			return errors.Join(corrupt...), errors.Join(append(errs, more...)...)
		}
	}
}

// drain works on what waits in a queue. It reports whether any of that was done, and returns the errors of the rest.
func (o *Outbox[T]) drain(ctx context.Context, q *queue) (progress bool, errs []error) {
	var workers sync.WaitGroup
	var mu sync.Mutex
	for range cap(q.wake) {
		workers.Go(func() {
			for id, ok := q.next(); ok; id, ok = q.next() {
				done, err := o.process(ctx, q, id)
				mu.Lock()
				progress = progress || done
				if err != nil {
					errs = append(errs, err)
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	return progress, errs
}

// process works on an item that a queue handed out.
func (o *Outbox[T]) process(ctx context.Context, q *queue, id string) (done bool, err error) {
	defer q.finished(id)
	item, err := o.read(ctx, id, *new(T), "read")
	if err == nil {
		done, err = o.c.Work(ctx, item)
	}
	if err == nil || errors.Is(err, ErrLost) {
		o.succeeded(id)
		return done, nil
	}
	err = fmt.Errorf("%s %s: %w", o.c.Table.Table, id, err)
	if ctx.Err() == nil {
		o.c.Log.Warn("outbox item failed; will retry", "error", err, "failures", o.failed(id))
	}
	return false, err
}
