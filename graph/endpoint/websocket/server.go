// Package websocket implements graphql-transport-ws
// (https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md).
package websocket

import (
	"context"
	"iter"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/coder/websocket"

	"twibase/graph/apierr"
	"twibase/graph/endpoint/inflight"
	"twibase/graph/limits"
)

// Protocol is the subprotocol.
const Protocol = "graphql-transport-ws"

const (
	maxMessage = 1 << 20 // bytes
	// initTimeout bounds the time until connection_init.
	initTimeout  = 3 * time.Second
	pingInterval = 25 * time.Second
	// idleTimeout allows two pings, and a second to answer the last one.
	idleTimeout = 2*pingInterval + time.Second
	// writeTimeout bounds the write of a message.
	writeTimeout = 10 * time.Second
	// readTimeout bounds the read of a message, from its first frame to its last.
	readTimeout = 30 * time.Second
	// closeTimeout bounds a close handshake. The library has timeouts of ten seconds in total, but
	// none for the payload of a frame that the client sends before it answers.
	closeTimeout = 12 * time.Second
)

// Server accepts connections, and is safe for concurrent use. Its fields must not change.
type Server struct {
	Origins []string
	// Execute runs an operation until it ends or ctx is done. A response without data ends the
	// operation with an error. If the token expires, the last response of a subscription is
	// [transport.Expired], within [resume.Grace].
	Execute func(ctx context.Context, params *graphql.RawParams) iter.Seq[*graphql.Response]
	// Authenticate is as [auth.Tokens.Authenticate].
	Authenticate       func(ctx context.Context, headers ...string) (context.Context, *apierr.Error)
	Sending, Receiving *inflight.Bytes
	// Parsing, unless nil, waits until a message may be parsed, or rejects it.
	Parsing func(ctx context.Context, bytes int) (release func(), rejection *apierr.Error)
	Limits  limits.Limits
	// After Draining is done, connections are closed with 1001 (going away) once they are idle.
	// After Ended is done, all are closed without a close frame.
	Draining, Ended context.Context
}

// ServeHTTP returns when the connection is closed.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	options := &websocket.AcceptOptions{Subprotocols: subprotocols(r), OriginPatterns: s.Origins}
	handshake := &handshakeWriter{ResponseWriter: w}
	socket, err := websocket.Accept(handshake, r, options)
	if err != nil {
		return
	}
	socket.SetReadLimit(maxMessage)
	c := &conn{server: s, socket: socket, network: handshake.network, headers: r.Header.Clone(),
		closed: make(chan struct{})}
	c.alive, c.cancel = context.WithCancel(r.Context())
	c.ctx = c.alive
	c.serve()
}
