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

// clock is a time that a test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func from(address string) context.Context {
	return context.WithValue(context.Background(), addressKey{}, address)
}

// most counts how many attempts go through, and returns how long the next has to wait.
func most(attempt func() time.Duration) (n int, wait time.Duration) {
	for ; n < 1000; n++ {
		if wait = attempt(); wait > 0 {
			return n, wait
		}
	}
	return n, 0
}

func TestAttempts(t *testing.T) {
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
		{"a school class signs up from one address", 0, signUp(here), 100, time.Second},
		{"who waits gets on", time.Second, signUp(here), 1, time.Second},
		{"another address is another", 0, signUp(there), 100, time.Second},
		{"logging in is counted for itself", 0, logIn(here, "LiLei"), 10, 6 * time.Second},
		{"from wherever it is tried", 0, logIn(there, "LiLei"), 0, 6 * time.Second},
		{"in six seconds one may try again", 6 * time.Second, logIn(there, "LiLei"), 1, 6 * time.Second},
		{"other names are others", 0, logIn(there, "lilei"), 10, 6 * time.Second},
		{"but not without end from one address", 0, logInAsOthers, 100, 100 * time.Millisecond},
		{"which gets on ten times a second", 100 * time.Millisecond, logInAsOthers, 1, 100 * time.Millisecond},
		{"nor by what is no name", 0, logIn(here, "no name"), 0, 100 * time.Millisecond},
		{"what an address may not try", 0, logIn(here, "HanMeimei"), 0, 100 * time.Millisecond},
		{"counts for no name", 0, logIn(there, "HanMeimei"), 10, 6 * time.Second},
	} {
		t.Run(step.name, func(t *testing.T) {
			c.at = c.at.Add(step.after)
			if n, wait := most(step.attempt); n != step.want || wait != step.wait {
				t.Errorf("%d attempts, then %s; want %d, then %s", n, wait, step.want, step.wait)
			}
		})
	}
	t.Run("a right password forgets the wrong ones", func(t *testing.T) {
		a.LoggedIn("LiLei")
		if n, _ := most(logIn(from("192.0.2.3"), "LiLei")); n != 10 {
			t.Errorf("%d attempts", n)
		}
	})
}

func TestAttemptsAreCountedAtOnce(t *testing.T) {
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
		t.Errorf("%d went through", n)
	}
}

func TestAttemptsForgetTheLeastRecent(t *testing.T) {
	a := NewAttempts(func() time.Time { return now })
	for i := range maxRemembered + 10 {
		a.LogIn(from(strconv.Itoa(i)), "u"+strconv.Itoa(i))
	}
	if names, addresses := a.names.all.Len(), a.logIns.all.Len(); names != maxRemembered || addresses != maxRemembered {
		t.Errorf("%d names and %d addresses are remembered", names, addresses)
	}
}

func TestAddresses(t *testing.T) {
	proxies := Proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:f::/48")}
	for _, test := range []struct {
		reason     string
		proxies    Proxies
		connection string
		forwarded  []string
		want       string
	}{
		{"whoever connects is the client", nil, "192.0.2.1:4711", nil, "192.0.2.1"},
		{"whatever it says", nil, "192.0.2.1:4711", []string{"198.51.100.1"}, "192.0.2.1"},
		{"also where there are proxies", proxies, "192.0.2.1:4711", []string{"198.51.100.1"}, "192.0.2.1"},
		{"a proxy says for whom it asks", proxies, "10.0.0.1:4711", []string{"198.51.100.1"}, "198.51.100.1"},
		{"what its client says it adds to", proxies, "10.0.0.1:4711", []string{"203.0.113.9, 198.51.100.1"}, "198.51.100.1"},
		{"in a header of its own", proxies, "10.0.0.1:4711", []string{"203.0.113.9", "198.51.100.1"}, "198.51.100.1"},
		{"a proxy may be behind another", proxies, "10.0.0.1:4711", []string{"203.0.113.9, 198.51.100.1, 10.0.0.2"}, "198.51.100.1"},
		{"a proxy may ask for itself", proxies, "10.0.0.1:4711", nil, "10.0.0.1"},
		{"or say nothing that makes sense", proxies, "10.0.0.1:4711", []string{"198.51.100.1, unknown"}, "10.0.0.1"},
		{"a customer has a network of IPv6", nil, "[2001:db8:1:2:3:4:5:6]:4711", nil, "2001:db8:1:2::/64"},
		{"also behind a proxy", proxies, "[2001:db8:f::1]:4711", []string{"2001:db8:1:2::9"}, "2001:db8:1:2::/64"},
		{"an address of IPv4 is one, however it is written", nil, "[::ffff:192.0.2.1]:4711", nil, "192.0.2.1"},
		{"and a proxy's too", proxies, "[::ffff:10.0.0.1]:4711", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		{"a zone is no other place", nil, "[fe80::1%eth0]:4711", nil, "fe80::/64"},
		{"a pipe has no address", nil, "@", nil, ""},
	} {
		t.Run(test.reason, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(""))
			r.RemoteAddr = test.connection
			r.Header["X-Forwarded-For"] = test.forwarded
			got := "nobody was asked"
			test.proxies.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = AddressOf(r.Context()) })).
				ServeHTTP(httptest.NewRecorder(), r)
			if got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
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
		t.Errorf("%d long texts of somebody else", n)
	}
	c.at = c.at.Add(5 * time.Second)
	if n, _ := most(post("LiLei", 40_000)); n != 1 {
		t.Errorf("%d long texts after 5 s", n)
	}
	if wait := a.Post("Lily", 100<<20); wait != 0 {
		t.Errorf("a text that no limit admits has to wait %v, rather than be refused as too long", wait)
	}
	if wait := (*Attempts)(nil).Post("LiLei", 1<<20); wait != 0 {
		t.Errorf("no limits let it wait %v", wait)
	}
}
