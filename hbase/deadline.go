package hbase

import (
	"context"
	"fmt"
	"time"
)

// DefaultTimeout bounds a call whose ctx has no deadline of its own: nothing waits for ever.
const DefaultTimeout = 30 * time.Second

// ErrSilent is a server that has not answered for as long as the caller's patience lasts: it is an [ErrUnavailable].
var ErrSilent = fmt.Errorf("%w: a server does not answer", ErrUnavailable)

type patienceKey struct{}

// WithPatience returns a ctx of which each single call of a store takes at most so long, whatever its deadline: what a server that does not answer
// was asked for is [ErrSilent] then. Until it answers again, what is asked of it with such a ctx is refused at once. So who serves others tells them
// early, and answers what others ask of other servers.
func WithPatience(ctx context.Context, patience time.Duration) context.Context {
	return context.WithValue(ctx, patienceKey{}, patience)
}

// Impatient reports whether ctx is one of [WithPatience].
func Impatient(ctx context.Context) bool {
	_, is := ctx.Value(patienceKey{}).(time.Duration)
	return is
}

// Bounded returns ctx with a deadline: its own, or [DefaultTimeout] from now, and that of [WithPatience]. If it is the last that passes, [ErrSilent]
// is the cause. Engines call it first in every method.
func Bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if patience, is := ctx.Value(patienceKey{}).(time.Duration); is {
		return context.WithTimeoutCause(ctx, patience, ErrSilent)
	}
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, DefaultTimeout)
}
