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
	"twibase/graph/plan"
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers"
	"twibase/transfer"
)

// The bounds of what an attack gets.
const (
	mostBytes  = 1 << 10
	mostTimes  = 3000    // as long as a trivial query takes, some 10 µs
	mostMemory = 8 << 20 // in bytes, beside those of a body
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
		Around: func(ctx context.Context) context.Context { return watchdog.With(ctx, store) }}), store
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

// refused tells what is wrong with the answer to an attack: nil if that is refused as it must be, in few words.
func refused(a attack, answer []byte) error {
	var response struct {
		Errors []struct {
			Message    string
			Extensions struct{ Code apierr.Code }
		}
	}
	if err := json.Unmarshal(answer, &response); err != nil || len(response.Errors) == 0 {
		return fmt.Errorf("it is not refused: %s %v", cut(answer), err)
	}
	if first := response.Errors[0]; first.Extensions.Code != a.code || !strings.HasPrefix(first.Message, a.says) {
		return fmt.Errorf("it is refused, but not with %s, %q…: %s", a.code, a.says, cut(answer))
	}
	if len(answer) > mostBytes {
		return fmt.Errorf("the answer has %d bytes: %s", len(answer), cut(answer))
	}
	return nil
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

// allocated is how many bytes a call takes of the heap, whether or not it gives them back.
func allocated(call func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
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
			ask := func() error { return refused(a, sent(handler, a.body, a.headers()).Body.Bytes()) }
			var err error
			took := cpu(func() { err = errors.Join(err, ask()) })
			memory, most := allocated(func() { err = errors.Join(err, ask()) }), mostMemory+16*len(a.body)
			if memory > most {
				t.Fatalf("it takes %d KiB of memory, with a body of %d KiB", memory>>10, len(a.body)>>10) // sixteen would take all
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
			t.Logf("%8v, %4.0f × a trivial query, %6d KiB of memory, 0 reads", took.Round(10*time.Microsecond), float64(took)/float64(unit), memory>>10)
			if took > mostTimes*unit {
				t.Errorf("it takes %v, %.0f × as long as a trivial query", took, float64(took)/float64(unit))
			}
			if at16 > 16*most {
				t.Errorf("it takes %d KiB of memory sixteen times at once, with a body of %d KiB", at16>>10, len(a.body)>>10)
			}
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
				if code := websocket.CloseStatus(err); a.raw && (code == 4400 || code == websocket.StatusMessageTooBig) {
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
				if err := refused(a, message.Payload); err != nil {
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
