package sse

import (
	"context"
	"crypto/rand"
	"iter"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/endpoint/inflight"
	"twibase/graph/endpoint/transport"
	"twibase/graph/resume"
)

// TokenHeader is the header that names a shared stream. The protocol's URL parameter is not supported, because URLs are logged.
const TokenHeader = "X-GraphQL-Event-Stream-Token"

// openTimeout is how long a stream is reserved.
const openTimeout = 10 * time.Second

// Shared has the shared streams of a server: the protocol's single connection mode. It is safe for concurrent use.
type Shared struct {
	// Sending counts the bytes of events that are being sent.
	Sending *inflight.Bytes
	// Draining is done when the gateway shuts down: each stream ends as soon as no operation runs over it.
	Draining context.Context

	streams sync.Map // from token to *Stream
}

// Stream is a shared stream.
type Stream struct {
	shared *Shared
	token  string
	ctx    context.Context // ends with the stream
	end    func()          // ends the stream and what runs over it
	expiry context.Context // ends when the token of an operation expired
	expire context.CancelFunc
	late   *time.Timer // ends the stream
	events feed

	opened     atomic.Bool
	operations transport.Operations
}

// Reserve makes a stream and returns its token. free is called when the stream has ended, also if it was not opened in time.
func (s *Shared) Reserve(free func()) (token string) {
	ctx, cancel := context.WithCancel(context.Background())
	t := &Stream{shared: s, token: rand.Text(), ctx: ctx, events: make(feed)}
	t.expiry, t.expire = context.WithCancel(context.Background())
	t.end = sync.OnceFunc(func() {
		s.streams.Delete(t.token)
		cancel()
		t.operations.Drop()
		free()
	})
	t.late = time.AfterFunc(openTimeout, t.end)
	s.streams.Store(t.token, t)
	stop := context.AfterFunc(s.Draining, func() {
		if t.operations.Close() {
			t.end()
		}
	})
	context.AfterFunc(ctx, func() { stop() })
	return t.token
}

// Find returns the stream of a token, nil if there is none.
func (s *Shared) Find(token string) *Stream {
	t, _ := s.streams.Load(token)
	stream, _ := t.(*Stream)
	return stream
}

// leave ends the stream because the token of an operation expired. The protocol cannot make a client repeat a single
// operation: it repeats all of them when the stream ends. So the other subscriptions end as if their tokens had expired,
// and can be continued too. The stream ends with its last operation, at most [resume.Grace] later.
func (t *Stream) leave() {
	t.operations.Close()
	t.expire()
	t.late.Reset(resume.Grace)
}

// Serve answers a request with the events of the stream, until the stream or the client ends. It reports false, and does
// nothing, if the stream was opened before.
func (t *Stream) Serve(ctx context.Context, w http.ResponseWriter) bool {
	if t.opened.Swap(true) {
		return false
	}
	t.late.Stop()
	defer t.end()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.ctx, cancel)()
	t.events.write(ctx, w, t.shared.Sending)
	return true
}

// Run starts an operation over the stream, with the values of ctx. The errors are those of [transport.Operations.Start].
func (t *Stream) Run(ctx context.Context, id string, responses func(ctx context.Context) iter.Seq[*graphql.Response]) error {
	ctx, op, err := t.operations.Start(resume.WithEnd(context.WithoutCancel(ctx), t.expiry), id)
	if err == nil {
		go t.run(ctx, op, responses)
	}
	return err
}

func (t *Stream) run(ctx context.Context, op *transport.Operation, responses func(ctx context.Context) iter.Seq[*graphql.Response]) {
	head := `{"id":` + string(transport.Encode(op.ID))
	last := []byte("event: complete\ndata: " + head + "}\n\n")
	for response := range responses(ctx) {
		if response == transport.Expired {
			t.leave()
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

// send reports whether an event was sent. It sends nothing of an operation that was stopped, and nothing over a stream that
// has ended: those bytes would take the place of events for clients that read.
func (t *Stream) send(ctx context.Context, event []byte) bool {
	if ctx.Err() != nil || t.ctx.Err() != nil {
		return false
	}
	defer t.shared.Sending.Hold(len(event), func() { go t.end() })()
	return t.events.send(ctx, event)
}

// Stop ends an operation, if it runs.
func (t *Stream) Stop(id string) { t.operations.Stop(id) }
