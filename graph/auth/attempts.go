package auth

import (
	"context"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"twibase/hbase/tables"
)

// maxRemembered bounds the addresses, and the names, whose attempts are counted. The least recently
// used are dropped.
const maxRemembered = 100_000

// freePost is how many bytes a text may have that is not limited.
const freePost = 4 << 10

// Attempts limits the rate of sign-ups and log-ins, by client address and by username, and that of long texts, by their author.
// docs/PERMISSIONS.md has the numbers. It is safe for concurrent use.
type Attempts struct {
	signUps, logIns, names, posts *buckets
	now                           func() time.Time
}

// NewAttempts returns limits without any attempts.
func NewAttempts(now func() time.Time) *Attempts {
	return &Attempts{
		signUps: newBuckets(rate.Every(time.Second), 100),
		logIns:  newBuckets(rate.Every(time.Second/10), 100),
		names:   newBuckets(rate.Every(6*time.Second), 10),
		posts:   newBuckets(8<<10, 1<<20),
		now:     now,
	}
}

// SignUp counts a sign-up, and returns how long the client must wait before it tries again, 0 if
// the sign-up is allowed.
func (a *Attempts) SignUp(ctx context.Context) (wait time.Duration) {
	return a.signUps.take(AddressOf(ctx), a.now())
}

// LogIn counts a log-in, and returns how long the client must wait before it tries again, 0 if the
// log-in is allowed. It does not count for the name if the address must wait, which would lock out
// its owner, or if no account can have the name.
func (a *Attempts) LogIn(ctx context.Context, username string) (wait time.Duration) {
	wait = a.logIns.take(AddressOf(ctx), a.now())
	if wait > 0 || tables.CheckUsername(username) != nil {
		return wait
	}
	return a.names.take(username, a.now())
}

// LoggedIn drops the attempts for a name after a successful log-in.
func (a *Attempts) LoggedIn(username string) { a.names.all.Remove(username) }

// Post counts the bytes of a long text that a user posts, and returns how long the user must wait before it is tried again, 0 if
// the text is allowed. Nil limits nothing.
func (a *Attempts) Post(username string, bytes int) (wait time.Duration) {
	if a == nil || bytes <= freePost {
		return 0
	}
	return a.posts.takeN(username, a.now(), min(bytes, a.posts.burst))
}

// buckets has a token bucket for each key.
type buckets struct {
	limit rate.Limit
	burst int
	all   *lru.Cache[string, *rate.Limiter]
}

func newBuckets(limit rate.Limit, burst int) *buckets {
	all, err := lru.New[string, *rate.Limiter](maxRemembered)
	if err != nil {
		panic(err) // the size is no size
	}
	return &buckets{limit, burst, all}
}

// take takes a token, or returns when there will be one.
func (b *buckets) take(key string, now time.Time) time.Duration { return b.takeN(key, now, 1) }

// takeN takes n tokens, or returns when there will be so many.
func (b *buckets) takeN(key string, now time.Time, n int) time.Duration {
	bucket, known := b.all.Get(key)
	if !known {
		bucket = rate.NewLimiter(b.limit, b.burst)
		if other, meanwhile, _ := b.all.PeekOrAdd(key, bucket); meanwhile {
			bucket = other
		}
	}
	taken := bucket.ReserveN(now, n)
	wait := taken.DelayFrom(now)
	if wait > 0 {
		taken.CancelAt(now)
	}
	return wait
}
