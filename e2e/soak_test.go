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

var soaking = flag.Duration("soak", 0, "duration of the load")

var soakEmbedded = flag.Bool("soak-embedded", false, "use the embedded store instead of HBase")

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

func (s *soak) repeat(n int, pause time.Duration, do func()) {
	for range n {
		s.all.Go(func() {
			for s.end.Err() == nil {
				do()
				time.Sleep(pause/2 + rand.N(pause))
			}
		})
	}
}

// One INTERNAL error makes a response count as INTERNAL.
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
			s.count(what, "no response")
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
		s.count(what, "invalid response")
	case len(answer.Errors) == 0:
		s.count(what, "ok")
	default:
		code := answer.Errors[0].Extensions.Code
		for _, e := range answer.Errors {
			if e.Extensions.Code == "INTERNAL" {
				code = "INTERNAL"
			}
		}
		s.count(what, code)
	}
}

func (s *soak) count(what, got string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got[what+": "+got]++
}

func (s *soak) query(what, as, query string, a ...any) {
	s.ask(s.end, what, as, asBody(fmt.Sprintf(query, a...), nil), nil)
}

func (s *soak) load() {
	s.repeat(8, 40*time.Millisecond, func() {
		s.query("read", "", `{user(username:%q){name twits(first:5){nodes{content}} followers(first:10){nodes{name followers(first:5){nodes{name}}}}}}`, s.user())
	})
	s.repeat(4, 100*time.Millisecond, func() {
		switch who := s.user(); rand.IntN(3) {
		case 0:
			s.query("write", who, `mutation{postTwit(input:{content:"hello"}){userErrors{code}}}`)
		case 1:
			s.query("write", who, `mutation{follow(input:{username:%q}){userErrors{code}}}`, s.user())
		default:
			s.query("write", who, `mutation{unfollow(input:{username:%q}){userErrors{code}}}`, s.user())
		}
	})
	all, next := attacks(), atomic.Int64{}
	s.repeat(2, 50*time.Millisecond, func() {
		a := all[int(next.Add(1))%len(all)]
		s.ask(s.end, "attack", "", a.body, a.headers())
	})
	s.repeat(2, 50*time.Millisecond, func() {
		ctx, cancel := context.WithTimeout(s.end, rand.N(20*time.Millisecond))
		defer cancel()
		s.ask(ctx, "aborted", "", asBody(`{users(first:50){nodes{name followers(first:10){nodes{name}}}}}`, nil), nil)
	})
	s.repeat(4, time.Second, func() {
		ctx, cancel := context.WithTimeout(s.end, rand.N(10*time.Second))
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.gateway.URL+"/graphql",
			strings.NewReader(asBody(`subscription{twitPosted(username:"u1"){id}}`, nil)))
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
	s.repeat(4, time.Second, func() {
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

func TestMemoryStaysBoundedUnderLoad(t *testing.T) {
	if *soaking == 0 {
		t.Skip("it takes half an hour: make soak")
	}
	dir := t.TempDir()
	store, servers := "embedded:"+filepath.Join(dir, "store"), &soakServers{}
	if !*soakEmbedded {
		servers = startSoakServers(t, dir)
		store = servers.hbase.URL()
	}
	s := startSoak(t, dir, store)
	s.end = t.Context()
	if !s.allUsersRead() {
		t.Fatal("not all users can be read")
	}
	s.client.CloseIdleConnections()
	time.Sleep(5 * time.Second)
	before := s.goroutines()
	end, stop := context.WithTimeout(t.Context(), *soaking)
	defer stop()
	s.end = end
	s.load()
	s.all.Go(func() { servers.stopInTurn(end) })
	sizes := s.watch()
	s.all.Wait()
	t.Logf("%v\n%d stops of region servers, %d restarts", s.got, servers.stops, servers.starts)
	s.awaitRecovery(servers, before)
	if *soaking >= 5*time.Minute {
		s.checkMemory(sizes)
	}
	if n := sizes[len(sizes)-1].fallbacks; n != 0 {
		s.Errorf("the loaders' watchdog failed %d responses", n)
	}
	for what, n := range s.got {
		if _, got, _ := strings.Cut(what, ": "); got == "INTERNAL" || got == "no response" || got == "invalid response" ||
			what == "attack: ok" {
			t.Errorf("%s, %d times", what, n)
		}
	}
	if s.got["read: ok"] == 0 || s.got["write: ok"] == 0 {
		t.Error("no read or no write succeeded")
	}
	if err := s.gateway.Stop(); err != nil {
		t.Error("stopping the gateway: ", err)
	}
}

// HBase waits until an exited server's session expires, splits its log, and opens its regions
// elsewhere.
const recovery = 4 * time.Minute

func (s *soak) awaitRecovery(servers *soakServers, before loadtest.Goroutines) {
	begun := time.Now()
	recovered, more := false, ""
	for time.Since(begun) < recovery {
		time.Sleep(time.Second)
		servers.restart()
		if !recovered {
			if recovered = s.allUsersRead(); recovered {
				s.Logf("all users can be read %.0f s after the load", time.Since(begun).Seconds())
			}
		}
		s.client.CloseIdleConnections()
		if more = s.goroutines().More(before); recovered && more == "" {
			s.Logf("no additional goroutines %.0f s after the load", time.Since(begun).Seconds())
			return
		}
	}
	s.Fatalf("%v after the load: all users can be read: %v; additional goroutines:\n%s", recovery, recovered, more)
}

func (s *soak) goroutines() loadtest.Goroutines {
	all, err := s.gateway.Goroutines()
	if err != nil {
		s.Fatal(err)
	}
	return all
}

func (s *soak) allUsersRead() bool {
	ctx, cancel := context.WithTimeout(s.Context(), 20*time.Second)
	defer cancel()
	s.mu.Lock()
	answered := s.got["last: ok"]
	s.mu.Unlock()
	const each = 50
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
	for name, text := range map[string]string{
		"users.csv":   users.String(),
		"follows.csv": follows.String(),
		"secret":      secret + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := twibase(t)
	run(t, program, "import", "--store", store, filepath.Join(dir, "users.csv"), filepath.Join(dir, "follows.csv"))
	g, err := loadtest.Start(t.Context(), program, "serve", "--store", store, "--listen", "127.0.0.1:0",
		"--metrics-listen", "127.0.0.1:0",
		"--jwt-secret-file", filepath.Join(dir, "secret"))
	if err != nil {
		t.Fatal(err)
	}
	return &soak{T: t, gateway: g, tokens: &auth.Tokens{Secrets: auth.NewSecrets([]byte(secret)), Now: time.Now},
		got:    map[string]int{},
		client: &http.Client{Timeout: 40 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 100}}}
}

func twibase(t *testing.T) string {
	t.Helper()
	program, err := loadtest.Program()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

func run(t *testing.T, program string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", program, args, err, out)
	}
}
