package sse

import (
	"context"
	"crypto/rand"
	"iter"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/endpoint/inflight"
	"twibase/graph/endpoint/running"
	"twibase/graph/endpoint/transport"
	"twibase/graph/resume"
)

// TokenHeader is the header that names a shared stream. The protocol's URL parameter is not supported, because URLs are logged.
const TokenHeader = "X-GraphQL-Event-Stream-Token"

// openTimeout is how long a stream is reserved.
const openTimeout = 10 * time.Second

// Shared has the shared streams of a server: the protocol's single connection mode. The zero value has none. It is safe for
// concurrent use.
type Shared struct {
	// Sending counts the bytes of events that are being sent. It does not change once there are streams.
	Sending *inflight.Bytes

	mu      sync.Mutex
	streams map[string]*Stream
}

// Stream is a shared stream.
type Stream struct {
	shared *Shared
	token  string
	free   func()
	ctx    context.Context // ends with the stream
	cancel context.CancelFunc
	expiry context.Context // ends when the token of an operation expired
	expire context.CancelFunc
	late   *time.Timer
	events feed

	opened     atomic.Bool
	operations running.Operations
}

// Reserve makes a stream and returns its token. free is called when the stream has ended, also if it was not opened in time.
func (s *Shared) Reserve(free func()) (token string) {
	t := &Stream{shared: s, token: rand.Text(), free: free, events: make(feed)}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	t.expiry, t.expire = context.WithCancel(context.Background())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams == nil {
		s.streams = map[string]*Stream{}
	}
	s.streams[t.token] = t
	t.late = time.AfterFunc(openTimeout, t.end)
	return t.token
}

// Find returns the stream of a token, nil if there is none.
func (s *Shared) Find(token string) *Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams[token]
}

// leave ends the stream because the token of an operation expired. The protocol cannot make a client repeat a single
// operation: it repeats all of them when the stream ends. So the other subscriptions end as if their tokens had expired,
// and can be continued too. The stream ends with its last operation, at most [resume.Grace] later.
func (t *Stream) leave() {
	t.operations.Close()
	t.expire()
	late := time.AfterFunc(resume.Grace, t.end)
	context.AfterFunc(t.ctx, func() { late.Stop() })
}

// Shutdown ends each stream as soon as no operation runs over it.
func (s *Shared) Shutdown() {
	s.mu.Lock()
	streams := slices.Collect(maps.Values(s.streams))
	s.mu.Unlock()
	for _, t := range streams {
		if t.operations.Close() {
			t.end()
		}
	}
}

// end ends the stream and what runs over it.
func (t *Stream) end() {
	t.shared.mu.Lock()
	_, there := t.shared.streams[t.token]
	delete(t.shared.streams, t.token)
	t.shared.mu.Unlock()
	if there {
		t.late.Stop()
		t.cancel()
		t.free()
	}
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

// Run starts an operation over the stream, with the values of ctx. The errors are those of [running.Operations.Start].
func (t *Stream) Run(ctx context.Context, id string, responses func(ctx context.Context) iter.Seq[*graphql.Response]) error {
	ctx, cancel := context.WithCancel(resume.WithEnd(context.WithoutCancel(ctx), t.expiry))
	op, err := t.operations.Start(id, cancel)
	if err != nil {
		cancel()
		return err
	}
	stop := context.AfterFunc(t.ctx, cancel)
	go func() {
		defer cancel()
		defer stop()
		t.run(ctx, op, responses)
	}()
	return nil
}

func (t *Stream) run(ctx context.Context, op *running.Operation, responses func(ctx context.Context) iter.Seq[*graphql.Response]) {
	head := `{"id":` + string(transport.Encode(op.ID))
	last := transport.Text("event: complete\ndata: " + head + "}\n\n")
	for response := range responses(ctx) {
		if response == transport.Reconnect || response == transport.Expired {
			if last = (transport.Message{}); response == transport.Expired {
				t.leave()
			}
			break
		}
		if !t.tell(ctx, transport.Of("event: next\ndata: "+head+`,"payload":`, response, "}\n\n")) {
			break
		}
	}
	idle := t.operations.End(op, func(bool) {
		if last.Len() > 0 {
			t.tell(ctx, last)
		}
	})
	if idle {
		t.end()
	}
}

// tell reports whether an event was sent. It sends nothing of an operation that was stopped, and nothing over a stream that
// has ended: those bytes would take the place of events for clients that read.
func (t *Stream) tell(ctx context.Context, message transport.Message) bool {
	if ctx.Err() != nil || t.ctx.Err() != nil {
		return false
	}
	defer t.shared.Sending.Hold(message.Len(), func() {
		t.cancel()
		go t.end()
	})()
	return t.events.tell(ctx, message)
}

// Stop ends an operation, if it runs.
func (t *Stream) Stop(id string) { t.operations.Stop(id) }
