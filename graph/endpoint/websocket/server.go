// Package websocket implements graphql-transport-ws
// (https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md): many operations over one
// connection. A protocol error closes the connection with the code of the protocol; an error of an
// operation ends that operation only.
package websocket

import (
	"context"
	"iter"
	"net/http"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/coder/websocket"

	"twibase/graph/apierr"
	"twibase/graph/endpoint/inflight"
	"twibase/graph/limits"
)

// Protocol is the supported subprotocol.
const Protocol = "graphql-transport-ws"

const (
	// MaxMessage is the maximum length of a message from a client in bytes.
	MaxMessage = 1 << 20
	// InitTimeout is the time that a client has for connection_init.
	InitTimeout = 3 * time.Second
	// PingInterval is the time between pings. A client that sends nothing for twice as long is
	// disconnected.
	PingInterval = 25 * time.Second
	// writeTimeout is the time that a client has to read a message.
	writeTimeout = 10 * time.Second
	// readTimeout is the time that a client has to send a message.
	readTimeout = 30 * time.Second
)

// Server accepts connections. Its fields do not change while it serves. It is safe for concurrent
// use.
type Server struct {
	// Origins are origins whose pages may connect, in addition to the server's own.
	Origins []string
	// Execute runs an operation until its responses end or ctx is done. A response without data is
	// an error that ends the operation. The last response of a subscription whose token expires is
	// [transport.Expired], within [resume.Grace].
	Execute func(ctx context.Context, params *graphql.RawParams) iter.Seq[*graphql.Response]
	// Authenticate returns a ctx with the viewer of an Authorization header, and when the token
	// expires, zero for never.
	Authenticate func(ctx context.Context, authorization string) (of context.Context, expires time.Time, err *apierr.Error)
	// Expires returns when the token of the handshake expires, zero for never.
	Expires func(ctx context.Context) time.Time
	// Sending counts the bytes of messages that are being sent.
	Sending *inflight.Bytes
	// Receiving counts the bytes of incomplete messages.
	Receiving *inflight.Bytes

	// Limits are those of variables and extensions.
	Limits limits.Limits

	mu       sync.Mutex
	conns    map[*conn]struct{}
	group    sync.WaitGroup
	draining bool
}

// ServeHTTP implements [http.Handler]. It returns when the connection is closed.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	socket, err := websocket.Accept(refusing{w}, r, &websocket.AcceptOptions{Subprotocols: agreeable(r), OriginPatterns: s.Origins})
	if err != nil {
		return // the library has answered
	}
	if socket.Subprotocol() != Protocol {
		_ = socket.Close(codeSubprotocol, "Subprotocol not acceptable: this server speaks "+Protocol)
		return
	}
	socket.SetReadLimit(MaxMessage)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	c := &conn{server: s, socket: socket, ctx: ctx, headers: r.Header.Clone(), closed: make(chan struct{})}
	if !s.add(c) {
		_ = socket.Close(goingAway.code, goingAway.reason)
		return
	}
	defer s.remove(c)
	c.serve(s.Expires(ctx))
}

func (s *Server) add(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return false
	}
	if s.conns == nil {
		s.conns = map[*conn]struct{}{}
	}
	s.conns[c] = struct{}{}
	s.group.Add(1)
	return true
}

func (s *Server) remove(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	s.group.Done()
}

// Shutdown closes each connection with 1001, going away, once no operation runs over it. The caller
// ends subscriptions. It returns when all connections are closed; when ctx is done it closes them
// immediately.
func (s *Server) Shutdown(ctx context.Context) {
	s.mu.Lock()
	s.draining = true
	for c := range s.conns {
		go c.leave(goingAway)
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.group.Wait()
		close(done)
	}()
	select {
	case <-done:
		return
	case <-ctx.Done():
	}
	s.mu.Lock()
	for c := range s.conns {
		go c.socket.CloseNow()
	}
	s.mu.Unlock()
	<-done
}
