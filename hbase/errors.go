package hbase

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Errors of a store. Engines wrap them with details.
var (
	ErrInvalid      = errors.New("hbase: invalid request")
	ErrCellTooLarge = errors.New("hbase: cell too large")
	// ErrTableNotFound is an [Outage]: somebody has dropped the table, and may restore it.
	ErrTableNotFound  error = &Outage{"table not found", retryAfter}
	ErrTableExists          = errors.New("hbase: table exists")
	ErrFamilyNotFound       = errors.New("hbase: column family not found")
	// ErrNotLong is an increment of a cell that does not hold eight bytes.
	ErrNotLong = errors.New("hbase: field is not a long")
	// ErrUnavailable is an [Outage] of a region or a server. A write may have been applied.
	ErrUnavailable error = &Outage{"unavailable", retryAfter}
	// ErrRefused is an [Outage]: the region does not accept the call, because its table is read-only,
	// for example. The call was not executed.
	ErrRefused error = &Outage{"refused", retryAfter}
	// ErrDenied is an [Outage] that a retry does not end: the user of the store lacks a right.
	ErrDenied error = &Outage{"access denied", 0}
	// ErrCorrupt is stored data that can't be decoded. It is never reported as absence.
	ErrCorrupt = errors.New("hbase: corrupt data")
	// ErrLocked is an embedded store that is open in another process.
	ErrLocked = errors.New("hbase: store is in use by another process")
	// ErrFormat is an embedded store of a newer version.
	ErrFormat = errors.New("hbase: store has an unknown format")
	ErrClosed = errors.New("hbase: store is closed")
)

// retryAfter is the time after which a retry may help, unless HBase's exception names a time.
const retryAfter = time.Second

// Outage is an error of the cluster's state, rather than of the caller. Packages that do not import
// this one recognise it by its methods.
type Outage struct {
	what  string
	after time.Duration
}

// Error implements error.
func (o *Outage) Error() string { return "hbase: " + o.what }

// Temporary is true: the cluster's state can change.
func (*Outage) Temporary() bool { return true }

// RetryAfter returns the time after which to retry, or 0 if a retry does not help by itself.
func (o *Outage) RetryAfter() time.Duration { return o.after }

// DefaultTimeout bounds a call whose context has no deadline.
const DefaultTimeout = 30 * time.Second

// ErrUnresponsive is the [ErrUnavailable] of a server that exceeds the store's call timeout.
var ErrUnresponsive = fmt.Errorf("%w: a server does not answer", ErrUnavailable)

// ErrUnlocated is the [ErrUnavailable] of a call that needs a server whose address ZooKeeper does not
// return.
var ErrUnlocated = fmt.Errorf("%w: %w", &Outage{"no address from ZooKeeper", retryAfter}, ErrUnavailable)

// Bounded returns ctx with a deadline. Unless callTimeout is 0, ctx ends after it at the latest,
// with the cause [ErrUnresponsive]. If callTimeout is 0 and ctx has no deadline, it gets
// [DefaultTimeout]. Engines call it in every read and write.
func Bounded(ctx context.Context, callTimeout time.Duration) (context.Context, context.CancelFunc) {
	if callTimeout > 0 {
		return context.WithTimeoutCause(ctx, callTimeout, ErrUnresponsive)
	}
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, DefaultTimeout)
}
