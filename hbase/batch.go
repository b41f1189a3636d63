package hbase

import (
	"context"
	"fmt"
)

// GetAll is [Store.Get] that returns the first error of a Get, and otherwise the cells of each.
func GetAll(ctx context.Context, store Store, gets []Get) ([][]Cell, error) {
	if len(gets) == 0 {
		return nil, nil
	}
	results, err := store.Get(ctx, gets)
	if err != nil {
		return nil, err
	}
	cells := make([][]Cell, len(results))
	for i := range results {
		if results[i].Err != nil {
			return nil, fmt.Errorf("read %s %q: %w", gets[i].Table, gets[i].Row, results[i].Err)
		}
		cells[i] = results[i].Cells
	}
	return cells, nil
}

// GetEach is [GetAll] with a Get for each item.
func GetEach[T any](ctx context.Context, store Store, items []T, get func(T) Get) ([][]Cell, error) {
	gets := make([]Get, len(items))
	for i, item := range items {
		gets[i] = get(item)
	}
	return GetAll(ctx, store, gets)
}

// MutateAll is [Store.Mutate] that returns the first error of a mutation. Others may have been
// written.
func MutateAll(ctx context.Context, store Store, mutations []Mutation) error {
	if len(mutations) == 0 {
		return nil
	}
	errs, err := store.Mutate(ctx, mutations)
	if err != nil {
		return err
	}
	for i, err := range errs {
		if err != nil {
			table, row := mutations[i].At()
			return fmt.Errorf("write %s %q: %w", table, row, err)
		}
	}
	return nil
}
