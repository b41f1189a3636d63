package hbase_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
)

func TestEarlierDeadlineBoundsACall(t *testing.T) {
	for _, test := range []struct {
		name           string
		deadline, call time.Duration // 0 is none
		want           time.Duration
		cause          error
	}{
		{"without a deadline", 0, 0, hbase.DefaultTimeout, context.DeadlineExceeded},
		{"its own deadline", time.Minute, 0, time.Minute, context.DeadlineExceeded},
		{"an earlier call timeout", time.Minute, time.Second, time.Second, hbase.ErrUnresponsive},
		{"a later call timeout", time.Second, time.Minute, time.Second, context.DeadlineExceeded},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if test.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.deadline)
					defer cancel()
				}
				ctx, cancel := hbase.Bounded(ctx, test.call)
				defer cancel()
				begun := time.Now()
				<-ctx.Done()
				if took := time.Since(begun); took != test.want || context.Cause(ctx) != test.cause {
					t.Errorf("done after %v with cause %v, want %v and %v", took, context.Cause(ctx), test.want, test.cause)
				}
			})
		})
	}
	if !errors.Is(hbase.ErrUnresponsive, hbase.ErrUnavailable) {
		t.Error("ErrUnresponsive is not an ErrUnavailable")
	}
}

func TestStatesOfAClusterAreOutages(t *testing.T) {
	for err, retry := range map[error]bool{
		hbase.ErrTableNotFound: true, hbase.ErrFamilyNotFound: true, hbase.ErrUnavailable: true, hbase.ErrRejected: true,
		hbase.ErrUnlocated: true, hbase.ErrUnresponsive: true, hbase.ErrDenied: false,
	} {
		outage := (*hbase.Outage)(nil)
		if !errors.As(err, &outage) || !outage.Temporary() || (outage.RetryAfter() > 0) != retry {
			t.Errorf("%v: outage %v, want a time to retry: %t", err, outage, retry)
		}
	}
}
