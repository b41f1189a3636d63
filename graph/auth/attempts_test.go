package auth

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func from(address string) context.Context {
	return context.WithValue(context.Background(), addressKey{}, address)
}

func most(attempt func() time.Duration) (n int, wait time.Duration) {
	for ; n < 1000; n++ {
		if wait = attempt(); wait > 0 {
			return n, wait
		}
	}
	return n, 0
}

func TestAttemptsPerAddressAndUsernameAreLimited(t *testing.T) {
	c := &clock{now}
	a := NewAttempts(c.now)
	here, there := from("192.0.2.1"), from("192.0.2.2")
	signUp := func(ctx context.Context) func() time.Duration {
		return func() time.Duration { return a.SignUp(ctx) }
	}
	logIn := func(ctx context.Context, username string) func() time.Duration {
		return func() time.Duration { return a.LogIn(ctx, username) }
	}
	others := 0
	logInAsOthers := func() time.Duration {
		others++
		return a.LogIn(here, "user"+strconv.Itoa(others))
	}
	for _, step := range []struct {
		name    string
		after   time.Duration
		attempt func() time.Duration
		want    int
		wait    time.Duration
	}{
		{"100 sign-ups of an address", 0, signUp(here), 100, time.Second},
		{"sign-up after the wait", time.Second, signUp(here), 1, time.Second},
		{"other address", 0, signUp(there), 100, time.Second},
		{"log-ins are counted separately", 0, logIn(here, "LiLei"), 10, 6 * time.Second},
		{"10 log-ins of a name from any address", 0, logIn(there, "LiLei"), 0, 6 * time.Second},
		{"log-in of the name after six seconds", 6 * time.Second, logIn(there, "LiLei"), 1, 6 * time.Second},
		{"other name", 0, logIn(there, "lilei"), 10, 6 * time.Second},
		{"100 log-ins of an address", 0, logInAsOthers, 100, 100 * time.Millisecond},
		{"ten log-ins of an address per second", 100 * time.Millisecond, logInAsOthers, 1, 100 * time.Millisecond},
		{"invalid name", 0, logIn(here, "no name"), 0, 100 * time.Millisecond},
		{"log-in rejected for the address", 0, logIn(here, "HanMeimei"), 0, 100 * time.Millisecond},
		{"does not count for the name", 0, logIn(there, "HanMeimei"), 10, 6 * time.Second},
	} {
		t.Run(step.name, func(t *testing.T) {
			c.at = c.at.Add(step.after)
			if n, wait := most(step.attempt); n != step.want || wait != step.wait {
				t.Errorf("%d attempts, then %s; want %d, then %s", n, wait, step.want, step.wait)
			}
		})
	}
	t.Run("a successful log-in forgets failed ones", func(t *testing.T) {
		a.LoggedIn("LiLei")
		if n, _ := most(logIn(from("192.0.2.3"), "LiLei")); n != 10 {
			t.Errorf("got %d attempts, want no limit", n)
		}
	})
}

func TestConcurrentAttemptsDoNotExceedTheLimit(t *testing.T) {
	c := &clock{now}
	a := NewAttempts(c.now)
	var all sync.WaitGroup
	var through atomic.Int64
	for range 500 {
		all.Go(func() {
			if a.SignUp(from("192.0.2.1")) == 0 {
				through.Add(1)
			}
		})
	}
	all.Wait()
	if n := through.Load(); n != 100 {
		t.Errorf("%d attempts were allowed, want 100", n)
	}
}

func TestAttemptsDropTheLeastRecentlyUsed(t *testing.T) {
	a := NewAttempts(func() time.Time { return now })
	for i := range maxRemembered + 10 {
		a.LogIn(from(strconv.Itoa(i)), "u"+strconv.Itoa(i))
	}
	if names, addresses := a.names.all.Len(), a.logIns.all.Len(); names != maxRemembered || addresses != maxRemembered {
		t.Errorf("%d names and %d addresses are counted", names, addresses)
	}
}

