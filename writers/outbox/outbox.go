package outbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
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
	// Deferred reports whether the item's progress says that it waits for the end of its lease.
	Deferred func(item T) bool
	// Work does an item, and reports whether it is done: then the item is removed. An item that is not done
	// and has no error was deferred. What fails is tried again. The package comment has Work's obligations.
	Work func(ctx context.Context, item *Item[T]) (done bool, err error)
	// Remove returns the mutation that removes an item for good.
	Remove func(id string) hbase.Delete
	// Done is called with each item that this gateway has done. It must not block. The default is nobody.
	Done func(item T)

	// Workers is how many items the gateway works on at a time.
	Workers int
	// Log is for items that fail. The default logs nothing.
	Log *slog.Logger
	// Now is the clock. The default is the machine's.
	Now func() time.Time
	// Rand makes ids, lease holders and backoff repeatable. The default is random.
	Rand mathrand.Source
}

// Outbox is one gateway's view of the items in a table. Its methods are safe for concurrent use.
type Outbox[T any] struct {
	c      Config[T]
	holder string // names this gateway in leases
	queue  *queue

	mu       sync.Mutex
	rand     *mathrand.Rand
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
	if c.Done == nil {
		c.Done = func(T) {}
	}
	if c.Rand == nil {
		var seed [32]byte
		_, _ = rand.Read(seed[:]) // never fails
		c.Rand = mathrand.NewChaCha8(seed)
	}
	random := mathrand.New(c.Rand)
	host, _ := os.Hostname()
	return &Outbox[T]{
		c:        c,
		holder:   host + "/" + strconv.FormatUint(random.Uint64(), 36),
		queue:    newQueue(c.Workers),
		rand:     random,
		failures: map[string]failure{},
	}
}

// NewID returns the id for a new item.
func (o *Outbox[T]) NewID() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return tables.NewOp(o.c.Now(), o.rand.Uint64())
}

// Notify says that an item was put into the store. Run works on it at once, unless older items wait. An item
// that nobody notifies of is found by a scan.
func (o *Outbox[T]) Notify(id string) { o.queue.add(id) }

// Run works on items, those that it is notified of and those that it finds, until ctx is done.
func (o *Outbox[T]) Run(ctx context.Context) {
	var workers sync.WaitGroup
	defer workers.Wait()
	for range o.c.Workers {
		workers.Go(func() {
			for id, ok := o.queue.wait(ctx); ok; id, ok = o.queue.wait(ctx) {
				_ = o.process(ctx, id) // logged, and tried again
			}
		})
	}
	ticks := time.NewTicker(scanInterval)
	defer ticks.Stop()
	for ctx.Err() == nil {
		if err := o.scan(ctx, false); err != nil && ctx.Err() == nil {
			o.c.Log.Warn("outbox scan failed", "outbox", o.c.Table.Table, "error", err)
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
		}
	}
}

// Sweep works on all items that are available now, one after the other, also on those that failed a moment
// ago. It returns the errors of the items that failed.
func (o *Outbox[T]) Sweep(ctx context.Context) error {
	var errs []error
	for progress := true; progress && len(errs) == 0; {
		if err := o.scan(ctx, true); err != nil {
			return err
		}
		progress = false
		for id, ok := o.queue.next(); ok; id, ok = o.queue.next() {
			if err := o.process(ctx, id); err != nil {
				errs = append(errs, err)
			} else {
				progress = true
			}
		}
	}
	return errors.Join(errs...)
}

// process works on an item that the queue handed out.
func (o *Outbox[T]) process(ctx context.Context, id string) error {
	defer o.queue.finished(id)
	err := o.attempt(ctx, id)
	if err == nil || errors.Is(err, ErrLost) {
		o.succeeded(id)
		return nil
	}
	err = fmt.Errorf("%s %s: %w", o.c.Table.Table, id, err)
	if ctx.Err() == nil {
		retry := o.failed(id)
		o.c.Log.Warn("outbox item failed; will retry", "error", err, "failures", retry.count)
	}
	return err
}

func (o *Outbox[T]) attempt(ctx context.Context, id string) error {
	item, err := o.read(ctx, id)
	if err != nil {
		return err
	}
	done, err := o.c.Work(ctx, item)
	if err != nil || !done {
		return err
	}
	errs, err := o.c.Store.Mutate(ctx, []hbase.Mutation{o.c.Remove(id)})
	if err := errors.Join(append(errs, err)...); err != nil {
		return err
	}
	o.c.Done(item.Value)
	return nil
}
