package hbase

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Errors of a Store, which adds details.
var (
	ErrInvalid      = errors.New("hbase: invalid request")
	ErrCellTooLarge = errors.New("hbase: cell too large")
	// ErrTableNotFound is an [Outage], because a table may be restored.
	ErrTableNotFound  error = &Outage{"table not found", retryAfter}
	ErrFamilyNotFound error = &Outage{"column family not found", retryAfter}
	ErrTableExists          = errors.New("hbase: table exists")
	// ErrUnavailable does not tell whether a write was applied.
	ErrUnavailable error = &Outage{"unavailable", retryAfter}
	// ErrRejected: the call was not executed, for example on a read-only table.
	ErrRejected error = &Outage{"rejected", retryAfter}
	// ErrDenied: a retry does not help.
	ErrDenied error = &Outage{"access denied", 0}
	// ErrCorrupt is for unreadable data, which never count as missing.
	ErrCorrupt = errors.New("hbase: corrupt data")
	// ErrLocked: the embedded store is already open, usually in another process.
	ErrLocked = errors.New("hbase: store is in use")
	// ErrFormat: a newer version of twibase, or another program, wrote the embedded store.
	ErrFormat = errors.New("hbase: store has an unknown format")
	ErrClosed = errors.New("hbase: store is closed")
)

const retryAfter = time.Second

// Outage is an error of the store's state, not of the request. Packages recognise it by its
// methods, without importing hbase.
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

// ErrUnlocated means that ZooKeeper returns no address.
var ErrUnlocated = fmt.Errorf("%w: %w", &Outage{"no address from ZooKeeper", retryAfter}, ErrUnavailable)

// Bounded returns the context of an engine's call. It ends after callTimeout, with the cause
// [ErrUnresponsive]. If callTimeout is 0 and ctx has no deadline, it ends after [DefaultTimeout].
func Bounded(ctx context.Context, callTimeout time.Duration) (context.Context, context.CancelFunc) {
	if callTimeout > 0 {
		return context.WithTimeoutCause(ctx, callTimeout, ErrUnresponsive)
	}
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, DefaultTimeout)
}
