package command

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
)

type lines struct {
	mu   sync.Mutex
	rest []byte
	each chan string
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, b...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		l.each <- string(line)
		l.rest = rest
	}
}

func (l *lines) await(t *testing.T, message string) map[string]any {
	t.Helper()
	patience := time.After(time.Minute)
	for {
		select {
		case line := <-l.each:
			var fields map[string]any
			if err := json.Unmarshal([]byte(line), &fields); err != nil {
				t.Fatalf("the log has the line %q", line)
			}
			if fields["message"] == message {
				return fields
			}
		case <-patience:
			t.Fatalf("the log lacks %q", message)
		}
	}
}

func started(t *testing.T, args ...string) (url string, log *lines) {
	t.Helper()
	log = starting(t, args...)
	return log.await(t, "twibase is ready")["url"].(string), log
}

func starting(t *testing.T, args ...string) (log *lines) {
	log = &lines{each: make(chan string, 10_000)}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan int)
	go func() {
		ended <- Run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0", "--store", "embedded:"}, args...), io.Discard,
			log)
	}()
	t.Cleanup(func() {
		stop()
		if status := <-ended; status != 0 {
			t.Errorf("the server ended with status %d", status)
		}
	})
	return log
}

func fetch(t *testing.T, r *http.Request, err error) (status int, body string, header http.Header) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text), response.Header
}

