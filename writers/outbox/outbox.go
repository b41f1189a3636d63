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

// LeaseTime is the length of a lease.
const LeaseTime = 4 * time.Second

// Config describes the items of an outbox.
type Config[T any] struct {
	Store hbase.Store
	Table tables.Outbox
	// Decode's ok is false if the row has no item.
	Decode   func(row string, cells []hbase.Cell) (item T, ok bool, err error)
	Describe func(item T) Properties
	// MinAge is the minimum age of items that scans return.
	MinAge time.Duration
	// Work processes an item, and removes it when the work is done.
	Work                 func(ctx context.Context, item *Item[T]) (done bool, err error)
	Workers, LongWorkers int
	// Observe is called before each store call, except the Gets of a scan. An unknown item is the
	// zero value. ended is called after the call.
	Observe func(ctx context.Context, item T, call string) (of context.Context, ended func())
	Log     *slog.Logger // may be nil
	Now     func() time.Time
	// Rand is the source of ids, lease holders and backoffs. The default is random.
	Rand rand.Source
}

// Properties of an item.
type Properties struct {
	// Deferred is true if the progress says that the work pauses: until the lease ends, not even
	// its holder takes the item.
	Deferred bool
	// Due is the earliest time for work on the item.
	Due time.Time
	// LeaseTimestamp is the timestamp of leases. It must not be later than that of the removal,
	// which must mask them. 0 means the store's clock.
	LeaseTimestamp int64
	// Long items have their own workers.
	Long bool
}

// Outbox is one gateway's view of a table of items. It is safe for concurrent use.
type Outbox[T any] struct {
	c           Config[T]
	holder      string // names this gateway in leases
	queue, long *queue

	mu       sync.Mutex
	rand     *rand.Rand
	failures map[string]failure
	scanned  scanned
}

// New returns an outbox over an existing table.
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

// now drops the monotonic reading, because gateways compare leases and ids by wall clock.
func (o *Outbox[T]) now() time.Time { return o.c.Now().Round(0) }

func (o *Outbox[T]) NewID() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return tables.NewOp(o.now(), o.rand.Uint64())
}

// Notify queues an item that was just put.
func (o *Outbox[T]) Notify(id string) { o.queue.add(id) }

// Run processes items until ctx is done, and then waits for started work. The work gets the
// parameter work as its context.
func (o *Outbox[T]) Run(ctx, work context.Context) {
	var workers sync.WaitGroup
	defer workers.Wait()
	for _, q := range []*queue{o.queue, o.long} {
		for range cap(q.wake) {
			workers.Go(func() {
				for id, ok := q.wait(ctx); ok; id, ok = q.wait(ctx) {
					_, _ = o.process(work, q, id)
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

// Sweep processes all available items that have reached MinAge, without backoff, until a pass
// completes none. corrupt has the last pass's errors of corrupt items, err those of failed items.
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

func (o *Outbox[T]) process(ctx context.Context, q *queue, id string) (done bool, err error) {
	defer q.finished(id)
	item, err := o.read(ctx, id, *new(T), "read")
	if err == nil {
		done, err = o.c.Work(ctx, item)
	}
	if err == nil || errors.Is(err, ErrLeaseLost) {
		o.succeeded(id)
		return done, nil
	}
	err = fmt.Errorf("%s %s: %w", o.c.Table.Table, id, err)
	if ctx.Err() == nil {
		o.c.Log.Warn("outbox item failed; will retry", "error", err, "failures", o.failed(id))
	}
	return false, err
}
