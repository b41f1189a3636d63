package hbase

import (
	"cmp"
	"context"
	"fmt"
	"iter"
)

// Store is a set of tables. It is safe for concurrent use.
//
// A call timeout of the engine bounds each read, write and page of a scan, in addition to the
// deadline of ctx. If there is neither, [DefaultTimeout] applies. Returned cells may be shared, and
// are read-only. Arguments may be reused after a call.
//
// A call has an error, or each of its items has its own error:
//
//   - A closed store, a cancelled ctx and a deadline before the call are errors of the call or, in
//     a [Budgeted] store, of items.
//   - A missing table is an error of items.
//   - Other errors, such as a [*Busy] or a deadline that passes during the call, can be either.
type Store interface {
	// Get reads rows of any tables. The results are index-aligned. A missing row has no cells and
	// no error.
	Get(ctx context.Context, gets []Get) ([]Result, error)

	// Scan reads a page of rows per RPC. Rows without a selected cell are omitted. The first error
	// ends the iteration.
	Scan(ctx context.Context, scan Scan) iter.Seq2[Row, error]

	// Mutate writes each mutation atomically. The errors are index-aligned. A nil slice means that
	// all mutations are durable. Mutations of one row in a batch have no order, unless their cells
	// have timestamps.
	Mutate(ctx context.Context, mutations []Mutation) ([]error, error)

	CheckAndPut(ctx context.Context, check Check, put Put) (bool, error)

	// CreateTable may return [ErrTableExists].
	CreateTable(ctx context.Context, table Table) error

	// Tables returns all names, ascending.
	Tables(ctx context.Context) ([]string, error)

	// DropTable may return [ErrTableNotFound].
	DropTable(ctx context.Context, name string) error

	// Close makes later calls return [ErrClosed].
	Close() error
}

// GetAll returns each Get's cells, or the first error.
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

// GetOne is [GetAll] of one Get.
func GetOne(ctx context.Context, store Store, get Get) ([]Cell, error) {
	cells, err := GetAll(ctx, store, []Get{get})
	if err != nil {
		return nil, err
	}
	return cells[0], nil
}

// GetEach is [GetAll] of a Get per item.
func GetEach[T any](ctx context.Context, store Store, items []T, get func(T) Get) ([][]Cell, error) {
	gets := make([]Get, len(items))
	for i, item := range items {
		gets[i] = get(item)
	}
	return GetAll(ctx, store, gets)
}

// MutateAll returns the first error. Other mutations may have been written.
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

// ColumnPages reads a row in pages of get.Page.Limit columns. The first error ends the iteration.
func ColumnPages(get Get, read func(Get) ([]Cell, error)) iter.Seq2[[]Cell, error] {
	return func(yield func([]Cell, error) bool) {
		for more := true; more; {
			cells, err := read(get)
			if len(cells) == 0 && err == nil || !yield(cells, err) || err != nil {
				return
			}
			get.Page.Start, more = Next(cells[len(cells)-1].Qualifier), len(cells) == get.Page.Limit
		}
	}
}

const defaultPageSize = 256 // rows

// Pages implements [Store.Scan]. open returns a function that reads the next page, of at most size
// rows. more is true if rows may follow.
func Pages(
	ctx context.Context, scan Scan, open func() func(size int) (page []Row, more bool, err error),
) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		if err := scan.Validate(); err != nil {
			yield(Row{}, err)
			return
		}
		stats := StatsOf(ctx)
		stats.Scans.Add(1)
		if scan.Empty() {
			return
		}
		next := open()
		for rows, more := 0, true; more; {
			size := cmp.Or(scan.PageSize, defaultPageSize)
			if scan.Limit > 0 {
				size = min(size, scan.Limit-rows)
			}
			var page []Row
			var err error
			page, more, err = next(size)
			for _, row := range page {
				stats.CountRow(row)
				if rows++; !yield(row, nil) || rows == scan.Limit {
					return
				}
			}
			if err != nil {
				yield(Row{}, err)
				return
			}
		}
	}
}
