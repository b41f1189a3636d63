package hbase

import (
	"context"
	"iter"
)

// Store is a set of tables. It is safe for concurrent use.
//
// Every call takes its deadline from ctx, or [DefaultTimeout] if ctx has none. Returned cells and their values may be shared: callers must not
// change them. A caller may reuse the slices that it passes when the call has returned.
//
// An error of a call as a whole (a dead ctx, a closed store) is returned by the call. An error of one item (a missing
// table, an unavailable region) is in that item's place, and the other items are answered.
type Store interface {
	// Get reads many rows of any tables at once. The results are index-aligned with gets. A row that does not exist has
	// no cells and no error.
	Get(ctx context.Context, gets []Get) ([]Result, error)

	// Scan iterates over the rows of a key range in the order of their keys, reading a page of rows at a time, one RPC a page.
	// Rows without a selected cell are left out. The first error ends the iteration. If ctx has no deadline, each page has its own.
	Scan(ctx context.Context, scan Scan) iter.Seq2[Row, error]

	// Mutate writes many rows. Each mutation is atomic, the batch is not. The errors are index-aligned with mutations;
	// nil in place of the slice means that all were written and are durable. The order of two mutations of one row in one batch
	// is undefined unless their cells carry timestamps.
	Mutate(ctx context.Context, mutations []Mutation) ([]error, error)

	// CheckAndPut writes put if the newest version of the checked cell has the expected value, and reports whether it did.
	// The check and the put are one atomic step. A check without a value matches an absent or an empty cell.
	CheckAndPut(ctx context.Context, check Check, put Put) (bool, error)

	// Increment adds delta to a cell of eight bytes, big-endian, and returns the sum. An absent cell counts as zero. Any other length
	// is [ErrNotLong]. A connection lost in the middle may apply it twice.
	Increment(ctx context.Context, inc Increment) (int64, error)

	// CreateTable makes a table, pre-split. It is [ErrTableExists] if there is one of that name.
	CreateTable(ctx context.Context, table Table) error

	// Tables lists the names of the tables in ascending order.
	Tables(ctx context.Context) ([]string, error)

	// DropTable removes a table and all that it holds. It is [ErrTableNotFound] if there is none.
	DropTable(ctx context.Context, name string) error

	// Close releases the store. Calls after it are [ErrClosed].
	Close() error
}
