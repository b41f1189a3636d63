package auth

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"twibase/hbase/tables"
)

const maxRemembered = 100_000 // keys

// freePost is the largest size of an unlimited post, in bytes.
const freePost = 4 << 10

// Attempts limits the rates of sign-ups, log-ins and long texts: see docs/PERMISSIONS.md. It is
// safe for concurrent use.
type Attempts struct {
	signUps, logIns, names, posts *buckets
	now                           func() time.Time
}

// NewAttempts returns limits with full buckets.
func NewAttempts(now func() time.Time) *Attempts {
	return &Attempts{
		signUps: newBuckets(rate.Every(time.Second), 100),
		logIns:  newBuckets(rate.Every(time.Second/10), 100),
		names:   newBuckets(rate.Every(6*time.Second), 10),
		posts:   newBuckets(8<<10, 1<<20),
		now:     now,
	}
}

// SignUp counts a sign-up and returns 0, or counts nothing and returns the time to wait.
func (a *Attempts) SignUp(ctx context.Context) (wait time.Duration) {
	return a.signUps.take(AddressOf(ctx), a.now(), 1)
}

// LogIn is like SignUp, by address and then by username. If the address must wait, the attempt does
// not count for the username: otherwise one address could lock out the owner of the username.
func (a *Attempts) LogIn(ctx context.Context, username string) (wait time.Duration) {
	wait = a.logIns.take(AddressOf(ctx), a.now(), 1)
	if wait > 0 || tables.CheckUsername(username) != nil {
		return wait
	}
	return a.names.take(username, a.now(), 1)
}

// LoggedIn forgets the attempts for a username.
func (a *Attempts) LoggedIn(username string) { a.names.all.Remove(username) }

// Post is like SignUp, and counts the bytes of all texts of a post. A nil *Attempts limits nothing.
func (a *Attempts) Post(username string, bytes int) (wait time.Duration) {
	if a == nil || bytes <= freePost {
		return 0
	}
	return a.posts.take(username, a.now(), min(bytes, a.posts.burst))
}

type buckets struct {
	limit rate.Limit
	burst int
	all   *lru.Cache[string, *rate.Limiter]
}

func newBuckets(limit rate.Limit, burst int) *buckets {
	all, err := lru.New[string, *rate.Limiter](maxRemembered)
	if err != nil {
		panic(err)
	}
	return &buckets{limit, burst, all}
}

func (b *buckets) of(key string) *rate.Limiter {
	bucket, known := b.all.Get(key)
	if !known {
		bucket = rate.NewLimiter(b.limit, b.burst)
		if other, exists, _ := b.all.PeekOrAdd(key, bucket); exists {
			bucket = other
		}
	}
	return bucket
}

func (b *buckets) take(key string, now time.Time, n int) time.Duration {
	taken := b.of(key).ReserveN(now, n)
	wait := taken.DelayFrom(now)
	if wait > 0 {
		taken.CancelAt(now)
	}
	return wait
}

type addressKey struct{}

// AddressOf returns the client's address, for IPv6 its /64 network; empty if unknown.
func AddressOf(ctx context.Context) string {
	address, _ := ctx.Value(addressKey{}).(string)
	return address
}

// Proxies are networks of proxies whose X-Forwarded-For is trusted.
type Proxies []netip.Prefix

// Handler puts the client's address into the context.
func (p Proxies) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), addressKey{}, p.client(r))))
	})
}

// client returns the last address that is not a trusted proxy's. Clients can forge earlier
// addresses.
func (p Proxies) client(r *http.Request) string {
	connection, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	client := connection.Addr().Unmap()
	for hops := strings.Join(r.Header["X-Forwarded-For"], ","); hops != "" && p.trust(client); {
		comma := strings.LastIndexByte(hops, ',')
		address, ok := parseHop(strings.TrimSpace(hops[comma+1:]))
		if !ok {
			break
		}
		client = address.Unmap()
		hops = hops[:max(comma, 0)]
	}
	client = client.WithZone("")
	if client.Is6() {
		return netip.PrefixFrom(client, 64).Masked().String()
	}
	return client.String()
}

// parseHop accepts a port, which some load balancers append.
func parseHop(hop string) (address netip.Addr, ok bool) {
	if address, err := netip.ParseAddr(hop); err == nil {
		return address, true
	}
	withPort, err := netip.ParseAddrPort(hop)
	return withPort.Addr(), err == nil
}

func (p Proxies) trust(a netip.Addr) bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(a) })
}
