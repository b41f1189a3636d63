package auth

import (
	"context"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"twibase/hbase/tables"
)

// remembered is of how many addresses, and of how many names, the attempts are remembered. The least recent are forgotten.
const remembered = 100_000

// Attempts bound how often people try to sign up and to log in, by where they are and by whom they say to be. docs/PERMISSIONS.md has the
// numbers. They are safe for concurrent use.
type Attempts struct {
	signUps, logIns, names *buckets
	now                    func() time.Time
}

// NewAttempts returns those of a gateway that has just begun.
func NewAttempts(now func() time.Time) *Attempts {
	return &Attempts{
		signUps: newBuckets(rate.Every(time.Second), 100),
		logIns:  newBuckets(rate.Every(time.Second/10), 100),
		names:   newBuckets(rate.Every(6*time.Second), 10),
		now:     now,
	}
}

// SignUp counts an attempt to sign up, and returns how long the client has to wait for it, 0 if it need not.
func (a *Attempts) SignUp(ctx context.Context) (wait time.Duration) {
	return a.signUps.take(AddressOf(ctx), a.now())
}

// LogIn counts an attempt to log in by a name, and returns how long the client has to wait for it, 0 if it need not. A name that can't be
// one nobody can guess the password of. What comes from an address that has to wait does not count for the name: it would keep its owner out, and make
// others be forgotten.
func (a *Attempts) LogIn(ctx context.Context, username string) (wait time.Duration) {
	wait = a.logIns.take(AddressOf(ctx), a.now())
	if wait > 0 || tables.CheckUsername(username) != nil {
		return wait
	}
	return a.names.take(username, a.now())
}

// LoggedIn forgets the attempts by a name whose password was right.
func (a *Attempts) LoggedIn(username string) { a.names.all.Remove(username) }

// buckets are a bucket of tokens for each key.
type buckets struct {
	limit rate.Limit
	burst int
	all   *lru.Cache[string, *rate.Limiter]
}

func newBuckets(limit rate.Limit, burst int) *buckets {
	all, err := lru.New[string, *rate.Limiter](remembered)
	if err != nil {
		panic(err) // the size is no size
	}
	return &buckets{limit, burst, all}
}

// take takes a token, or says when there will be one.
func (b *buckets) take(key string, now time.Time) time.Duration {
	bucket, known := b.all.Get(key)
	if !known {
		bucket = rate.NewLimiter(b.limit, b.burst)
		if other, meanwhile, _ := b.all.PeekOrAdd(key, bucket); meanwhile {
			bucket = other
		}
	}
	taken := bucket.ReserveN(now, 1)
	wait := taken.DelayFrom(now)
	if wait > 0 {
		taken.CancelAt(now)
	}
	return wait
}
