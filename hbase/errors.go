package hbase

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Errors of a store, wrapped with details.
var (
	ErrInvalid      = errors.New("hbase: invalid request")
	ErrCellTooLarge = errors.New("hbase: cell too large")
	// ErrTableNotFound is an [Outage]: the table may be restored.
	ErrTableNotFound  error = &Outage{"table not found", retryAfter}
	ErrTableExists          = errors.New("hbase: table exists")
	ErrFamilyNotFound       = errors.New("hbase: column family not found")
	// ErrUnavailable is an [Outage] of a region or a server. A write may have been applied.
	ErrUnavailable error = &Outage{"unavailable", retryAfter}
	// ErrRefused is an [Outage]: the region did not execute the call, because its table is
	// read-only, for example.
	ErrRefused error = &Outage{"refused", retryAfter}
	// ErrDenied is an [Outage] that a retry does not end: the store's user lacks a right.
	ErrDenied error = &Outage{"access denied", 0}
	// ErrCorrupt is stored data that can't be decoded. It is never reported as absence.
	ErrCorrupt = errors.New("hbase: corrupt data")
	// ErrLocked: the embedded store is open in another process.
	ErrLocked = errors.New("hbase: store is in use by another process")
	// ErrFormat: the embedded store is of a newer version.
	ErrFormat = errors.New("hbase: store has an unknown format")
	ErrClosed = errors.New("hbase: store is closed")
)

// retryAfter is the default, where HBase's exception names no time.
const retryAfter = time.Second

// Outage is an error of the cluster's state. Packages that do not import this one recognise it by
// its methods.
type Outage struct {
	what  string
	after time.Duration
}

// Error implements error.
func (o *Outage) Error() string { return "hbase: " + o.what }

// Temporary is true: the cluster's state can change.
func (*Outage) Temporary() bool { return true }

// RetryAfter returns the time after which to retry, or 0 if that does not help.
func (o *Outage) RetryAfter() time.Duration { return o.after }

// DefaultTimeout bounds a call whose context has no deadline.
const DefaultTimeout = 30 * time.Second

// ErrUnresponsive is the [ErrUnavailable] of a server that exceeds the store's call timeout.
var ErrUnresponsive = fmt.Errorf("%w: a server does not answer", ErrUnavailable)

// ErrUnlocated is the [ErrUnavailable] of a call to a server whose address ZooKeeper does not
// return.
var ErrUnlocated = fmt.Errorf("%w: %w", &Outage{"no address from ZooKeeper", retryAfter}, ErrUnavailable)

// Bounded returns ctx with a deadline, for a read or write of an engine. A callTimeout bounds ctx
// with the cause [ErrUnresponsive]. Without one, the default is [DefaultTimeout].
func Bounded(ctx context.Context, callTimeout time.Duration) (context.Context, context.CancelFunc) {
	if callTimeout > 0 {
		return context.WithTimeoutCause(ctx, callTimeout, ErrUnresponsive)
	}
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, DefaultTimeout)
}
