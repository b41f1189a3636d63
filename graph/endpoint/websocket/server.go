// Package websocket speaks the protocol graphql-transport-ws: many operations over one connection, each a stream of responses.
//
// The protocol is that of https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md. What a client does wrong closes its connection with the code
// that stands there; what an operation does wrong is that operation's own error.
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

// Protocol is the only subprotocol.
const Protocol = "graphql-transport-ws"

// The bounds of a connection.
const (
	// MaxMessage is how many bytes a message from a client has at most.
	MaxMessage = 1 << 20
	// MaxOperations is how many operations run over a connection at the same time.
	MaxOperations = 100
	// InitTimeout is how long a client may take for connection_init.
	InitTimeout = 3 * time.Second
	// PingInterval is how often a client is pinged. One of which nothing is heard for two of them is taken for dead.
	PingInterval = 25 * time.Second
	// writeTimeout is how long a client may take to read a message; a slower one is cut off.
	writeTimeout = 10 * time.Second
	// readTimeout is how long a client may take to send a message, from its beginning on.
	readTimeout = 30 * time.Second
)

// Server accepts connections. Its fields don't change once it serves; it is safe for concurrent use.
type Server struct {
	// Origins are those whose pages may connect, beside the server's own.
	Origins []string
	// Execute runs an operation until its responses end or ctx is done. A response without data is an error that ends the
	// operation. The last of a subscription whose token expires is [answer.Expired], within [resume.Grace].
	Execute func(ctx context.Context, params *graphql.RawParams) iter.Seq[*graphql.Response]
	// Authenticate returns the ctx of whoever may use the value of an Authorization header, and when that ends, never if it is zero.
	Authenticate func(ctx context.Context, authorization string) (of context.Context, expires time.Time, err *apierr.Error)
	// Expires returns when what the handshake's own ctx allows ends, never if it is zero.
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
		return // the client has been told
	}
	if socket.Subprotocol() != Protocol {
		_ = socket.Close(codeSubprotocol, "Subprotocol not acceptable: this server speaks "+Protocol)
		return
	}
	socket.SetReadLimit(MaxMessage)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	c := &conn{server: s, socket: socket, ctx: ctx, headers: r.Header.Clone(), closed: make(chan struct{}), operations: map[string]*operation{}}
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

// Shutdown closes each connection with 1001, going away, as soon as no operation runs over it; whoever calls it sees to it that
// subscriptions end. It returns when all are closed, or closes them at once when ctx is done.
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