func TestServeRespondsOnEveryPath(t *testing.T) {
	secret := secretFile(t)
	url, log := started(t, "--jwt-secret-file", secret)

	_, schema, _ := command(t, "schema")
	for path, want := range map[string]string{
		"/": "GraphiQL", "/healthz": "ok", "/readyz": "ok", "/schema.graphql": schema, "/metrics": "go_goroutines",
		"/graphql?query={__typename}": `{"data":{"__typename":"Query"}}`,
	} {
		t.Run(path, func(t *testing.T) {
			r, err := http.NewRequest(http.MethodGet, url+path, nil)
			if status, body, _ := fetch(t, r, err); status != http.StatusOK || !strings.Contains(body, want) {
				t.Errorf("status %d:\n%s", status, body)
			}
		})
	}

	post := func(t *testing.T, token string) (int, string, http.Header) {
		t.Helper()
		r, err := http.NewRequest(http.MethodPost, url+"/graphql",
			strings.NewReader(`{"query":"query Mine { viewer { username } user(username: \"nobody\") { name } }"}`))
		if err == nil {
			r.Header.Set("Content-Type", "application/json")
			if token != "" {
				r.Header.Set("Authorization", "Bearer "+token)
			}
		}
		return fetch(t, r, err)
	}
	t.Run("each request is logged with its cost", func(t *testing.T) {
		status, body, header := post(t, "")
		if diff := cmp.Diff(`{"data":{"viewer":null,"user":null}}`, body); diff != "" || status != http.StatusOK {
			t.Errorf("status %d (-want +got):\n%s", status, diff)
		}
		line := log.await(t, "request")
		for line["operation"] != "Mine" {
			line = log.await(t, "request")
		}
		want := map[string]any{"level": "info", "message": "request", "request": header.Get("X-Request-Id"),
			"operation": "Mine", "kind": "query",
			"status": 200.0, "errors": 0.0, "executor": "plan",
			"rounds": 1.0, "gets": 1.0, "scans": 0.0, "rpcs": 1.0, "rows": 0.0, "bytes": 0.0}
		for _, varies := range []string{"ms", "time"} {
			if _, ok := line[varies]; !ok {
				t.Errorf("the line lacks %s", varies)
			}
			delete(line, varies)
		}
		if diff := cmp.Diff(want, line); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("operations are measured", func(t *testing.T) {
		r, err := http.NewRequest(http.MethodGet, url+"/metrics", nil)
		_, body, _ := fetch(t, r, err)
		for _, want := range []string{`twibase_executions_total{executor="plan",reason=""}`, "twibase_operation_rounds_count",
			"twibase_operation_rpcs_sum",
			`twibase_operation_gets_bucket{le="1"}`, "twibase_operation_scans_count", "twibase_operation_rows_count", "twibase_operation_bytes_count",
			"twibase_loader_fallbacks_total 0\n", "twibase_admission_running 0\n", "twibase_admission_waiting 0\n",
			"twibase_admission_refused_total ", "twibase_fanout_lag_seconds ", "twibase_fanout_jobs ",
			"twibase_row_cache_hits_total ", "twibase_row_cache_misses_total "} {
			if !strings.Contains(body, want) {
				t.Errorf("/metrics lacks %s", want)
			}
		}
	})
	t.Run("a request can ask for a report of its cost", func(t *testing.T) {
		r, err := http.NewRequest(http.MethodGet, url+"/graphql?query={user(username:%22LiLei%22){name}}", nil)
		r.Header.Set("X-Twibase-Report", "1")
		if _, body, _ := fetch(t, r, err); !strings.Contains(body, `"extensions":{"report":{"rounds":1,"rpcs":1,"gets":1,`) {
			t.Error(body)
		}
	})
	t.Run("an invalid token is status 401", func(t *testing.T) {
		if status, body, _ := post(t, "x"); status != http.StatusUnauthorized ||
			!strings.Contains(body, `"code":"UNAUTHENTICATED"`) {
			t.Errorf("status %d: %s", status, body)
		}
	})
	t.Run("a token of twibase token is accepted", func(t *testing.T) {
		_, token, _ := command(t, "token", "LiLei", "--jwt-secret-file", secret)
		if status, body, _ := post(t, strings.TrimSpace(token)); status != http.StatusOK {
			t.Errorf("status %d: %s", status, body)
		}
	})
	t.Run("a new store has the sample", func(t *testing.T) {
		r, err := http.NewRequest(http.MethodGet, url+"/graphql?query={user(username:%22LiLei%22){username}}", nil)
		if _, body, _ := fetch(t, r, err); body != `{"data":{"user":{"username":"LiLei"}}}` {
			t.Error(body)
		}
	})
	t.Run("an address in use is reported", func(t *testing.T) {
		address := strings.TrimPrefix(url, "http://")
		status, _, stderr := command(t, "serve", "--store", "embedded:", "--listen", address)
		if status != statusFailed || !strings.Contains(stderr, "--listen "+address) ||
			!strings.Contains(stderr, "choose another address") {
			t.Errorf("status %d: %s", status, stderr)
		}
	})
}

func TestStoreIsLocked(t *testing.T) {
	dir := "embedded:" + t.TempDir()
	url, _ := started(t, "--store", dir)
	status, _, stderr := command(t, "tables", "list", "--store", dir)
	if status != statusFailed || !strings.Contains(stderr, "--store "+dir) || !strings.Contains(stderr, "in use") {
		t.Errorf("second server next to %s: status %d: %s", url, status, stderr)
	}
}

func TestShutdownClosesSubscriptions(t *testing.T) {
	log := &lines{each: make(chan string, 10_000)}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--store", "embedded:"}, io.Discard, log)
	}()
	url := log.await(t, "twibase is ready")["url"].(string)
	socket, _, err := websocket.Dial(t.Context(), url+"/graphql",
		&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.CloseNow()
	for _, message := range []string{`{"type":"connection_init"}`,
		`{"id":"1","type":"subscribe","payload":{"query":"subscription News{twitPosted(username:\"LiLei\"){id}}"}}`, `{"type":"ping"}`} {
		if err := socket.Write(t.Context(), websocket.MessageText, []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // connection_ack and pong
		if _, text, err := socket.Read(t.Context()); err != nil {
			t.Fatal(string(text), err)
		}
	}
	begin := time.Now()
	stop()
	if _, text, err := socket.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("got %s, error %v", text, err)
	}
	if status := <-ended; status != 0 || time.Since(begin) > 5*time.Second {
		t.Errorf("ended with status %d after %s", status, time.Since(begin))
	}
	if line := log.await(t, "operation"); line["operation"] != "News" || line["kind"] != "subscription" {
		t.Error("the log has the line ", line)
	}
}

func TestReadLimitFailsLargeQueries(t *testing.T) {
	url, _ := started(t, "--limit", "read=2000")
	ask := func(query string) string {
		post, err := http.NewRequest(http.MethodPost, url+"/graphql", strings.NewReader(`{"query":"`+query+`"}`))
		if err == nil {
			post.Header.Set("Content-Type", "application/json")
		}
		_, body, _ := fetch(t, post, err)
		return body
	}
	if body := ask("{ user(username: \\\"LiLei\\\") { name twits(first: 1) { nodes { id } } } }"); strings.Contains(body,
		"errors") {
		t.Errorf("small query: %s", body)
	}
	body := ask("{ users(first: 50) { nodes { username twits { nodes { id } } } } }")
	if !strings.Contains(body, `"username":"`) ||
		!strings.Contains(body, "the number of bytes read from the store is limited to 2000, and this is ") ||
		!strings.Contains(body, `"code":"LIMIT_EXCEEDED"`) || !strings.Contains(body, `"twits":null`) {
		t.Errorf("large query: %s", body)
	}
}
