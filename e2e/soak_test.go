package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"twibase/e2e/loadtest"
	"twibase/graph/auth"
)

var soaking = flag.Duration("soak", 0, "for how long to ask a gateway for everything at once, and take its region servers away")

var soakEmbedded = flag.Bool("soak-embedded", false, "on the embedded store, which has no servers to take away")

// soak is a gateway over a real HBase, and what became of what it was asked.
type soak struct {
	*testing.T
	gateway *loadtest.Gateway
	tokens  *auth.Tokens
	client  *http.Client
	end     context.Context
	mu      sync.Mutex
	got     map[string]int
	all     sync.WaitGroup
}

const soakUsers = 300

func (s *soak) user() string { return fmt.Sprint("u", rand.IntN(soakUsers)) }

// each does something again and again, by so many at the same time.
func (s *soak) each(n int, pause time.Duration, do func()) {
	for range n {
		s.all.Go(func() {
			for s.end.Err() == nil {
				do()
				time.Sleep(pause/2 + rand.N(pause))
			}
		})
	}
}

// ask notes what it got: ok, the code of the first error, that there was no answer, or INTERNAL wherever that is.
func (s *soak) ask(ctx context.Context, what, as, body string, headers http.Header) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.gateway.URL+"/graphql", strings.NewReader(body))
	if err != nil {
		s.Error(err)
		return
	}
	maps.Copy(r.Header, headers)
	r.Header.Set("Content-Type", "application/json")
	if as != "" {
		token, _, err := s.tokens.Sign(auth.Viewer{Username: as})
		if err != nil {
			s.Error(err)
			return
		}
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := s.client.Do(r)
	if err != nil {
		if ctx.Err() == nil {
			s.note(what, "no answer")
		}
		return
	}
	defer response.Body.Close()
	var answer struct {
		Errors []struct{ Extensions struct{ Code string } }
	}
	err = json.NewDecoder(response.Body).Decode(&answer)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.note(what, "no GraphQL")
	case len(answer.Errors) == 0:
		s.note(what, "ok")
	default:
		code := answer.Errors[0].Extensions.Code
		for _, e := range answer.Errors {
			if e.Extensions.Code == "INTERNAL" {
				code = "INTERNAL"
			}
		}
		s.note(what, code)
	}
}

func (s *soak) note(what, got string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got[what+": "+got]++
}

func (s *soak) query(what, as, query string, a ...any) {
	s.ask(s.end, what, as, asBody(fmt.Sprintf(query, a...), nil), nil)
}

// load asks for all that there is, and for more.
func (s *soak) load() {
	s.each(8, 40*time.Millisecond, func() {
		s.query("read", "", `{user(username:%q){name twits(first:5){nodes{content}} followers(first:10){nodes{name followers(first:5){nodes{name}}}}}}`, s.user())
	})
	s.each(4, 100*time.Millisecond, func() {
		switch who := s.user(); rand.IntN(3) {
		case 0:
			s.query("write", who, `mutation{postTwit(input:{content:"hello"}){userErrors{code}}}`)
		case 1:
			s.query("write", who, `mutation{follow(input:{username:%q}){userErrors{code}}}`, s.user())
		default:
			s.query("write", who, `mutation{unfollow(input:{username:%q}){userErrors{code}}}`, s.user())
		}
	})
	list, next := attacks(), atomic.Int64{}
	s.each(2, 50*time.Millisecond, func() {
		a := list[int(next.Add(1))%len(list)]
		s.ask(s.end, "attack", "", a.body, a.headers())
	})
	s.each(2, 50*time.Millisecond, func() { // who does not wait
		ctx, cancel := context.WithTimeout(s.end, rand.N(20*time.Millisecond))
		defer cancel()
		s.ask(ctx, "left", "", asBody(`{users(first:50){nodes{name followers(first:10){nodes{name}}}}}`, nil), nil)
	})
	s.each(4, time.Second, func() { // who subscribes for a while
		ctx, cancel := context.WithTimeout(s.end, rand.N(10*time.Second))
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.gateway.URL+"/graphql", strings.NewReader(asBody(`subscription{twitPosted(username:"u1"){id}}`, nil)))
		if err != nil {
			s.Error(err)
			return
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "text/event-stream")
		if response, err := s.client.Do(r); err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			response.Body.Close()
		}
	})
	s.each(4, time.Second, func() { // who sends a byte a second
		c, err := net.Dial("tcp", strings.TrimPrefix(s.gateway.URL, "http://"))
		if err != nil {
			return
		}
		defer c.Close()
		fmt.Fprint(c, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n")
		for range rand.IntN(8) {
			if _, err := c.Write([]byte("{")); err != nil || s.end.Err() != nil {
				return
			}
			time.Sleep(time.Second)
		}
	})
}

