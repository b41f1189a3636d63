package writers

import (
	"context"
	"fmt"

	"twibase/hbase"
)

// port is how a write reaches the store. Whatever fails names the write and what it was about to do.
type port struct {
	w    *Writers
	kind string
}

// call begins a call of the store; the returned function ends it.
func (p port) call(ctx context.Context, what ...string) (context.Context, func()) {
	over := func() {}
	if p.w.watch != nil {
		ctx, over = p.w.watch(ctx, p.kind, what)
	}
	hbase.StatsOf(ctx).Rounds.Add(1)
	return ctx, over
}

func (p port) failed(what string, err error) error {
	return fmt.Errorf("%s: %s: %w", p.kind, what, err)
}

// get reads all or nothing.
func (p port) get(ctx context.Context, what string, gets []hbase.Get) ([][]hbase.Cell, error) {
	if len(gets) == 0 {
		return nil, nil
	}
	ctx, over := p.call(ctx, what)
	defer over()
	results, err := p.w.store.Get(ctx, gets)
	if err != nil {
		return nil, p.failed(what, err)
	}
	cells := make([][]hbase.Cell, len(results))
	for i := range results {
		if results[i].Err != nil {
			return nil, p.failed(what, results[i].Err)
		}
		cells[i] = results[i].Cells
	}
	return cells, nil
}

// one reads one row.
func (p port) one(ctx context.Context, what string, get hbase.Get) ([]hbase.Cell, error) {
	cells, err := p.get(ctx, what, []hbase.Get{get})
	if err != nil {
		return nil, err
	}
	return cells[0], nil
}

// write is a mutation, and what it is for.
type write struct {
	what     string
	mutation hbase.Mutation
}

// mutate writes all, or fails with the first error; others may have been written.
func (p port) mutate(ctx context.Context, writes ...write) error {
	if len(writes) == 0 {
		return nil
	}
	what, mutations := make([]string, len(writes)), make([]hbase.Mutation, len(writes))
	for i, w := range writes {
		what[i], mutations[i] = w.what, w.mutation
	}
	ctx, over := p.call(ctx, what...)
	defer over()
	errs, err := p.w.store.Mutate(ctx, mutations)
	if err != nil {
		return p.failed(what[0], err)
	}
	for i, err := range errs {
		if err != nil {
			return p.failed(what[i], err)
		}
	}
	return nil
}

// checkAndPut is the store's. After an error nobody knows whether it was done.
func (p port) checkAndPut(ctx context.Context, what string, check hbase.Check, put hbase.Put) (bool, error) {
	ctx, over := p.call(ctx, what)
	defer over()
	done, err := p.w.store.CheckAndPut(ctx, check, put)
	if err != nil {
		return false, p.failed(what, err)
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
