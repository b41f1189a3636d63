package websocket

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/coder/websocket"

	"twibase/graph/auth"
	"twibase/graph/endpoint/transport"
	"twibase/graph/resume"
)

type conn struct {
	server *Server
	socket *websocket.Conn
	// network is closed to cut off a close handshake. CloseNow of the socket would wait for it.
	network net.Conn
	alive   context.Context // done when nothing can be sent
	cancel  context.CancelFunc

	// For the reading goroutine.
	ctx                context.Context
	headers            http.Header
	initialized        bool
	init, idle, expiry *time.Timer

	operations transport.Operations
	running    sync.WaitGroup
	draining   atomic.Pointer[closeReason] // why the connection closes when it is idle, or nil
	closing    atomic.Bool
	closed     chan struct{} // closed after the close handshake
}

func (c *conn) serve() {
	defer context.AfterFunc(c.server.Ended, c.drop)()
	if c.socket.Subprotocol() != Protocol {
		c.close(&closeReason{codeSubprotocol, "Subprotocol not acceptable: this server speaks " + Protocol})
		c.cancel()
		return
	}
	defer context.AfterFunc(c.server.Draining, func() { c.drain(goingAway) })()
	c.init = time.AfterFunc(initTimeout, func() {
		c.close(&closeReason{codeTimeout, "Connection initialisation timeout"})
	})
	c.idle = time.AfterFunc(idleTimeout, c.drop)
	c.expiry = time.AfterFunc(0, func() {})
	c.followExpiry()
	c.running.Go(c.ping)
	wrong := c.read()
	for _, timer := range []*time.Timer{c.init, c.idle, c.expiry} {
		timer.Stop()
	}
	c.operations.StopAll()
	c.cancel()
	if wrong != nil {
		c.close(wrong)
	} else if c.closing.Load() {
		<-c.closed
	}
	_ = c.socket.CloseNow()
	c.running.Wait()
}

// followExpiry closes the connection when the token expires, or within [resume.Grace] while
// operations send last events.
func (c *conn) followExpiry() {
	expires, ok := auth.ExpiryOf(c.ctx)
	if !ok {
		return
	}
	c.expiry.Stop()
	c.expiry = time.AfterFunc(time.Until(expires), func() {
		time.AfterFunc(resume.Grace, func() { c.close(expired) })
		c.drain(expired)
	})
}

func (c *conn) ping() {
	for beat := time.Tick(pingInterval); ; {
		select {
		case <-beat:
			c.send([]byte(`{"type":"ping"}`))
		case <-c.alive.Done():
			return
		}
	}
}

func (c *conn) read() *closeReason {
	for {
		kind, text, err := c.message()
		if err != nil {
			return nil // the library closes with 1009 after a message that is too long
		}
		m, params, wrong := c.parse(kind, text)
		if wrong == nil {
			wrong = c.handle(m, params)
		}
		if wrong != nil {
			return wrong
		}
	}
}

func (c *conn) parse(
	kind websocket.MessageType, text []byte,
) (m message, params *graphql.RawParams, wrong *closeReason) {
	if c.server.Parsing != nil {
		release, rejection := c.server.Parsing(c.ctx, len(text))
		if rejection != nil {
			return m, nil, closeFor(rejection)
		}
		defer release()
	}
	if m, wrong = read(kind, text); wrong == nil && m.Type == "subscribe" && c.initialized {
		params, wrong = m.params(c.headers, &c.server.Limits)
	}
	return m, params, wrong
}

func (c *conn) message() (kind websocket.MessageType, text []byte, err error) {
	// The library closes the connection without a code when the ctx of Reader ends.
	kind, from, err := c.socket.Reader(context.Background())
	if err != nil {
		return 0, nil, err
	}
	c.idle.Reset(idleTimeout)
	timeout := time.AfterFunc(readTimeout, func() { c.close(&closeReason{codeTimeout, "A message did not come in time"}) })
	defer timeout.Stop()
	r := c.server.Receiving.Reader(from, 0, c.drop)
	defer r.End()
	var all bytes.Buffer
	_, err = all.ReadFrom(r)
	return kind, all.Bytes(), err
}

func (c *conn) handle(m message, params *graphql.RawParams) *closeReason {
	switch m.Type {
	case "connection_init":
		return c.initialize(m)
	case "ping":
		pong := `{"type":"pong"}`
		if len(m.Payload) > 0 {
			pong = `{"type":"pong","payload":` + string(m.Payload) + "}"
		}
		c.send([]byte(pong))
	case "subscribe":
		return c.subscribe(m.ID, params)
	case "complete":
		c.operations.Stop(m.ID)
	}
	return nil
}

func (c *conn) initialize(m message) *closeReason {
	if c.initialized {
		return &closeReason{codeInitTwice, "Too many initialisation requests"}
	}
	authorization, wrong := m.readInit(c.headers, &c.server.Limits)
	if wrong != nil {
		return wrong
	}
	if len(authorization) > 0 {
		ctx, err := c.server.Authenticate(c.ctx, authorization...)
		if err != nil {
			return closeFor(err)
		}
		c.ctx = ctx
		c.followExpiry()
	}
	c.initialized = true
	c.init.Stop()
	c.send(acknowledgement(c.ctx))
	return nil
}

// send reports whether a message was sent, and closes the connection of a slow reader. After a
// failure it sends nothing, because the bytes would count as being sent, and might cut off other
// clients.
func (c *conn) send(message []byte) (sent bool) {
	if c.alive.Err() != nil {
		return false
	}
	timeout := time.AfterFunc(writeTimeout, func() { c.close(&closeReason{codeSlow, "Messages are read too slowly"}) })
	defer timeout.Stop()
	defer c.server.Sending.Add(len(message), c.drop)()
	err := c.socket.Write(context.Background(), websocket.MessageText, message)
	switch {
	case err == nil:
		return true
	case c.closing.Load():
		c.cancel() // the close handshake goes on
	default:
		c.drop()
	}
	return false
}

// drop closes the connection without a close frame, or cuts off its close handshake. It does not
// block.
func (c *conn) drop() {
	c.cancel()
	go func() {
		_ = c.network.Close()
		_ = c.socket.CloseNow()
	}()
}

// close sends the reason of its first call, and returns after the close handshake. The client has
// about ten seconds to answer, and at most closeTimeout. The reading goroutine gets an error.
func (c *conn) close(why *closeReason) {
	if c.closing.CompareAndSwap(false, true) {
		timeout := time.AfterFunc(closeTimeout, c.drop)
		_ = c.socket.Close(why.code, why.text())
		timeout.Stop()
		close(c.closed)
	}
	<-c.closed
}

func (c *conn) drain(why *closeReason) {
	c.draining.CompareAndSwap(nil, why)
	if c.operations.Close() {
		c.close(c.draining.Load())
	}
}
