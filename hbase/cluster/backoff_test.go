package cluster

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestBackOffIsAtMostASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backoff, attempts := time.Duration(0), 0
		for begun := time.Now(); time.Since(begun) < time.Minute; attempts++ {
			before := time.Now()
			next, err := backOff(t.Context(), backoff)
			if err != nil {
				t.Fatal(err)
			}
			if pause := time.Since(before); pause < backoff/2 || pause > backoff || pause > time.Second {
				t.Fatalf("attempt %d: a pause of %v for %v", attempts, pause, backoff)
			}
			backoff = next
		}
		if attempts < 60 || attempts > 130 {
			t.Errorf("%d attempts in a minute", attempts)
		}
	})
}

func TestBackOffEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if next, err := backOff(ctx, time.Hour); next != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v", next, err)
	}
}

func TestGohbaseUsesBackOff(t *testing.T) {
	if gohbaseBackoff == nil {
		t.Error("gohbase's hook is not set")
	}
}
