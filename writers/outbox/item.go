package outbox

import (
	"context"
	"errors"
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

	outbox *Outbox[T]
	lease  tables.Lease
}

// read reads an item again before the work on it begins. The error is ErrLost if it is not available.
func (o *Outbox[T]) read(ctx context.Context, id string) (*Item[T], error) {
	results, err := o.c.Store.Get(ctx, []hbase.Get{o.c.Table.Get(id)})
	if err != nil {
		return nil, err
	}
	if results[0].Err != nil {
		return nil, results[0].Err
	}
	value, ok, err := o.c.Decode(o.c.Table.Row(id), results[0].Cells)
	if err != nil {
		return nil, err
	}
	item := &Item[T]{ID: id, Value: value, outbox: o, lease: tables.LeaseOf(results[0].Cells)}
	if !ok || !o.available(item) {
		return nil, ErrLost
	}
	return item, nil
}

// available reports whether this gateway may work on an item now.
func (o *Outbox[T]) available(item *Item[T]) bool {
	ended := !o.c.Now().Before(item.lease.Until)
	return ended || item.lease.HeldBy(o.holder) && !o.c.Deferred(item.Value)
}

// Renew takes the item for LeaseTime, or extends the lease, and stores the cells of its progress. The error
// is ErrLost if another gateway was faster.
func (i *Item[T]) Renew(ctx context.Context, progress ...hbase.Cell) error {
	return i.extend(ctx, LeaseTime, progress)
}

// Defer ends the work for now. Nobody takes the item before d has passed and the present lease would have ended.
// The progress has to be such that Config.Deferred reports true.
func (i *Item[T]) Defer(ctx context.Context, d time.Duration, progress ...hbase.Cell) error {
	return i.extend(ctx, d, progress)
}

// Release ends the lease and stores the final progress. After it no other gateway can renew a lease that it
// took before.
func (i *Item[T]) Release(ctx context.Context, progress ...hbase.Cell) error {
	return i.extend(ctx, 0, progress)
}

// Remaining returns how long the lease lasts.
func (i *Item[T]) Remaining() time.Duration { return i.lease.Until.Sub(i.outbox.c.Now()) }

// extend replaces the lease that was read with one of this gateway, which ends later than that.
func (i *Item[T]) extend(ctx context.Context, d time.Duration, progress []hbase.Cell) error {
	o := i.outbox
	until := o.c.Now().Add(d)
	if earliest := i.lease.Until.Add(time.Millisecond); until.Before(earliest) {
		until = earliest
	}
	next := tables.NewLease(o.holder, until)
	put := hbase.Put{Table: o.c.Table.Table, Row: o.c.Table.Row(i.ID), Cells: append(progress, next.Cell(0))}
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
