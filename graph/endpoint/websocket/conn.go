package websocket

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"twibase/graph/endpoint/running"
	"twibase/graph/endpoint/transport"
	"twibase/graph/resume"
)

// conn is a connection.
type conn struct {
	server *Server
	socket *websocket.Conn

	// For the goroutine that reads only: the ctx, with the viewer after connection_init, the
	// headers of the client, and whether connection_init has arrived.
	ctx     context.Context
	headers http.Header
	greeted bool

	heard   atomic.Int64 // time of the last message, in nanoseconds
	closing atomic.Bool
	gone    atomic.Bool   // whether nothing can be sent any more
	closed  chan struct{} // closed when the close frame was sent, or cannot be
	running sync.WaitGroup

	operations running.Operations
	leaving    atomic.Pointer[closure] // why the connection is closed once no operation runs; nil if it is not
}

// serve reads messages until the connection is closed.
func (c *conn) serve(expires time.Time) {
	ctx, cancel := context.WithCancel(c.ctx)
	c.ctx = ctx
	c.heard.Store(time.Now().UnixNano())
	late := time.AfterFunc(InitTimeout, func() { c.close(&closure{codeTimeout, "Connection initialisation timeout"}) })
	expiry := time.NewTimer(0)
	beat := time.NewTicker(PingInterval)
	ended := make(chan struct{})
	watch := func(expires time.Time) {
		if expiry.Stop(); !expires.IsZero() {
			expiry.Reset(time.Until(expires))
		}
	}
	watch(expires)
	c.running.Go(func() {
		var grace <-chan time.Time // grace for operations: a subscription that is cut off cannot be continued
		for {
			select {
			case <-ended:
				return
			case <-expiry.C:
				grace = time.After(resume.Grace)
				c.leave(expired)
			case <-grace:
				c.close(expired)
			case <-beat.C:
				c.beat()
			}
		}
	})
	wrong := c.read(late, watch)
	late.Stop()
	beat.Stop()
	expiry.Stop()
	close(ended)
	c.operations.Drop() // they have not completed, so no complete is sent
	cancel()
	if wrong != nil {
		c.close(wrong)
	} else if c.closing.Load() {
		<-c.closed
	}
	_ = c.socket.CloseNow()
	c.running.Wait()
}

// read handles messages, and returns why the connection must be closed, nil if it is closed
// already.
func (c *conn) read(late *time.Timer, watch func(expires time.Time)) *closure {
	for {
		kind, text, err := c.message()
		if err != nil {
			return nil // a message that is too long has closed the connection with 1009
		}
		c.heard.Store(time.Now().UnixNano())
		m, wrong := read(kind, text)
		if wrong != nil {
			return wrong
		}
		switch m.Type {
		case "connection_init":
			if wrong = c.greet(m, watch); wrong == nil {
				late.Stop()
			}
		case "ping":
			c.send(pong(m.Payload))
		case "subscribe":
			wrong = c.subscribe(m)
		case "complete":
			c.operations.Stop(m.ID)
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
	late := time.AfterFunc(readTimeout, func() { c.close(&closure{codeTimeout, "A message did not come in time"}) })
	defer late.Stop()
	r := c.server.Receiving.Reader(from, c.drop)
	defer r.End()
	var all bytes.Buffer
	_, err = all.ReadFrom(r)
	return kind, all.Bytes(), err
}

// greet handles connection_init.
func (c *conn) greet(m message, watch func(expires time.Time)) *closure {
	if c.greeted {
		return &closure{codeInitTwice, "Too many initialisation requests"}
	}
	authorization, wrong := m.initial(c.headers, &c.server.Limits)
	if wrong != nil {
		return wrong
	}
	if authorization != nil {
		ctx, expires, err := c.server.Authenticate(c.ctx, *authorization)
		if err != nil {
			return refusal(err)
		}
		c.ctx = ctx
		watch(expires)
	}
	c.greeted = true
	c.send(acknowledgement(c.ctx))
	return nil
}

// beat pings the client, or closes the connection of a silent one.
func (c *conn) beat() {
	if time.Since(time.Unix(0, c.heard.Load())) > 2*PingInterval {
		_ = c.socket.CloseNow()
		return
	}
	c.send(transport.Text(`{"type":"ping"}`))
}

func pong(payload []byte) transport.Message {
	if len(payload) == 0 {
		return transport.Text(`{"type":"pong"}`)
	}
	return transport.Text(`{"type":"pong","payload":` + string(payload) + "}")
}

// send reports whether it sent a message. The connection of a client that does not read it in time
// is closed. After a failure nothing more is sent: those bytes would take the place of messages for
// clients that read.
func (c *conn) send(m transport.Message) (sent bool) {
	if c.gone.Load() {
		return false
	}
	late := time.AfterFunc(writeTimeout, func() { c.close(&closure{codeSlow, "Messages are read too slowly"}) })
	defer late.Stop()
	defer c.server.Sending.Hold(m.Len(), c.drop)()
	// A frame is written from one slice, so the message is copied. The library's Writer would send
	// a frame for each part, and a slow reader's connection may be closed between two: a client
	// that reads on would get the close code without the message.
	var frame bytes.Buffer
	frame.Grow(m.Len())
	_ = m.Write(&frame)
	err := c.socket.Write(context.Background(), websocket.MessageText, frame.Bytes())
	if err != nil {
		c.gone.Store(true)
	}
	return err == nil
}

// drop closes the connection without a code and without waiting. The limit of in-flight bytes calls
// it.
func (c *conn) drop() {
	c.gone.Store(true)
	go c.socket.CloseNow()
}

// close closes the connection with the first reason that it is called with, and returns when the
// close frame was sent. The reading goroutine gets an error.
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
