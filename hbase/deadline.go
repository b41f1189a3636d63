package hbase

import (
	"context"
	"fmt"
	"time"
)

// DefaultTimeout bounds a call whose context has no deadline.
const DefaultTimeout = 30 * time.Second

// ErrUnresponsive is the [ErrUnavailable] of a server that exceeds the store's call timeout.
var ErrUnresponsive = fmt.Errorf("%w: a server does not answer", ErrUnavailable)

// Bounded returns ctx with its own deadline, or [DefaultTimeout] if it has none. Unless callTimeout
// is 0, it is a deadline too, with the cause [ErrUnresponsive]. Engines call Bounded first in every
// method.
func Bounded(ctx context.Context, callTimeout time.Duration) (context.Context, context.CancelFunc) {
	if callTimeout > 0 {
		return context.WithTimeoutCause(ctx, callTimeout, ErrUnresponsive)
	}
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, DefaultTimeout)
}
