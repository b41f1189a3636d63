package hbase

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Errors of a store. Engines wrap them with details.
var (
	ErrInvalid        = errors.New("hbase: invalid request")
	ErrCellTooLarge   = errors.New("hbase: cell too large")
	ErrTableNotFound  = errors.New("hbase: table not found")
	ErrTableExists    = errors.New("hbase: table exists")
	ErrFamilyNotFound = errors.New("hbase: column family not found")
	// ErrNotLong is an increment of a cell that does not hold eight bytes.
	ErrNotLong = errors.New("hbase: field is not a long")
	// ErrUnavailable is a temporary failure of a region or a server.
	ErrUnavailable error = unavailable{}
	// ErrCorrupt is stored data that can't be decoded. It is never reported as absence.
	ErrCorrupt = errors.New("hbase: corrupt data")
	// ErrLocked is an embedded store that is open in another process.
	ErrLocked = errors.New("hbase: store is in use by another process")
	// ErrFormat is an embedded store of a newer version.
	ErrFormat = errors.New("hbase: store has an unknown format")
	ErrClosed = errors.New("hbase: store is closed")
)

type unavailable struct{}

func (unavailable) Error() string { return "hbase: unavailable" }

// Temporary reports that a retry may help, to packages that do not import this one.
func (unavailable) Temporary() bool { return true }

// DefaultTimeout bounds a call whose context has no deadline.
const DefaultTimeout = 30 * time.Second

// ErrUnresponsive is the [ErrUnavailable] of a server that exceeds the store's call timeout.
var ErrUnresponsive = fmt.Errorf("%w: a server does not answer", ErrUnavailable)

// Bounded returns ctx with its own deadline and, unless it is 0, callTimeout with the cause
// [ErrUnresponsive], or with [DefaultTimeout] if it has neither. Engines call it in every read and
// write.
func Bounded(ctx context.Context, callTimeout time.Duration) (context.Context, context.CancelFunc) {
	if callTimeout > 0 {
		return context.WithTimeoutCause(ctx, callTimeout, ErrUnresponsive)
	}
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, DefaultTimeout)
}
