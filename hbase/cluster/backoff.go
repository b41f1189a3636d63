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

// gohbaseBackoff is gohbase's test hook for its pauses between attempts. gohbase's own pauses grow
// to half a minute, so regions would stay unavailable after an outage. No option limits them.
//
//go:linkname gohbaseBackoff github.com/tsuna/gohbase.sleepAndIncreaseBackoffOverride
var gohbaseBackoff func(ctx context.Context, backoff time.Duration) (next time.Duration, err error)

func init() { gohbaseBackoff = backOff }

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
