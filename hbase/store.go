package hbase

import (
	"context"
	"iter"
)

// Store is a set of tables. It is safe for concurrent use.
//
// A ctx without a deadline has [DefaultTimeout]. Returned cells may be shared: callers must not
// change them. Callers may reuse the slices that they pass after the call.
//
// A call fails as a whole if its ctx is done or the store is closed. An error of one item, such as
// a missing table or an unavailable region, is returned in that item's place.
type Store interface {
	// Get reads rows of any tables. The results are index-aligned with gets. A missing row has no
	// cells and no error.
	Get(ctx context.Context, gets []Get) ([]Result, error)

	// Scan iterates over the rows of a key range, ascending. It reads a page of rows with each RPC.
	// Rows without a selected cell are left out. The first error ends the iteration. Without a
	// deadline of ctx, each page has [DefaultTimeout].
	Scan(ctx context.Context, scan Scan) iter.Seq2[Row, error]

	// Mutate writes rows. Each mutation is atomic, the batch is not. The errors are index-aligned with
	// mutations, or nil if all were written and are durable. Mutations of one row in a batch have no
	// order, unless their cells have timestamps.
	Mutate(ctx context.Context, mutations []Mutation) ([]error, error)

	// CheckAndPut writes put if the newest version of the checked cell has the expected value, and
	// reports whether it did. It is atomic. An empty value matches an absent or an empty cell.
	CheckAndPut(ctx context.Context, check Check, put Put) (bool, error)

	// Increment adds delta to a cell of eight bytes, big-endian, and returns the sum. An absent cell
	// is zero. A cell of another length is [ErrNotLong]. It may be applied twice if a connection is
	// lost.
	Increment(ctx context.Context, inc Increment) (int64, error)

	// CreateTable creates a table, or returns [ErrTableExists].
	CreateTable(ctx context.Context, table Table) error

	// Tables returns the names of all tables, ascending.
	Tables(ctx context.Context) ([]string, error)

	// DropTable deletes a table and its rows, or returns [ErrTableNotFound].
	DropTable(ctx context.Context, name string) error

	// Close closes the store. Later calls return [ErrClosed].
	Close() error
}
