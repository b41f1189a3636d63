package writers

import (
	"context"
	"fmt"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// client is the store client of an operation. Its errors name the operation type and the purpose of
// the call.
type client struct {
	w *Writers
	// caller is the operation type, or what else calls the store.
	caller string
}

// call begins a call of the store; the returned function ends it.
func (c client) call(ctx context.Context, what ...string) (context.Context, func()) {
	ctx, ended := c.w.watch(ctx, c.caller, what)
	hbase.StatsOf(ctx).Rounds.Add(1)
	return ctx, ended
}

func (c client) failed(what string, err error) error {
	return fmt.Errorf("%s: %s: %w", c.caller, what, err)
}

// get reads all rows, or fails.
func (c client) get(ctx context.Context, what string, gets []hbase.Get) ([][]hbase.Cell, error) {
	if len(gets) == 0 {
		return nil, nil
	}
	ctx, ended := c.call(ctx, what)
	defer ended()
	cells, err := hbase.GetAll(ctx, c.w.store, gets)
	if err != nil {
		err = c.failed(what, err)
	}
	return cells, err
}

// getter returns get for reads with the same purpose.
func (c client) getter(ctx context.Context, what string) getter {
	return func(gets ...hbase.Get) ([][]hbase.Cell, error) { return c.get(ctx, what, gets) }
}

// one reads one row.
func (c client) one(ctx context.Context, what string, get hbase.Get) ([]hbase.Cell, error) {
	cells, err := c.get(ctx, what, []hbase.Get{get})
	if err != nil {
		return nil, err
	}
	return cells[0], nil
}

// openIntents reads which operations have an intent: they are not complete.
func (c client) openIntents(ctx context.Context, ops []string, what string) (map[string]bool, error) {
	gets := make([]hbase.Get, len(ops))
	for i, op := range ops {
		gets[i] = tables.Intents.Open(op)
	}
	cells, err := c.get(ctx, what, gets)
	if err != nil {
		return nil, err
	}
	open := map[string]bool{}
	for i, op := range ops {
		open[op] = len(cells[i]) > 0
	}
	return open, nil
}

// write is a mutation, and what it is for.
type write struct {
	what     string
	mutation hbase.Mutation
}

// mutate makes all writes, or fails with the first error; others may have been made.
func (c client) mutate(ctx context.Context, writes ...write) error {
	if len(writes) == 0 {
		return nil
	}
	what, mutations := make([]string, len(writes)), make([]hbase.Mutation, len(writes))
	for i, w := range writes {
		what[i], mutations[i] = w.what, w.mutation
	}
	ctx, ended := c.call(ctx, what...)
	defer ended()
	err := hbase.MutateAll(ctx, c.w.store, mutations)
	if err != nil {
		err = c.failed(what[0], err)
	}
	return err
}

// checkAndPut is the store's. After an error, it is unknown whether it was applied.
func (c client) checkAndPut(ctx context.Context, what string, check hbase.Check, put hbase.Put) (bool, error) {
	ctx, ended := c.call(ctx, what)
	defer ended()
	done, err := c.w.store.CheckAndPut(ctx, check, put)
	if err != nil {
		return false, c.failed(what, err)
	}
	return done, nil
}

// youngest returns the greatest timestamp of cells, 0 if there are none.
func youngest(cells []hbase.Cell) (timestamp int64) {
	for i := range cells {
		timestamp = max(timestamp, cells[i].Timestamp)
	}
	return timestamp
}