// A gateway that is asked for everything at once, attacked, and robbed of region servers, neither grows nor fails otherwise than it says.
func TestSoak(t *testing.T) {
	if *soaking == 0 {
		t.Skip("it takes half an hour: make soak")
	}
	dir := t.TempDir()
	store, lost := "embedded:"+filepath.Join(dir, "store"), &soakServers{}
	if !*soakEmbedded {
		lost = startSoakServers(t, dir)
		store = lost.hbase.URL()
	}
	s := startSoak(t, dir, store)
	s.end = t.Context()
	if !s.whole() { // so that it knows all region servers
		t.Fatal("not every user is answered for")
	}
	s.client.CloseIdleConnections()
	time.Sleep(5 * time.Second) // what began with it has ended
	before := s.goroutines()
	end, stop := context.WithTimeout(t.Context(), *soaking)
	defer stop()
	s.end = end
	s.load()
	s.all.Go(func() { lost.take(end) })
	sizes := s.watch()
	s.all.Wait()
	t.Logf("%v\n%d stops of region servers, %d of them ended and were started anew", s.got, lost.stops, lost.starts)
	s.quiet(lost, before)
	if *soaking >= 5*time.Minute { // before it has not reached its size
		s.flat(sizes)
	}
	if n := sizes[len(sizes)-1].fallbacks; n != 0 {
		s.Errorf("the fallback timer of the loaders fired %d times", n)
	}
	for what, n := range s.got {
		if _, got, _ := strings.Cut(what, ": "); got == "INTERNAL" || strings.HasPrefix(got, "no ") || what == "attack: ok" {
			t.Errorf("%s, %d times", what, n)
		}
	}
	if s.got["read: ok"] == 0 || s.got["write: ok"] == 0 {
		t.Error("nothing was answered")
	}
	if err := s.gateway.Stop(); err != nil {
		t.Error("it did not end well: ", err)
	}
}

// recovery is how long the gateway may take, when nobody asks any more, until it is as it was before. It is HBase's time above all: the regions of a
// region server that has ended are opened elsewhere when ZooKeeper has waited for it in vain and its log has been split.
const recovery = 4 * time.Minute

// quiet waits until every user is answered for, and no goroutine is left that was not there before. If there is one it says what that does.
func (s *soak) quiet(lost *soakServers, before loadtest.Goroutines) {
	begun := time.Now()
	whole, more := false, ""
	for time.Since(begun) < recovery {
		time.Sleep(time.Second)
		lost.mend()
		if !whole {
			if whole = s.whole(); whole {
				s.Logf("every user is answered for %.0f s after the end", time.Since(begun).Seconds())
			}
		}
		s.client.CloseIdleConnections()
		if more = s.goroutines().More(before); whole && more == "" {
			s.Logf("no goroutine is there that was not there before, after %.0f s of quiet", time.Since(begun).Seconds())
			return
		}
	}
	s.Fatalf("%v after the end every user is answered for: %v\n%s", recovery, whole, more)
}

func (s *soak) goroutines() loadtest.Goroutines {
	all, err := s.gateway.Goroutines()
	if err != nil {
		s.Fatal(err)
	}
	return all
}

// whole asks for every user.
func (s *soak) whole() bool {
	ctx, cancel := context.WithTimeout(s.Context(), 20*time.Second)
	defer cancel()
	s.mu.Lock()
	answered := s.got["last: ok"]
	s.mu.Unlock()
	const each = 50 // root fields are limited
	for from := 0; from < soakUsers; from += each {
		query := "{"
		for i := range each {
			query += fmt.Sprintf("u%d:user(username:\"u%d\"){name}", i, from+i)
		}
		s.ask(ctx, "last", "", asBody(query+"}", nil), nil)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got["last: ok"] == answered+soakUsers/each
}

// startSoak imports users who follow each other, and starts a gateway.
func startSoak(t *testing.T, dir, store string) *soak {
	t.Helper()
	users, follows := bytes.NewBufferString("username,name\n"), bytes.NewBufferString("follower,followee\n")
	for i := range soakUsers {
		fmt.Fprintf(users, "u%d,User %d\n", i, i)
		for k := range 10 {
			fmt.Fprintf(follows, "u%d,u%d\n", (i+1+k*k)%soakUsers, i)
		}
	}
	secret := strings.Repeat("secret..", 4)
	for name, text := range map[string]string{"users.csv": users.String(), "follows.csv": follows.String(), "secret": secret + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "twibase")
	for _, args := range [][]string{
		{"go", "build", "-o", program, "twibase"},
		{program, "import", "--store", store, filepath.Join(dir, "users.csv"), filepath.Join(dir, "follows.csv")},
	} {
		if out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	g, err := loadtest.Start(t.Context(), program, "serve", "--store", store, "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0",
		"--jwt-secret-file", filepath.Join(dir, "secret"))
	if err != nil {
		t.Fatal(err)
	}
	return &soak{T: t, gateway: g, tokens: &auth.Tokens{Secrets: auth.NewSecrets([]byte(secret)), Now: time.Now}, got: map[string]int{},
		client: &http.Client{Timeout: 40 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 100}}}
}
