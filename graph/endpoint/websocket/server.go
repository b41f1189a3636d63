// Package websocket implements graphql-transport-ws
// (https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md): many operations over one connection. A protocol
// error closes the connection with the code of the protocol; an error of an operation ends that operation only.
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

// Protocol is the supported subprotocol.
const Protocol = "graphql-transport-ws"

const (
	// MaxMessage is the maximum length of a message from a client in bytes.
	MaxMessage = 1 << 20
	// InitTimeout is the time that a client has for connection_init.
	InitTimeout = 3 * time.Second
	// PingInterval is the time between pings.
	PingInterval = 25 * time.Second
	// silenceTimeout is after which time a client that sends nothing is disconnected: a second after two pings.
	silenceTimeout = 2*PingInterval + time.Second
	// writeTimeout is the time that a client has to read a message.
	writeTimeout = 10 * time.Second
	// readTimeout is the time that a client has to send a message.
	readTimeout = 30 * time.Second
)

// Server accepts connections. Its fields do not change while it serves. It is safe for concurrent use.
type Server struct {
	// Origins are origins whose pages may connect, in addition to the server's own.
	Origins []string
	// Execute runs an operation until its responses end or ctx is done. A response without data is an error that ends
	// the operation. The last response of a subscription whose token expires is [transport.Expired], within
	// [resume.Grace].
	Execute func(ctx context.Context, params *graphql.RawParams) iter.Seq[*graphql.Response]
	// Authenticate returns a ctx with the viewer of Authorization headers, and with the expiry of the token.
	Authenticate func(ctx context.Context, headers ...string) (context.Context, *apierr.Error)
	// Sending counts the bytes of messages that are being sent, and Receiving those of incomplete messages.
	Sending, Receiving *inflight.Bytes
	// Limits are those of variables and extensions.
	Limits limits.Limits
	// Draining is done when the gateway shuts down: connections are closed with 1001, going away, once no operation
	// runs over them. When Ended is done they are closed immediately.
	Draining, Ended context.Context
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
	c := &conn{server: s, socket: socket, headers: r.Header.Clone(), closed: make(chan struct{})}
	c.alive, c.cancel = context.WithCancel(r.Context())
	c.ctx = c.alive
	c.serve()
}
