package sse

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"twibase/graph/endpoint/inflight"
	"twibase/graph/endpoint/transport"
	"twibase/graph/resume"
)

// TokenHeader names a shared stream. The protocol's URL parameter is not supported, because URLs
// are logged.
const TokenHeader = "X-GraphQL-Event-Stream-Token"

// openTimeout bounds the time until a reserved stream is opened.
const openTimeout = 10 * time.Second

// Shared has shared streams (the protocol's single connection mode). It is safe for concurrent use.
type Shared struct {
	Sending *inflight.Bytes
	// After Draining is done, streams end when no operation runs over them.
	Draining context.Context

	streams sync.Map
}

// Stream is a shared stream.
type Stream struct {
	shared  *Shared
	token   string
	ctx     context.Context
	end     func()
	expiry  context.Context // done when an operation's token has expired
	expire  context.CancelFunc
	timeout *time.Timer // ends a stream that was not opened, or that drains
	events  feed

	opened     atomic.Bool
	operations transport.Operations
}

// Reserve returns the token of a new stream. free is called when the stream ends, opened or not.
func (s *Shared) Reserve(free func()) (token string) {
	ctx, cancel := context.WithCancel(context.Background())
	t := &Stream{shared: s, token: rand.Text(), ctx: ctx, events: make(feed)}
	t.expiry, t.expire = context.WithCancel(context.Background())
	t.end = sync.OnceFunc(func() {
		s.streams.Delete(t.token)
		cancel()
		t.operations.StopAll()
		free()
	})
	t.timeout = time.AfterFunc(openTimeout, t.end)
	s.streams.Store(t.token, t)
	stop := context.AfterFunc(s.Draining, func() {
		if t.operations.Close() {
			t.end()
		}
	})
	context.AfterFunc(ctx, func() { stop() })
	return t.token
}

// Find returns nil if there is no such stream.
func (s *Shared) Find(token string) *Stream {
	t, _ := s.streams.Load(token)
	stream, _ := t.(*Stream)
	return stream
}

// drain ends the stream within [resume.Grace] after a token has expired. A client can only reopen a
// whole stream, so all subscriptions end as if their tokens had expired.
func (t *Stream) drain() {
	t.operations.Close()
	t.expire()
	t.timeout.Reset(resume.Grace)
}

// Serve sends events until the stream ends or the client is gone. It returns false if the stream
// was opened before.
func (t *Stream) Serve(ctx context.Context, w http.ResponseWriter) bool {
	if t.opened.Swap(true) {
		return false
	}
	t.timeout.Stop()
	defer t.end()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.ctx, cancel)()
	t.events.write(ctx, w, t.shared.Sending)
	return true
}

// Run starts an operation with the values of ctx. Errors are those of [transport.Operations.Start].
func (t *Stream) Run(ctx context.Context, id string, responses Responses) error {
	ctx, op, err := t.operations.Start(resume.WithEnd(context.WithoutCancel(ctx), t.expiry), id)
	if err == nil {
		go t.run(ctx, op, responses)
	}
	return err
}

func (t *Stream) run(ctx context.Context, op *transport.Operation, responses Responses) {
	head := `{"id":` + string(transport.Encode(op.ID))
	last := []byte("event: complete\ndata: " + head + "}\n\n")
	for response := range responses(ctx) {
		if response == transport.Expired {
			t.drain()
		}
		if response == transport.Reconnect || response == transport.Expired {
			last = nil
			break
		}
		if !t.send(ctx, transport.Message("event: next\ndata: "+head+`,"payload":`, response, "}\n\n")) {
			break
		}
	}
	idle := t.operations.End(op, func() {
		if last != nil {
			t.send(ctx, last)
		}
	})
	if idle {
		t.end()
	}
}

// send sends nothing for a stopped operation or over an ended stream: its bytes would count as
// being sent, and might cut off other clients.
func (t *Stream) send(ctx context.Context, event []byte) bool {
	if ctx.Err() != nil || t.ctx.Err() != nil {
		return false
	}
	defer t.shared.Sending.Add(len(event), func() { go t.end() })()
	return t.events.send(ctx, event)
}

func (t *Stream) Stop(id string) { t.operations.Stop(id) }
