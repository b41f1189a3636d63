package websocket

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"twibase/graph/auth"
	"twibase/graph/endpoint/transport"
	"twibase/graph/resume"
)

// conn is a connection.
type conn struct {
	server *Server
	socket *websocket.Conn
	alive  context.Context // done when nothing can be sent any more
	cancel context.CancelFunc

	// For the goroutine that reads: alive with the viewer after connection_init, the headers of the client, whether
	// connection_init has arrived, and the timers that close the connection without it, without any message, and at
	// the expiry of the token.
	ctx                  context.Context
	headers              http.Header
	greeted              bool
	init, silent, expiry *time.Timer

	operations transport.Operations
	running    sync.WaitGroup          // goroutines of operations and of pings
	leaving    atomic.Pointer[closure] // why the connection is closed once no operation runs; nil if it is not
	closing    atomic.Bool
	closed     chan struct{} // closed when the close frame was sent, or cannot be
}

// serve reads messages until the connection is closed.
func (c *conn) serve() {
	defer context.AfterFunc(c.server.Draining, func() { c.leave(goingAway) })()
	defer context.AfterFunc(c.server.Ended, c.drop)()
	c.init = time.AfterFunc(InitTimeout, func() { c.close(&closure{codeTimeout, "Connection initialisation timeout"}) })
	c.silent = time.AfterFunc(silenceTimeout, c.drop)
	c.expiry = time.AfterFunc(0, func() {})
	c.followExpiry()
	c.running.Go(c.ping)
	wrong := c.read()
	for _, timer := range []*time.Timer{c.init, c.silent, c.expiry} {
		timer.Stop()
	}
	c.operations.Drop() // they have not completed, so no complete is sent
	c.cancel()
	if wrong != nil {
		c.close(wrong)
	} else if c.closing.Load() {
		<-c.closed
	}
	_ = c.socket.CloseNow()
	c.running.Wait()
}

// followExpiry closes the connection when the token of ctx expires. Its operations have a grace period: a subscription
// that is cut off cannot be continued.
func (c *conn) followExpiry() {
	expires, ok := auth.ExpiryOf(c.ctx)
	if !ok {
		return
	}
	c.expiry.Stop()
	c.expiry = time.AfterFunc(time.Until(expires), func() {
		time.AfterFunc(resume.Grace, func() { c.close(expired) })
		c.leave(expired)
	})
}

// ping sends pings until the connection is closed.
func (c *conn) ping() {
	for beat := time.Tick(PingInterval); ; {
		select {
		case <-beat:
			c.send([]byte(`{"type":"ping"}`))
		case <-c.alive.Done():
			return
		}
	}
}

// read handles messages, and returns why the connection must be closed, nil if it is closed already.
func (c *conn) read() *closure {
	for {
		kind, text, err := c.message()
		if err != nil {
			return nil // a message that is too long has closed the connection with 1009
		}
		m, wrong := read(kind, text)
		if wrong == nil {
			wrong = c.handle(m)
		}
		if wrong != nil {
			return wrong
		}
	}
}

// message reads one message.
func (c *conn) message() (kind websocket.MessageType, text []byte, err error) {
	// A ctx that ends would close the connection without a code.
	kind, from, err := c.socket.Reader(context.Background())
	if err != nil {
		return 0, nil, err
	}
	c.silent.Reset(silenceTimeout)
	late := time.AfterFunc(readTimeout, func() { c.close(&closure{codeTimeout, "A message did not come in time"}) })
	defer late.Stop()
	r := c.server.Receiving.Reader(from, c.drop)
	defer r.End()
	var all bytes.Buffer
	_, err = all.ReadFrom(r)
	return kind, all.Bytes(), err
}

// handle handles a message, and returns why the connection must be closed because of it.
func (c *conn) handle(m message) *closure {
	switch m.Type {
	case "connection_init":
		return c.greet(m)
	case "ping":
		pong := `{"type":"pong"}`
		if len(m.Payload) > 0 {
			pong = `{"type":"pong","payload":` + string(m.Payload) + "}"
		}
		c.send([]byte(pong))
	case "subscribe":
		return c.subscribe(m)
	case "complete":
		c.operations.Stop(m.ID)
	}
	return nil
}

// greet handles connection_init.
func (c *conn) greet(m message) *closure {
	if c.greeted {
		return &closure{codeInitTwice, "Too many initialisation requests"}
	}
	authorization, wrong := m.initial(c.headers, &c.server.Limits)
	if wrong != nil {
		return wrong
	}
	if len(authorization) > 0 {
		ctx, err := c.server.Authenticate(c.ctx, authorization...)
		if err != nil {
			return refusal(err)
		}
		c.ctx = ctx
		c.followExpiry()
	}
	c.greeted = true
	c.init.Stop()
	c.send(acknowledgement(c.ctx))
	return nil
}

// send reports whether it sent a message. The connection of a client that does not read it in time is closed. After a
// failure nothing more is sent: those bytes would take the place of messages for clients that read.
func (c *conn) send(message []byte) (sent bool) {
	if c.alive.Err() != nil {
		return false
	}
	late := time.AfterFunc(writeTimeout, func() { c.close(&closure{codeSlow, "Messages are read too slowly"}) })
	defer late.Stop()
	defer c.server.Sending.Hold(len(message), c.drop)()
	err := c.socket.Write(context.Background(), websocket.MessageText, message)
	if err != nil {
		c.drop()
	}
	return err == nil
}

// drop closes the connection without a code and without waiting.
func (c *conn) drop() {
	c.cancel()
	go c.socket.CloseNow()
}

// close closes the connection with the first reason that it is called with, and returns when the close frame was sent.
// The reading goroutine gets an error.
func (c *conn) close(why *closure) {
	if c.closing.CompareAndSwap(false, true) {
		_ = c.socket.Close(why.code, why.text())
		close(c.closed)
	}
	<-c.closed
}

// leave closes the connection once no operation runs over it. New operations are not started.
func (c *conn) leave(why *closure) {
	c.leaving.CompareAndSwap(nil, why)
	if c.operations.Close() {
		c.close(c.leaving.Load())
	}
}
