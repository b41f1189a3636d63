package cluster

import (
	"context"
	"math/rand/v2"
	"time"
	_ "unsafe" // for go:linkname
)

const (
	firstBackoff = 16 * time.Millisecond // gohbase's
	maxBackoff   = time.Second
)

// gohbaseBackoff is gohbase's hook for tests of its pauses between attempts to find a region.
// gohbase increases them up to half a minute, so that some regions would stay unavailable for long
// after the end of an outage. gohbase has no option for that.
//
//go:linkname gohbaseBackoff github.com/tsuna/gohbase.sleepAndIncreaseBackoffOverride
var gohbaseBackoff func(ctx context.Context, backoff time.Duration) (next time.Duration, err error)

func init() { gohbaseBackoff = backOff }

// backOff pauses for half of backoff to all of it, and returns the next one, at most maxBackoff. It
// does not pause if backoff is 0. The error is that of ctx.
func backOff(ctx context.Context, backoff time.Duration) (next time.Duration, err error) {
	if backoff == 0 {
		return firstBackoff, nil
	}
	pause := backoff/2 + rand.N(backoff/2+1)
	select {
	case <-time.After(pause):
		return min(2*backoff, maxBackoff), nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
