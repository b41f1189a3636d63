package hbase

import (
	"context"
	"fmt"
	"time"
)

// DefaultTimeout bounds a call whose context has no deadline: no call waits for ever.
const DefaultTimeout = 30 * time.Second

// ErrUnresponsive is a server that did not answer a call within the store's call timeout. It is an
// [ErrUnavailable].
var ErrUnresponsive = fmt.Errorf("%w: a server does not answer", ErrUnavailable)

// Bounded returns ctx with a deadline: its own, or [DefaultTimeout] from now. If callTimeout is not 0, that is a
// deadline, too; if it is the one that passes, [ErrUnresponsive] is the cause. Engines call it first in every
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
