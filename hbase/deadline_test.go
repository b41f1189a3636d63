package hbase_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
)

func TestBounded(t *testing.T) {
	for _, test := range []struct {
		name string
		ctx  func(context.Context) context.Context
		call time.Duration
		want time.Duration
		why  error
	}{
		{"a ctx without a deadline gets one", func(ctx context.Context) context.Context { return ctx }, 0, hbase.DefaultTimeout, context.DeadlineExceeded},
		{"a ctx keeps its own", func(ctx context.Context) context.Context { return within(ctx, time.Minute) }, 0, time.Minute, context.DeadlineExceeded},
		{"the call timeout ends before it",
			func(ctx context.Context) context.Context { return within(ctx, time.Minute) }, time.Second, time.Second, hbase.ErrUnresponsive},
		{"the call timeout does not extend it",
			func(ctx context.Context) context.Context { return within(ctx, time.Second) }, time.Minute, time.Second, context.DeadlineExceeded},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := hbase.Bounded(test.ctx(t.Context()), test.call)
				defer cancel()
				begun := time.Now()
				<-ctx.Done()
				if took := time.Since(begun); took != test.want || context.Cause(ctx) != test.why {
					t.Errorf("it ends after %v: %v", took, context.Cause(ctx))
				}
			})
		})
	}
	if !errors.Is(hbase.ErrUnresponsive, hbase.ErrUnavailable) {
		t.Error("an unresponsive server is not unavailable")
	}
}

// within returns a ctx with a deadline, that ends with ctx.
func within(ctx context.Context, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(ctx, d)
	context.AfterFunc(ctx, cancel)
	return ctx
}
