package writers

import (
	"context"
	"fmt"

	"twibase/hbase"
	"twibase/hbase/tables"
)

type client struct {
	w      *Writers
	caller string // an operation type, "sweep" or "logIn"
	// parents are the ids of the enclosing operations, the outermost first. A nested operation must
	// not wait for them.
	parents []string
}

// parent returns "" for an outermost operation.
func (c client) parent() string {
	if len(c.parents) == 0 {
		return ""
	}
	return c.parents[len(c.parents)-1]
}

func (w *Writers) client(caller string) client { return client{w: w, caller: caller} }

func (c client) call(ctx context.Context, purposes ...string) (context.Context, func()) {
	ctx, ended := c.w.observe(ctx, c, purposes)
	hbase.StatsOf(ctx).Rounds.Add(1)
	return ctx, ended
}

func (c client) failed(purpose string, err error) error {
	return fmt.Errorf("%s: %s: %w", c.caller, purpose, err)
}

func (c client) get(ctx context.Context, purpose string, gets []hbase.Get) ([][]hbase.Cell, error) {
	if len(gets) == 0 {
		return nil, nil
	}
	ctx, ended := c.call(ctx, purpose)
	defer ended()
	used := hbase.StatsOf(ctx).Tables
	for i := range gets {
		used.Add(gets[i].Table)
	}
	cells, err := hbase.GetAll(ctx, c.w.store, gets)
	if err != nil {
		err = c.failed(purpose, err)
	}
	return cells, err
}

func (c client) getter(ctx context.Context, purpose string) getter {
	return func(gets ...hbase.Get) ([][]hbase.Cell, error) { return c.get(ctx, purpose, gets) }
}

func (c client) one(ctx context.Context, purpose string, get hbase.Get) ([]hbase.Cell, error) {
	return c.getter(ctx, purpose).one(get)
}

func (c client) openIntents(ctx context.Context, ops []string, purpose string) (map[string]bool, error) {
	cells, err := c.get(ctx, purpose, openGets(ops))
	if err != nil {
		return nil, err
	}
	return openAmong(ops, cells), nil
}

func openGets(ops []string) (gets []hbase.Get) {
	for _, op := range ops {
		gets = append(gets, tables.Intents.Open(op))
	}
	return gets
}

func openAmong(ops []string, cells [][]hbase.Cell) map[string]bool {
	open := map[string]bool{}
	for i, op := range ops {
		open[op] = len(cells[i]) > 0
	}
	return open
}

type write struct {
	purpose  string
	mutation hbase.Mutation
}

// mutate applies writes in any order. After an error, some may have been applied.
func (c client) mutate(ctx context.Context, writes ...write) error {
	if len(writes) == 0 {
		return nil
	}
	purposes, mutations := make([]string, len(writes)), make([]hbase.Mutation, len(writes))
	for i, w := range writes {
		purposes[i], mutations[i] = w.purpose, w.mutation
	}
	ctx, ended := c.call(ctx, purposes...)
	defer ended()
	used := hbase.StatsOf(ctx).Tables
	for _, mutation := range mutations {
		table, _ := mutation.At()
		used.Add(table)
	}
	err := hbase.MutateAll(ctx, c.w.store, mutations)
	if err != nil {
		err = c.failed(purposes[0], err)
	}
	return err
}

// checkAndPut may have written the put, although it returns an error.
func (c client) checkAndPut(ctx context.Context, purpose string, check hbase.Check, put hbase.Put) (bool, error) {
	ctx, ended := c.call(ctx, purpose)
	defer ended()
	hbase.StatsOf(ctx).Tables.Add(put.Table)
	done, err := c.w.store.CheckAndPut(ctx, check, put)
	if err != nil {
		return false, c.failed(purpose, err)
	}
	return done, nil
}
