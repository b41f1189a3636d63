package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

	"twibase/graph/apierr"
	"twibase/graph/endpoint"
	"twibase/graph/exec"
	"twibase/graph/limits"
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/resolvers"
	"twibase/transfer"
)

const (
	maxResponse = 1 << 10
	maxFactor   = 3000    // times the CPU time of a trivial query, about 10 µs
	maxMemory   = 8 << 20 // bytes, plus 16 for each byte of the body
)

type countingStore struct {
	hbase.Store
	reads atomic.Int64
}

func (c *countingStore) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	c.reads.Add(int64(len(gets)))
	return c.Store.Get(ctx, gets)
}

func (c *countingStore) Scan(ctx context.Context, scan hbase.Scan) iter.Seq2[hbase.Row, error] {
	c.reads.Add(1)
	return c.Store.Scan(ctx, scan)
}

func newAttackedGateway(t *testing.T) (http.Handler, *countingStore) {
	t.Helper()
	folder, store := t.TempDir(), &countingStore{Store: inMemory(t)}
	if err := os.WriteFile(filepath.Join(folder, "users.csv"), []byte("username,name\nu,U\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	importInto(t, store, folder, transfer.Options{})
	schema := exec.NewPlannedSchema(exec.Config{Resolvers: &resolvers.Resolver{}}, tasksOf)
	return endpoint.New(schema, endpoint.Config{Timeout: time.Minute, Costs: resolvers.Costs(tables.ListBound),
		Limits: limits.Default(),
		Around: loadersOver(store)}), store
}

func sendBody(handler http.Handler, body string, headers http.Header) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/graphql-response+json")
	maps.Copy(r.Header, headers)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func checkRejected(a attack, answer []byte) error {
	var response struct {
		Errors []struct {
			Message    string
			Extensions struct{ Code apierr.Code }
		}
	}
	if err := json.Unmarshal(answer, &response); err != nil || len(response.Errors) == 0 {
		return fmt.Errorf("the request succeeds: %s %v", excerpt(answer), err)
	}
	if first := response.Errors[0]; first.Extensions.Code != a.code || !strings.HasPrefix(first.Message, a.message) {
		return fmt.Errorf("want the error %s, %q…; got %s", a.code, a.message, excerpt(answer))
	}
	if len(answer) > maxResponse {
		return fmt.Errorf("the response has %d bytes: %s", len(answer), excerpt(answer))
	}
	return nil
}

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

func allocated(call func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

func TestAttacksAreRejectedWithoutReads(t *testing.T) {
	handler, store := newAttackedGateway(t)
	trivial := asBody(`{__typename}`, nil)
	unit := cpu(func() {
		for range 100 {
			sendBody(handler, trivial, nil)
		}
	}) / 100
	t.Logf("a trivial query takes %v", unit)
	for _, a := range attacks() {
		t.Run(a.name, func(t *testing.T) {
			store.reads.Store(0)
			ask := func() error { return checkRejected(a, sendBody(handler, a.body, a.headers()).Body.Bytes()) }
			var err error
			took := cpu(func() { err = errors.Join(err, ask()) })
			memory, limit := allocated(func() { err = errors.Join(err, ask()) }), maxMemory+16*len(a.body)
			if memory > limit {
				t.Fatalf("one request allocates %d KiB, with a body of %d KiB", memory>>10, len(a.body)>>10)
			}
			group := errgroup.Group{}
			at16 := allocated(func() {
				for range 16 {
					group.Go(ask)
				}
				err = errors.Join(err, group.Wait())
			})
			if err != nil {
				t.Error(err)
			}
			if n := store.reads.Load(); n > 0 {
				t.Errorf("%d rows were read", n)
			}
			t.Logf("%8v, %4.0f × a trivial query, %6d KiB of memory, 0 reads",
				took.Round(10*time.Microsecond), float64(took)/float64(unit), memory>>10)
			if took > maxFactor*unit {
				t.Errorf("it takes %v, %.0f × the time of a trivial query", took, float64(took)/float64(unit))
			}
			if at16 > 16*limit {
				t.Errorf("16 concurrent requests allocate %d KiB, with a body of %d KiB", at16>>10, len(a.body)>>10)
			}
		})
	}
}

func TestAttacksAreRejectedOverWebSocket(t *testing.T) {
	handler, store := newAttackedGateway(t)
	server := httptest.NewServer(handler)
	defer server.Close()
	for _, a := range attacks() {
		t.Run(a.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			c, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(server.URL, "http"),
				&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
			if err != nil {
				t.Fatal(err)
			}
			defer c.CloseNow()
			store.reads.Store(0)
			for _, message := range []string{mustJSON(map[string]any{"type": "connection_init", "payload": map[string]string{a.header: "1"}}), `{"id":"1","type":"subscribe","payload":` + a.body + `}`} {
				if err := c.Write(ctx, websocket.MessageText, []byte(message)); err != nil {
					break
				}
			}
			for {
				_, text, err := c.Read(ctx)
				if code := websocket.CloseStatus(err); a.raw && (code == 4400 || code == websocket.StatusMessageTooBig) {
					break
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
				if err := checkRejected(a, message.Payload); err != nil {
					t.Error(err)
				}
				break
			}
			if n := store.reads.Load(); n > 0 {
				t.Errorf("%d rows were read", n)
			}
		})
	}
}
