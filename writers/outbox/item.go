package outbox

import (
	"context"
	"errors"
	"sync"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// ErrLeaseLost means that another gateway took the item, or that the item is removed, deferred or
// not yet due. Work must pass the error on, maybe wrapped.
var ErrLeaseLost = errors.New("outbox: the lease is lost")

// Item is an item that this gateway works on. It is not safe for concurrent use.
type Item[T any] struct {
	ID string
	// Value has the progress that was stored when the work began.
	Value T
	Properties

	outbox *Outbox[T]
	put    time.Time
	lease  tables.Lease
}

func (o *Outbox[T]) decode(row string, cells []hbase.Cell) (item *Item[T], ok bool, err error) {
	id, err := o.c.Table.IDOf(row)
	if err != nil {
		return nil, false, err
	}
	value, ok, err := o.c.Decode(row, cells)
	if err != nil || !ok {
		return nil, false, err
	}
	item = o.Item(id, value)
	item.put, err = tables.OpTime(id)
	item.lease = tables.LeaseOf(cells)
	return item, true, err
}

// Item returns an item without reading it. Only RenewPeriodically, which reads the lease, may be
// called.
func (o *Outbox[T]) Item(id string, value T) *Item[T] {
	return &Item[T]{ID: id, Value: value, Properties: o.c.Describe(value), outbox: o}
}

func (o *Outbox[T]) read(ctx context.Context, id string, observed T, call string) (*Item[T], error) {
	ctx, ended := o.c.Observe(ctx, observed, call)
	defer ended()
	cells, err := hbase.GetOne(ctx, o.c.Store, o.c.Table.Get(id))
	if err != nil {
		return nil, err
	}
	item, ok, err := o.decode(o.c.Table.Row(id), cells)
	if err == nil && (!ok || !o.available(item)) {
		err = ErrLeaseLost
	}
	return item, err
}

func (o *Outbox[T]) available(item *Item[T]) bool {
	now := o.now()
	ended := !now.Before(item.lease.Until)
	return !now.Before(item.Due) && (ended || item.lease.HeldBy(o.holder) && !item.Deferred)
}

// Lease returns a lease for the put of an item that this gateway already works on.
func (o *Outbox[T]) Lease(value T) hbase.Cell {
	return tables.NewLease(o.holder, o.now().Add(LeaseTime)).Cell(o.c.Describe(value).LeaseTimestamp)
}

// Renew takes or extends the lease for LeaseTime, and stores the progress. Like Defer and Release,
// it may return [ErrLeaseLost].
func (i *Item[T]) Renew(ctx context.Context, progress ...hbase.Cell) error {
	return i.extend(ctx, "lease", LeaseTime, progress)
}

// Defer pauses the work for d, at least until the current lease ends. The progress must make the
// item [Properties.Deferred].
func (i *Item[T]) Defer(ctx context.Context, d time.Duration, progress ...hbase.Cell) error {
	return i.extend(ctx, "defer", d, progress)
}

// Release stores the final progress, and ends the lease.
func (i *Item[T]) Release(ctx context.Context, progress ...hbase.Cell) error {
	return i.extend(ctx, "release", 0, progress)
}

// Remaining returns the time until the lease ends.
func (i *Item[T]) Remaining() time.Duration { return i.lease.Until.Sub(i.outbox.now()) }

func (i *Item[T]) extend(ctx context.Context, call string, d time.Duration, progress []hbase.Cell) error {
	o := i.outbox
	ctx, ended := o.c.Observe(ctx, i.Value, call)
	defer ended()
	until := o.now().Add(d)
	if earliest := i.lease.Until.Add(time.Millisecond); until.Before(earliest) {
		until = earliest
	}
	next := tables.NewLease(o.holder, until)
	cells := append(progress, next.Cell(i.LeaseTimestamp))
	put := hbase.Put{Table: o.c.Table.Table, Row: o.c.Table.Row(i.ID), Cells: cells}
	done, err := o.c.Store.CheckAndPut(ctx, i.lease.Check(), put)
	if err != nil {
		return err
	}
	if !done {
		return ErrLeaseLost
	}
	i.lease = next
	return nil
}

func (i *Item[T]) take(ctx context.Context) error {
	item, err := i.outbox.read(ctx, i.ID, i.Value, "renew, read")
	if err != nil {
		return err
	}
	// After a lost response, ErrLeaseLost may be wrong. The next read shows who has the lease.
	if err := item.extend(ctx, "renew", LeaseTime, nil); !errors.Is(err, ErrLeaseLost) {
		return err
	}
	return nil
}

// RenewPeriodically extends the lease until stop is called. stop waits for the last renewal.
// working ends when the lease is lost.
func (i *Item[T]) RenewPeriodically(ctx context.Context) (working context.Context, stop func()) {
	working, cancel := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		ticks := time.NewTicker(LeaseTime / 3)
		defer ticks.Stop()
		for working.Err() == nil {
			select {
			case <-ticks.C:
				if errors.Is(i.take(working), ErrLeaseLost) {
					cancel()
				}
			case <-working.Done():
			}
		}
	})
	return working, func() { cancel(); renewing.Wait() }
}
