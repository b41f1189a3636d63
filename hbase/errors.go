package hbase

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The errors of a Store. The Store wraps them with details.
var (
	ErrInvalid      = errors.New("hbase: invalid request")
	ErrCellTooLarge = errors.New("hbase: cell too large")
	// ErrTableNotFound is an [Outage]: a table may be restored.
	ErrTableNotFound error = &Outage{"table not found", retryAfter}
	// ErrFamilyNotFound is an [Outage], too.
	ErrFamilyNotFound error = &Outage{"column family not found", retryAfter}
	ErrTableExists          = errors.New("hbase: table exists")
	// ErrUnavailable is an [Outage] of a region or a server. A write may have been applied.
	ErrUnavailable error = &Outage{"unavailable", retryAfter}
	// ErrRejected is an [Outage]: the call was not executed, because the table is read-only, for
	// example.
	ErrRejected error = &Outage{"rejected", retryAfter}
	// ErrDenied is an [Outage] that a retry does not end.
	ErrDenied error = &Outage{"access denied", 0}
	// ErrCorrupt is the error of unreadable data, which never count as missing.
	ErrCorrupt = errors.New("hbase: corrupt data")
	// ErrLocked: the embedded store is already open, usually in another process.
	ErrLocked = errors.New("hbase: store is in use")
	// ErrFormat: a newer version of twibase, or another program, wrote the embedded store.
	ErrFormat = errors.New("hbase: store has an unknown format")
	ErrClosed = errors.New("hbase: store is closed")
)

const retryAfter = time.Second

// Outage is an error of the store's state, not of the request. Packages recognise it by its
// methods, without importing package hbase.
type Outage struct {
	what  string
	after time.Duration
}

func (o *Outage) Error() string { return "hbase: " + o.what }

// Temporary makes package apierr respond UNAVAILABLE, also for [ErrDenied].
func (*Outage) Temporary() bool { return true }

// RetryAfter is 0 if a retry does not help.
func (o *Outage) RetryAfter() time.Duration { return o.after }

// DefaultTimeout is for calls without a deadline.
const DefaultTimeout = 30 * time.Second

// ErrUnresponsive is [ErrUnavailable] after the call timeout.
var ErrUnresponsive = fmt.Errorf("%w: a server does not answer", ErrUnavailable)

// ErrUnlocated is [ErrUnavailable] because ZooKeeper returns no address.
var ErrUnlocated = fmt.Errorf("%w: %w", &Outage{"no address from ZooKeeper", retryAfter}, ErrUnavailable)

// Bounded returns the context of an engine's call. The context ends after callTimeout, with the
// cause [ErrUnresponsive]. If callTimeout is 0, the context ends at the deadline of ctx, or after
// [DefaultTimeout] if ctx has no deadline.
func Bounded(ctx context.Context, callTimeout time.Duration) (context.Context, context.CancelFunc) {
	if callTimeout > 0 {
		return context.WithTimeoutCause(ctx, callTimeout, ErrUnresponsive)
	}
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, DefaultTimeout)
}
