package hbase

import (
	"context"
	"fmt"
	"time"
)

// DefaultTimeout bounds a call whose context has no deadline.
const DefaultTimeout = 30 * time.Second

// ErrUnresponsive is a server that did not answer a call within the store's call timeout. It is an
// [ErrUnavailable].
var ErrUnresponsive = fmt.Errorf("%w: a server does not answer", ErrUnavailable)

// Bounded returns ctx with a deadline: its own, or [DefaultTimeout] from now. A callTimeout that is not 0 is a deadline, too, and
// [ErrUnresponsive] is the cause when it passes first. Engines call Bounded first in every method.
func Bounded(ctx context.Context, callTimeout time.Duration) (context.Context, context.CancelFunc) {
	if callTimeout > 0 {
		return context.WithTimeoutCause(ctx, callTimeout, ErrUnresponsive)
	}
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, DefaultTimeout)
}
