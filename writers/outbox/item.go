package outbox

import (
	"context"
	"errors"
	"sync"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// ErrLost is returned when another gateway took the item, or removed it. Work returns it as it is.
var ErrLost = errors.New("outbox: the lease is lost")

// Item is an item that this gateway works on. It is not safe for concurrent use.
type Item[T any] struct {
	ID string
	// Value is the item, with the progress that the store had when the work began.
	Value T
	Properties

	outbox *Outbox[T]
	put    time.Time // when it was put
	lease  tables.Lease
}

// decode returns the item of a row. ok is false if there is none.
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

// Item returns an item that this gateway works on without having found it in a scan: it put the item itself, or
// needs it done. Its lease is unknown until Take.
func (o *Outbox[T]) Item(id string, value T) *Item[T] {
	return &Item[T]{ID: id, Value: value, Properties: o.c.Describe(value), outbox: o}
}

// read reads an item before the work on it begins. known is the item as far as it is known. The error is ErrLost if
// the item is not available.
func (o *Outbox[T]) read(ctx context.Context, id string, known T, what string) (*Item[T], error) {
	ctx, ended := o.c.Observe(ctx, known, what)
	defer ended()
	cells, err := hbase.GetAll(ctx, o.c.Store, []hbase.Get{o.c.Table.Get(id)})
	if err != nil {
		return nil, err
	}
	item, ok, err := o.decode(o.c.Table.Row(id), cells[0])
	if err == nil && (!ok || !o.available(item)) {
		err = ErrLost
	}
	return item, err
}

// available reports whether this gateway may work on an item now.
func (o *Outbox[T]) available(item *Item[T]) bool {
	now := o.now()
	ended := !now.Before(item.lease.Until)
	return !now.Before(item.Due) && (ended || item.lease.HeldBy(o.holder) && !item.Deferred)
}

// Lease returns the cell of a new lease, for a put of an item that this gateway works on from the beginning.
func (o *Outbox[T]) Lease(value T) hbase.Cell {
	return tables.NewLease(o.holder, o.now().Add(LeaseTime)).Cell(o.c.Describe(value).LeaseTimestamp)
}

// Renew takes the item for LeaseTime, or extends the lease, and stores the cells of its progress. The error
// is ErrLost if another gateway was faster.
func (i *Item[T]) Renew(ctx context.Context, progress ...hbase.Cell) error {
	return i.extend(ctx, "lease", LeaseTime, progress)
}

// Defer ends the work for now. Nobody takes the item before d has passed and the present lease would have ended.
// The progress has to be such that the item is [Properties.Deferred].
func (i *Item[T]) Defer(ctx context.Context, d time.Duration, progress ...hbase.Cell) error {
	return i.extend(ctx, "defer", d, progress)
}

// Release stores the final progress and replaces the lease, so that no earlier holder can renew it. The new lease ends
// a millisecond after the old one, or now if that is later.
func (i *Item[T]) Release(ctx context.Context, progress ...hbase.Cell) error {
	return i.extend(ctx, "release", 0, progress)
}

// Remaining returns how long the lease lasts.
func (i *Item[T]) Remaining() time.Duration { return i.lease.Until.Sub(i.outbox.now()) }

// extend replaces the lease that was read with one of this gateway, which ends later than that.
func (i *Item[T]) extend(ctx context.Context, what string, d time.Duration, progress []hbase.Cell) error {
	o := i.outbox
	ctx, ended := o.c.Observe(ctx, i.Value, what)
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
		return ErrLost
	}
	i.lease = next
	return nil
}

// Take reads the item again, and takes it for LeaseTime or extends the lease. The error is ErrLost if another
// gateway has the item, or removed it. A CheckAndPut may fail after its own success, so whether the lease was
// extended is seen the next time.
func (i *Item[T]) Take(ctx context.Context) error {
	item, err := i.outbox.read(ctx, i.ID, i.Value, "renew, read")
	if err != nil {
		return err
	}
	if err := item.extend(ctx, "renew", LeaseTime, nil); !errors.Is(err, ErrLost) {
		return err
	}
	return nil
}

// Keep extends the lease again and again until stop is called, which waits for the last renewal. The returned
// context ends when the lease is lost.
func (i *Item[T]) Keep(ctx context.Context) (working context.Context, stop func()) {
	working, cancel := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		ticks := time.NewTicker(LeaseTime / 3)
		defer ticks.Stop()
		for working.Err() == nil {
			select {
			case <-ticks.C:
				if errors.Is(i.Take(working), ErrLost) {
					cancel()
				}
			case <-working.Done():
			}
		}
	})
	return working, func() { cancel(); renewing.Wait() }
}
