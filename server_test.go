package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"twibase/graph/limits"
	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/hbasetest"
	"twibase/transfer"
)

// lines hands on what is written to it, a line at a time.
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

// await returns the first log line with that message.
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
			t.Fatalf("the log never says %q", message)
		}
	}
}

// started runs the server until the test ends and returns its URL and its log.
func started(t *testing.T, args ...string) (url string, log *lines) {
	t.Helper()
	log = &lines{each: make(chan string, 10_000)}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan int)
	go func() {
		ended <- run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0", "--store", "embedded:"}, args...), io.Discard, log)
	}()
	t.Cleanup(func() {
		stop()
		if status := <-ended; status != 0 {
			t.Errorf("the server ended with status %d", status)
		}
	})
	return log.await(t, "twibase is ready")["url"].(string), log
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

func TestServe(t *testing.T) {
	secret := secretFile(t)
	url, log := started(t, "--jwt-secret-file", secret)

	_, schema, _ := command(t, "schema")
	for path, want := range map[string]string{
		"/": "GraphiQL", "/healthz": "ok", "/readyz": "ok", "/schema.graphql": schema, "/metrics": "go_goroutines",
		"/graphql?query={__typename}": `{"data":{"__typename":"Query"}}`,
	} {
		t.Run("it answers "+path, func(t *testing.T) {
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
	t.Run("each request is a line of the log, with what it cost", func(t *testing.T) {
		status, body, header := post(t, "")
		if diff := cmp.Diff(`{"data":{"viewer":null,"user":null}}`, body); diff != "" || status != http.StatusOK {
			t.Errorf("status %d (-want +got):\n%s", status, diff)
		}
		line := log.await(t, "request")
		for line["operation"] != "Mine" {
			line = log.await(t, "request")
		}
		want := map[string]any{"level": "info", "message": "request", "request": header.Get("X-Request-Id"), "operation": "Mine", "kind": "query",
			"status": 200.0, "errors": 0.0, "executor": "plan", "rounds": 1.0, "gets": 1.0, "scans": 0.0, "rpcs": 1.0, "rows": 0.0, "bytes": 0.0}
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
		for _, want := range []string{`twibase_executions_total{executor="plan",reason=""}`, "twibase_operation_rounds_count", "twibase_operation_rpcs_sum",
			`twibase_operation_gets_bucket{le="1"}`, "twibase_operation_scans_count", "twibase_operation_rows_count", "twibase_operation_bytes_count",
			"twibase_loader_fallbacks_total 0\n", "twibase_admission_running 0\n", "twibase_admission_waiting 0\n", "twibase_admission_refused_total ", "twibase_fanout_lag_seconds ", "twibase_fanout_errands ",
			"twibase_row_cache_hits_total ", "twibase_row_cache_misses_total "} {
			if !strings.Contains(body, want) {
				t.Errorf("/metrics lacks %s", want)
			}
		}
	})
	t.Run("a request can have its cost reported", func(t *testing.T) {
		r, err := http.NewRequest(http.MethodGet, url+"/graphql?query={user(username:%22LiLei%22){name}}", nil)
		r.Header.Set("X-Twibase-Report", "1")
		if _, body, _ := fetch(t, r, err); !strings.Contains(body, `"extensions":{"report":{"rounds":1,"rpcs":1,"gets":1,`) {
			t.Error(body)
		}
	})
	t.Run("a token that is not accepted is 401", func(t *testing.T) {
		if status, body, _ := post(t, "x"); status != http.StatusUnauthorized || !strings.Contains(body, `"code":"UNAUTHENTICATED"`) {
			t.Errorf("status %d: %s", status, body)
		}
	})
	t.Run("a token of twibase token is", func(t *testing.T) {
		_, token, _ := command(t, "token", "LiLei", "--jwt-secret-file", secret)
		if status, body, _ := post(t, strings.TrimSpace(token)); status != http.StatusOK {
			t.Errorf("status %d: %s", status, body)
		}
	})
	t.Run("a new store has a sample to look at", func(t *testing.T) {
		r, err := http.NewRequest(http.MethodGet, url+"/graphql?query={user(username:%22LiLei%22){username}}", nil)
		if _, body, _ := fetch(t, r, err); body != `{"data":{"user":{"username":"LiLei"}}}` {
			t.Error(body)
		}
	})
	t.Run("an address that is taken is told", func(t *testing.T) {
		address := strings.TrimPrefix(url, "http://")
		status, _, stderr := command(t, "serve", "--store", "embedded:", "--listen", address)
		if status != failed || !strings.Contains(stderr, "--listen "+address) || !strings.Contains(stderr, "choose another address") {
			t.Errorf("status %d: %s", status, stderr)
		}
	})
}

func TestAStoreIsUsedByOneProcess(t *testing.T) {
	dir := "embedded:" + t.TempDir()
	url, _ := started(t, "--store", dir)
	status, _, stderr := command(t, "tables", "list", "--store", dir)
	if status != failed || !strings.Contains(stderr, "--store "+dir) || !strings.Contains(stderr, "in use") {
		t.Errorf("beside %s a second one has status %d: %s", url, status, stderr)
	}
}

func TestReadyOnlyIfTheStoreAnswers(t *testing.T) {
	memory, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	var silent atomic.Int64 // how many of the rows nobody answers for
	store := hbasetest.NewFaults(memory, hbasetest.When(func(op hbasetest.Op) bool {
		return op.Kind == "Tables" || op.Kind == "Get" && silent.Add(-1) >= 0
	}, hbasetest.Fault{Err: hbase.ErrSilent}))
	handler := routes(store, newBackground(store, 0, nil), settings{limits: limits.Default()}).public
	expect := func(t *testing.T, want int) {
		t.Helper()
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		if w.Code != want {
			t.Errorf("status %d, want %d: %s", w.Code, want, w.Body)
		}
	}
	t.Run("it is not while its tables are not there", func(t *testing.T) { expect(t, http.StatusServiceUnavailable) })
	if _, err := transfer.EnsureTables(t.Context(), memory, 1); err != nil {
		t.Fatal(err)
	}
	t.Run("it is when they are", func(t *testing.T) { expect(t, http.StatusOK) })
	t.Run("it is if it answers for some of the rows", func(t *testing.T) {
		silent.Store(3)
		expect(t, http.StatusOK)
	})
	t.Run("it is not if it answers for none", func(t *testing.T) {
		silent.Store(1000)
		expect(t, http.StatusServiceUnavailable)
	})
	t.Run("it is when it is back", func(t *testing.T) {
		silent.Store(0)
		expect(t, http.StatusOK)
	})
}

func TestRunningRequestsAreAnsweredAtTheEnd(t *testing.T) {
	begun, finish := make(chan struct{}), make(chan struct{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	log := &lines{each: make(chan string, 100)}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- listen(ctx, listener, nil, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			close(begun)
			<-finish
			if err := r.Context().Err(); err != nil {
				t.Error("the request was cut off: ", err)
			}
			io.WriteString(w, "whole")
		}), 0, func(context.Context) {}, zerolog.New(log))
	}()
	answer := make(chan string, 1)
	go func() {
		response, err := http.Get("http://" + listener.Addr().String())
		if err != nil {
			answer <- err.Error()
			return
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		answer <- string(body)
	}()
	<-begun
	stop()
	log.await(t, "twibase ends, when the requests that run have been answered")
	select {
	case err := <-ended:
		t.Fatal("the server ended before its request: ", err)
	default:
	}
	close(finish)
	if got := <-answer; got != "whole" {
		t.Errorf("the request is answered by %q", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestSubscribersAreSentElsewhereAtTheEnd(t *testing.T) {
	log := &lines{each: make(chan string, 10_000)}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--store", "embedded:"}, io.Discard, log)
	}()
	url := log.await(t, "twibase is ready")["url"].(string)
	socket, _, err := websocket.Dial(t.Context(), url+"/graphql", &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
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
	for range 2 { // the acknowledgement and the pong
		if _, text, err := socket.Read(t.Context()); err != nil {
			t.Fatal(string(text), err)
		}
	}
	begin := time.Now()
	stop()
	if _, text, err := socket.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("%s came, and an error: %v", text, err)
	}
	if status := <-ended; status != 0 || time.Since(begin) > wholeTimeout {
		t.Errorf("it ended with status %d, after %s", status, time.Since(begin))
	}
	if line := log.await(t, "operation"); line["operation"] != "News" || line["kind"] != "subscription" {
		t.Error("the log has ", line)
	}
}

func TestWhatIsReadIsLimited(t *testing.T) {
	url, _ := started(t, "--limit", "read=2000")
	ask := func(query string) string {
		post, err := http.NewRequest(http.MethodPost, url+"/graphql", strings.NewReader(`{"query":"`+query+`"}`))
		if err == nil {
			post.Header.Set("Content-Type", "application/json")
		}
		_, body, _ := fetch(t, post, err)
		return body
	}
	if body := ask("{ user(username: \\\"LiLei\\\") { name twits(first: 1) { nodes { id } } } }"); strings.Contains(body, "errors") {
		t.Errorf("little is answered with %s", body)
	}
	body := ask("{ users(first: 50) { nodes { username twits { nodes { id } } } } }")
	if !strings.Contains(body, `"username":"`) || !strings.Contains(body, "what is read of the store, in bytes, is limited to 2000, and this is ") ||
		!strings.Contains(body, `"code":"LIMIT_EXCEEDED"`) || !strings.Contains(body, `"twits":null`) {
		t.Errorf("much is answered with %s", body)
	}
}
