package auth

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// rowBurst is the time that an empty bucket of [Rows] takes to fill.
const rowBurst = 10 * time.Second

// Rows limits the rows per second that a client reads: see docs/LIMITS.md. An operation is charged
// after its reads, so it may exceed the limit. A nil *Rows limits nothing. It is safe for
// concurrent use.
type Rows struct {
	perSecond int
	buckets   *buckets
	now       func() time.Time
}

// NewRows returns nil if perSecond is 0.
func NewRows(perSecond int, now func() time.Time) *Rows {
	if perSecond == 0 {
		return nil
	}
	return &Rows{perSecond, newBuckets(rate.Limit(perSecond), perSecond*int(rowBurst/time.Second)), now}
}

// PerSecond returns the limit.
func (r *Rows) PerSecond() int { return r.perSecond }

// Wait returns the time until the client of ctx may read, or 0.
func (r *Rows) Wait(ctx context.Context) time.Duration {
	if r == nil {
		return 0
	}
	missing := -r.buckets.of(ClientOf(ctx)).TokensAt(r.now())
	return max(time.Duration(missing/float64(r.perSecond)*float64(time.Second)), 0)
}

// Charge counts the rows of an operation.
func (r *Rows) Charge(ctx context.Context, rows int64) {
	if r == nil || rows <= 0 {
		return
	}
	bucket, now := r.buckets.of(ClientOf(ctx)), r.now()
	for burst := int64(r.buckets.burst); rows > 0; rows -= burst { // a bucket gives at most its burst at once
		bucket.ReserveN(now, int(min(rows, burst)))
	}
}

// ClientOf returns the name of the viewer of ctx, or the address.
func ClientOf(ctx context.Context) string {
	if viewer, ok := ViewerOf(ctx); ok {
		return "viewer " + viewer.Username
	}
	return "address " + AddressOf(ctx)
}
