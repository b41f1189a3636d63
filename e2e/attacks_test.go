package e2e

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"twibase/graph/endpoint"
	"twibase/graph/exec"
	"twibase/graph/limits"
	"twibase/graph/plan"
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers"
	"twibase/transfer"
)

// The bounds of what an attack gets.
const (
	mostBytes = 1 << 10
	mostTimes = 3000 // as long as a trivial query takes, some 10 µs
)

// counting counts reads.
type counting struct {
	hbase.Store
	reads atomic.Int64
}

func (c *counting) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	c.reads.Add(int64(len(gets)))
	return c.Store.Get(ctx, gets)
}

func (c *counting) Scan(ctx context.Context, scan hbase.Scan) iter.Seq2[hbase.Row, error] {
	c.reads.Add(1)
	return c.Store.Scan(ctx, scan)
}

// attacked is a gateway with its limits, and what it reads.
func attacked(t *testing.T) (http.Handler, *counting) {
	t.Helper()
	folder, store := t.TempDir(), &counting{Store: inMemory(t)}
	if err := os.WriteFile(filepath.Join(folder, "users.csv"), []byte("username,name\nu,U\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	importInto(t, store, folder, transfer.Options{})
	schema := exec.NewPlannedSchema(exec.Config{Resolvers: &resolvers.Resolver{}}, func(ctx context.Context) plan.Tasks { return loaders.TasksOf(ctx) })
	return endpoint.New(schema, endpoint.Config{Timeout: time.Minute, Costs: resolvers.Costs(tables.ListBound), Limits: limits.Default(),
		Around: func(ctx context.Context) context.Context { return loaders.With(ctx, store) }}), store
}

func sent(handler http.Handler, body string, headers http.Header) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/graphql-response+json")
	maps.Copy(r.Header, headers)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

// refused is what an answer must be.
func refused(t *testing.T, a attack, answer []byte) {
	t.Helper()
	var response struct {
		Errors []struct {
			Message    string
			Extensions struct{ Code string }
		}
	}
	if err := json.Unmarshal(answer, &response); err != nil || len(response.Errors) == 0 {
		t.Fatalf("it is not refused: %s %v", cut(answer), err)
	}
	if code := response.Errors[0].Extensions.Code; code != a.code {
		t.Errorf("the code is %s: %s", code, cut(answer))
	}
	if len(answer) > mostBytes {
		t.Errorf("the answer has %d bytes: %s", len(answer), cut(answer))
	}
}

// cpu is the least time of a thread of three calls.
func cpu(call func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	least := time.Hour
	for range 3 {
		runtime.GC()
		before := threadTime()
		call()
		least = min(least, threadTime()-before)
	}
	return least
}

func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}

func TestAttacksAreRefusedBeforeAnythingIsRead(t *testing.T) {
	handler, store := attacked(t)
	trivial := asBody(`{__typename}`, nil)
	unit := cpu(func() {
		for range 100 {
			sent(handler, trivial, nil)
		}
	}) / 100
	t.Logf("a trivial query takes %v", unit)
	for _, a := range attacks() {
		t.Run(a.name, func(t *testing.T) {
			store.reads.Store(0)
			refused(t, a, sent(handler, a.body, a.headers()).Body.Bytes())
			if n := store.reads.Load(); n > 0 {
				t.Errorf("%d rows were read", n)
			}
			took := cpu(func() { sent(handler, a.body, a.headers()) })
			t.Logf("%8v, %4.0f × a trivial query, %4d bytes, 0 reads", took.Round(10*time.Microsecond), float64(took)/float64(unit), sent(handler, a.body, a.headers()).Body.Len())
			if took > mostTimes*unit {
				t.Errorf("it takes %v, %.0f × as long as a trivial query", took, float64(took)/float64(unit))
			}
			if testing.Short() {
				return
			}
			var group errgroup.Group
			for range 16 {
				group.Go(func() error { sent(handler, a.body, a.headers()); return nil })
			}
			_ = group.Wait()
		})
	}
}

func TestAttacksAreRefusedOverAWebSocket(t *testing.T) {
	handler, store := attacked(t)
	server := httptest.NewServer(handler)
	defer server.Close()
	for _, a := range attacks() {
		t.Run(a.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			c, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(server.URL, "http"), &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
			if err != nil {
				t.Fatal(err)
			}
			defer c.CloseNow()
			store.reads.Store(0)
			for _, message := range []string{mustJSON(map[string]any{"type": "connection_init", "payload": map[string]string{a.header: "1"}}), `{"id":"1","type":"subscribe","payload":` + a.body + `}`} {
				if err := c.Write(ctx, websocket.MessageText, []byte(message)); err != nil {
					break // it was too long, and the connection is closed
				}
			}
			for {
				_, text, err := c.Read(ctx)
				if code := websocket.CloseStatus(err); code == 4400 || code == websocket.StatusMessageTooBig {
					break // the connection is refused, for what is no message of the protocol
				} else if err != nil {
					t.Fatal(err)
				}
				var message struct {
					Type    string
					Payload json.RawMessage
				}
				if err := json.Unmarshal(text, &message); err != nil {
					t.Fatal(err)
				}
				if message.Type == "connection_ack" {
					continue
				}
				if message.Type == "error" {
					message.Payload = []byte(`{"errors":` + string(message.Payload) + `}`)
				}
				refused(t, a, message.Payload)
				break
			}
			if n := store.reads.Load(); n > 0 {
				t.Errorf("%d rows were read", n)
			}
		})
	}
}