func TestOnlyTrustedProxiesForwardAddresses(t *testing.T) {
	proxies := Proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:f::/48")}
	for _, test := range []struct {
		reason     string
		proxies    Proxies
		connection string
		forwarded  []string
		want       string
	}{
		{"no proxy", nil, "192.0.2.1:4711", nil, "192.0.2.1"},
		{"untrusted X-Forwarded-For", nil, "192.0.2.1:4711", []string{"198.51.100.1"}, "192.0.2.1"},
		{"untrusted X-Forwarded-For, with proxies", proxies, "192.0.2.1:4711", []string{"198.51.100.1"}, "192.0.2.1"},
		{"trusted proxy", proxies, "10.0.0.1:4711", []string{"198.51.100.1"}, "198.51.100.1"},
		{"client's X-Forwarded-For before the proxy's", proxies, "10.0.0.1:4711", []string{"203.0.113.9, 198.51.100.1"},
			"198.51.100.1"},
		{"X-Forwarded-For in two headers", proxies, "10.0.0.1:4711", []string{"203.0.113.9", "198.51.100.1"}, "198.51.100.1"},
		{"two proxies", proxies, "10.0.0.1:4711", []string{"203.0.113.9, 198.51.100.1, 10.0.0.2"}, "198.51.100.1"},
		{"only proxies", proxies, "10.0.0.1:4711", nil, "10.0.0.1"},
		{"X-Forwarded-For with a port", proxies, "10.0.0.1:4711", []string{"198.51.100.1:5678"}, "198.51.100.1"},
		{"X-Forwarded-For with a port of IPv6", proxies, "10.0.0.1:4711", []string{"[2001:db8:1:2::9]:5678"},
			"2001:db8:1:2::/64"},
		{"malformed X-Forwarded-For", proxies, "10.0.0.1:4711", []string{"198.51.100.1, unknown"}, "10.0.0.1"},
		{"IPv6 network", nil, "[2001:db8:1:2:3:4:5:6]:4711", nil, "2001:db8:1:2::/64"},
		{"IPv6 network behind a proxy", proxies, "[2001:db8:f::1]:4711", []string{"2001:db8:1:2::9"}, "2001:db8:1:2::/64"},
		{"IPv4 in IPv6", nil, "[::ffff:192.0.2.1]:4711", nil, "192.0.2.1"},
		{"proxy with IPv4 in IPv6", proxies, "[::ffff:10.0.0.1]:4711", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		{"IPv6 zone", nil, "[fe80::1%eth0]:4711", nil, "fe80::/64"},
		{"no address", nil, "@", nil, ""},
	} {
		t.Run(test.reason, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(""))
			r.RemoteAddr = test.connection
			r.Header["X-Forwarded-For"] = test.forwarded
			got := "nobody was asked"
			test.proxies.Handler(http.HandlerFunc(func(_ http.ResponseWriter,
				r *http.Request) {
				got = AddressOf(r.Context())
			})).
				ServeHTTP(httptest.NewRecorder(), r)
			if got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestLongForwardedHeadersCostNoMemory(t *testing.T) {
	for _, proxies := range []Proxies{nil, {netip.MustParsePrefix("192.0.2.0/24")}} {
		r := httptest.NewRequest(http.MethodPost, "/graphql", nil)
		r.Header.Set("X-Forwarded-For", strings.Repeat(",", 60<<10)+"192.0.2.2")
		result := testing.Benchmark(func(b *testing.B) {
			for b.Loop() {
				proxies.client(r)
			}
		})
		if bytes := result.AllocedBytesPerOp(); bytes > 1<<10 {
			t.Errorf("with proxies %v: finding the address allocates %d bytes", proxies, bytes)
		}
	}
}

func TestLongTextsAreLimitedByTheirBytes(t *testing.T) {
	c := &clock{now}
	a := NewAttempts(c.now)
	post := func(username string, bytes int) func() time.Duration {
		return func() time.Duration { return a.Post(username, bytes) }
	}
	if n, _ := most(post("LiLei", freePost)); n != 1000 {
		t.Errorf("%d short texts", n)
	}
	if n, wait := most(post("LiLei", 40_000)); n != 26 || wait <= 0 || wait > 5*time.Second {
		t.Errorf("%d long texts, then %v to wait", n, wait)
	}
	if n, _ := most(post("Lucy", 40_000)); n != 26 {
		t.Errorf("%d long texts of another user", n)
	}
	c.at = c.at.Add(5 * time.Second)
	if n, _ := most(post("LiLei", 40_000)); n != 1 {
		t.Errorf("%d long texts after 5 s", n)
	}
	if wait := a.Post("Lily", 100<<20); wait != 0 {
		t.Errorf("a text above the burst waits %v, want 0", wait)
	}
	if wait := (*Attempts)(nil).Post("LiLei", 1<<20); wait != 0 {
		t.Errorf("nil limits: wait %v, want 0", wait)
	}
}
