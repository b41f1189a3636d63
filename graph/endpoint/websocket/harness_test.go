package websocket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/coder/websocket"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/apierr"
	"twibase/graph/auth"
	"twibase/graph/endpoint/transport"
)

type fixture struct {
	t      *testing.T
	server *Server
	web    *http.Server
	client *http.Client
	ticks  chan string
	moved  context.Context
	move   context.CancelFunc
	end    context.CancelFunc
	served sync.WaitGroup

	mu      sync.Mutex
	running map[string]int
}

func in(t *testing.T, test func(t *testing.T, w *fixture)) {
	synctest.Test(t, func(t *testing.T) {
		network := newPipes()
		w := &fixture{t: t, ticks: make(chan string), running: map[string]int{}}
		w.moved, w.move = context.WithCancel(t.Context())
		w.server = &Server{Execute: w.execute, Authenticate: authenticate, Draining: w.moved}
		w.server.Ended, w.end = context.WithCancel(t.Context())
		w.web = &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			w.served.Add(1)
			defer w.served.Done()
			w.server.ServeHTTP(rw, r)
		})}
		go w.web.Serve(network)
		transport := &http.Transport{DialContext: network.Dial}
		w.client = &http.Client{Transport: transport}
		defer func() {
			w.shutdown(cancelled())
			w.web.Close()
			transport.CloseIdleConnections()
			synctest.Wait()
			w.mu.Lock()
			defer w.mu.Unlock()
			if len(w.running) != 0 {
				t.Errorf("operations still run: %v", w.running)
			}
		}()
		test(t, w)
	})
}

func (w *fixture) shutdown(ctx context.Context) {
	w.move()
	defer context.AfterFunc(ctx, w.end)()
	w.served.Wait()
}

func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func authenticate(ctx context.Context, headers ...string) (context.Context, *apierr.Error) {
	switch headers[0] {
	case "Bearer LiLei":
		return auth.WithViewer(ctx, auth.Viewer{Username: "LiLei"}), nil
	case "Bearer minute":
		return auth.WithExpiry(auth.WithViewer(ctx, auth.Viewer{Username: "minute"}), time.Now().Add(time.Minute)), nil
	case "Bearer expired":
		return nil, auth.ErrExpired
	case "Bearer early":
		return nil, auth.ErrNotValidYet
	case "LiLei":
		return nil, auth.ErrScheme
	case "Bearer later":
		return nil, apierr.Unavailable(errors.New("no keys"))
	}
	return nil, apierr.Unauthenticated("no")
}

func (w *fixture) execute(ctx context.Context, params *graphql.RawParams) iter.Seq[*graphql.Response] {
	return func(yield func(*graphql.Response) bool) {
		w.count(params.Query, 1)
		defer w.count(params.Query, -1)
		data := func(format string, args ...any) *graphql.Response {
			return &graphql.Response{Data: fmt.Appendf(nil, format, args...)}
		}
		switch params.Query {
		case "viewer":
			viewer, _ := auth.ViewerOf(ctx)
			yield(data(`{"viewer":%q,"report":%q}`, viewer.Username, params.Headers.Get("X-Twibase-Report")))
		case "echo":
			yield(data(`{"name":%q,"n":"%v"}`, params.OperationName, params.Variables["n"]))
		case "rejected":
			yield(&graphql.Response{Errors: gqlerror.List{{Message: "no"}}})
		case "partly":
			yield(&graphql.Response{Data: []byte(`{"a":null}`), Errors: gqlerror.List{{Message: "no"}}})
		case "slow":
			select {
			case <-time.After(5 * time.Second):
				yield(data(`"slow"`))
			case <-ctx.Done():
			}
		case "stubborn":
			<-ctx.Done()
		case "flood":
			for yield(data(`%q`, strings.Repeat("x", 1<<16))) && ctx.Err() == nil {
			}
		case "ticks":
			var expired <-chan time.Time
			if ends, expires := auth.ExpiryOf(ctx); expires {
				expired = time.After(time.Until(ends))
			}
			for {
				select {
				case tick := <-w.ticks:
					if !yield(data(`%q`, tick)) {
						return
					}
				case <-ctx.Done():
					return
				case <-w.moved.Done():
					yield(elsewhere)
					return
				case <-expired:
					time.Sleep(time.Second) // until earlier messages were sent
					yield(data(`"last"`))
					yield(transport.Expired)
					return
				}
			}
		}
	}
}

func (w *fixture) count(query string, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running[query] += n; w.running[query] == 0 {
		delete(w.running, query)
	}
}

func (w *fixture) runs(query string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.running[query]
}

// handshake opens a connection whose client sends frames, and reads all that the server sends.
func (w *fixture) handshake(protocol, frames string) {
	w.t.Helper()
	conn, err := w.client.Transport.(*http.Transport).DialContext(w.t.Context(), "tcp", "gateway:80")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { conn.Close() })
	go io.Copy(io.Discard, conn)
	const head = "GET /graphql HTTP/1.1\r\nHost: gateway\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: "
	if _, err := io.WriteString(conn, head+protocol+"\r\n\r\n"+frames); err != nil {
		w.t.Fatal(err)
	}
}

type client struct {
	t      *testing.T
	socket *websocket.Conn
}

func (w *fixture) connect(protocols ...string) *client {
	w.t.Helper()
	socket, _, err := websocket.Dial(w.t.Context(), "http://gateway/graphql",
		&websocket.DialOptions{HTTPClient: w.client, Subprotocols: protocols})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { socket.CloseNow() })
	socket.SetReadLimit(1 << 20)
	return &client{w.t, socket}
}

func (w *fixture) initialized() *client {
	w.t.Helper()
	c := w.connect(Protocol)
	c.send(`{"type":"connection_init"}`)
	c.expect(`{"type":"connection_ack","payload":{"viewer":null}}`)
	return c
}

func (c *client) send(text string) {
	c.t.Helper()
	if err := c.socket.Write(context.Background(), websocket.MessageText, []byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) expect(want string) {
	c.t.Helper()
	if _, text, err := c.socket.Read(context.Background()); err != nil || string(text) != want {
		c.t.Fatalf("got %s, error %v, want %s", text, err, want)
	}
}

func (c *client) closed(code websocket.StatusCode, reason string) {
	c.t.Helper()
	_, text, err := c.socket.Read(context.Background())
	var closed websocket.CloseError
	if !errors.As(err, &closed) || closed.Code != code || closed.Reason != reason {
		c.t.Fatalf("got %s, error %v, want code %d: %s", text, err, code, reason)
	}
}
