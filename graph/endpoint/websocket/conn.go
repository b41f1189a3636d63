package websocket

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"twibase/graph/endpoint/answer"
	"twibase/graph/resume"
)

// conn is a connection.
type conn struct {
	server *Server
	socket *websocket.Conn

	// What the goroutine that reads alone uses: the ctx of the viewer, once the client has said who that is, the headers that it sent, and
	// whether connection_init came.
	ctx     context.Context
	headers http.Header
	greeted bool

	heard   atomic.Int64 // when a message came last, in nanoseconds
	closing atomic.Bool
	gone    atomic.Bool   // when nothing can be sent any more
	closed  chan struct{} // when the client has been told why, or can't be
	running sync.WaitGroup

	mu         sync.Mutex
	operations map[string]*operation
	ending     int      // how many more have ended, and their last message is being sent
	leaving    *closure // why the connection is closed as soon as no operation runs over it; nil if it is not
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
		var grace <-chan time.Time // for operations when the token has expired: a subscription that is cut off can't be continued where it was
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
	c.mu.Lock()
	clear(c.operations) // they have not completed, and the client is not to think so
	c.mu.Unlock()
	cancel()
	if wrong != nil {
		c.close(wrong)
	} else if c.closing.Load() {
		<-c.closed
	}
	_ = c.socket.CloseNow()
	c.running.Wait()
}

// read handles one message after the other, and returns why the connection is to be closed, nil if it is closed already.
func (c *conn) read(late *time.Timer, watch func(expires time.Time)) *closure {
	for {
		kind, text, err := c.message()
		if err != nil {
			return nil // one that is too long has closed the connection, with 1009
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
			c.stop(m.ID)
		}
		if wrong != nil {
			return wrong
		}
	}
}

// message reads one message.
func (c *conn) message() (kind websocket.MessageType, text []byte, err error) {
	// Its ctx never ends: that would close the connection without a code.
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

// greet learns who the client is.
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

// beat pings the client, or gives it up.
func (c *conn) beat() {
	if time.Since(time.Unix(0, c.heard.Load())) > 2*PingInterval {
		_ = c.socket.CloseNow()
		return
	}
	c.send(answer.Text(`{"type":"ping"}`))
}

func pong(payload []byte) answer.Message {
	if len(payload) == 0 {
		return answer.Text(`{"type":"pong"}`)
	}
	return answer.Text(`{"type":"pong","payload":` + string(payload) + "}")
}

// send sends a message, and reports whether it did. A client that does not read it in time is cut off: with a code, if it reads on soon after. After that nothing is
// sent: what waits for a client that has gone would be in the way of those that wait for one that reads.
func (c *conn) send(m answer.Message) (sent bool) {
	if c.gone.Load() {
		return false
	}
	late := time.AfterFunc(writeTimeout, func() { c.close(&closure{codeSlow, "Messages are read too slowly"}) })
	defer late.Stop()
	defer c.server.Sending.Hold(m.Len(), c.drop)()
	// What goes out as a frame has to be one slice, so the message is copied. The library's Writer would make a frame of each of its parts, and between
	// these the connection may be closed for a reader that is slow: who reads on then would have the code, but not the message before it.
	var frame bytes.Buffer
	frame.Grow(m.Len())
	_ = m.Write(&frame)
	err := c.socket.Write(context.Background(), websocket.MessageText, frame.Bytes())
	if err != nil {
		c.gone.Store(true)
	}
	return err == nil
}

// drop gives the connection up without a code, and waits for nobody: the limit of in-flight bytes calls it.
func (c *conn) drop() {
	c.gone.Store(true)
	go c.socket.CloseNow()
}

// close closes the connection, for the first reason alone, and returns when the client has heard it. The goroutine that reads learns of it by
// an error.
func (c *conn) close(why *closure) {
	if c.closing.CompareAndSwap(false, true) {
		_ = c.socket.Close(why.code, why.text())
		close(c.closed)
	}
	<-c.closed
}

// leave closes the connection when no operation runs over it any more. New ones are not started.
func (c *conn) leave(why *closure) {
	c.mu.Lock()
	if c.leaving == nil {
		c.leaving = why
	}
	why = c.leaving
	idle := len(c.operations)+c.ending == 0
	c.mu.Unlock()
	if idle {
		c.close(why)
	}
}
