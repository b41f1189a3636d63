package writers

import (
	"context"
	"errors"
	"sync"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// leased is how long a write is left to who last said to be at it: if that one dies, the next has to be done within ten seconds of its start.
// Who is at it for longer says so again and again.
const leased = 4 * time.Second

// lease is the cell that says that this gateway carries the write on, from now on.
func (x *execution) lease() hbase.Cell {
	return tables.Intents.Lease(x.intent, x.w.holder, x.w.now().Add(leased))
}

// intended is the intent, leased to this gateway from the beginning: who renews a lease expects one, so no renewal that comes late leaves
// anything behind where the intent was.
func (x *execution) intended() write {
	put := tables.Intents.Put(x.intent)
	put.Cells = append(put.Cells, x.lease())
	return write{"intent", put}
}

// take takes the lease, or renews it, unless it is not what it was any more. Two who carry on one write do no harm: a lease only saves work.
func (x *execution) take(ctx context.Context, what string, before []byte) (bool, error) {
	return x.checkAndPut(ctx, what, hbase.Check{Family: tables.Attributes, Qualifier: tables.LeaseColumn, Value: before},
		hbase.Put{Table: tables.Intents.Table, Row: tables.Intents.Row(x.intent.ID), Cells: []hbase.Cell{x.lease()}})
}

// renew renews the lease, or takes it if nobody has it. It is errSuperseded if there is nothing to be carried on, or somebody else does so. Whether
// it succeeded is seen the next time: a CheckAndPut may say no after its own success.
func (x *execution) renew(ctx context.Context) error {
	row := tables.Intents.Row(x.intent.ID)
	cells, err := x.one(ctx, "renew, read", tables.Intents.Get(x.intent.ID))
	if err != nil {
		return err
	}
	_, there, err := tables.Intents.Decode(row, cells)
	if err != nil {
		return err
	}
	lease := tables.LeaseOf(cells)
	mine := lease.HeldBy(x.w.holder)
	if !there || !mine && x.w.now().Before(lease.Until) {
		return errSuperseded
	}
	_, err = x.take(ctx, "renew", lease.Value)
	return err
}

// keep renews the lease until stop is called, which waits for the last renewal. If somebody else has the lease, or the write is whole,
// working ends.
func (x *execution) keep(ctx context.Context) (working context.Context, stop func()) {
	working, cancel := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		for sleep(working, leased/3); working.Err() == nil; sleep(working, leased/3) {
			if errors.Is(x.renew(working), errSuperseded) {
				cancel()
			}
		}
	})
	return working, func() { cancel(); renewing.Wait() }
}

// alone does work for the write that nobody waits for, and keeps others from doing the same. It is errSuperseded if somebody else has taken the
// write on meanwhile: then the work is cut off.
func (x *execution) alone(ctx context.Context, work func(context.Context) error) error {
	working, stop := x.keep(ctx)
	defer stop()
	err := work(working)
	if err != nil && working.Err() != nil && ctx.Err() == nil {
		err = errSuperseded
	}
	return err
}
