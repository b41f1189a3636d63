package sse

import (
	"context"
	"crypto/rand"
	"errors"
	"iter"
	"net/http"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/endpoint/answer"
	"twibase/graph/endpoint/inflight"
	"twibase/graph/resume"
)

// TokenHeader is the header that names a shared stream. The protocol has a parameter of the URL too, which we don't take: URLs are logged.
const TokenHeader = "X-GraphQL-Event-Stream-Token"

const (
	// MaxOperations is how many operations run over a shared stream at the same time.
	MaxOperations = 100
	// MaxID is how many bytes the id of one has at most: it is kept for as long as that runs.
	MaxID = 256
	// openTimeout is how long a stream is reserved.
	openTimeout = 10 * time.Second
)

// Why an operation does not run over a stream.
var (
	ErrTaken = errors.New("an operation of that id runs over the stream")
	ErrMany  = errors.New("too many operations run over the stream")
	ErrOver  = errors.New("the stream is about to end")
)

// Shared are streams over which clients hear of many operations each: the protocol's single connection mode. The zero value has none; it is
// safe for concurrent use.
type Shared struct {
	// Sending counts the bytes of events that are being sent. It does not change once there are streams.
	Sending *inflight.Bytes

	mu      sync.Mutex
	streams map[string]*Stream
	leaving bool
}

// Stream is one of them.
type Stream struct {
	shared *Shared
	token  string
	free   func()
	ctx    context.Context // ends with the stream
	cancel context.CancelFunc
	expiry context.Context // ends when the token of an operation expired
	expire context.CancelFunc
	late   *time.Timer
	events chan event

	// Shared.mu guards what follows.
	opened     bool
	operations map[string]*operation
	ending     int // how many more have ended, and their last event is being told
	leaving    bool
}

// event is an event to send. sent receives whether that succeeded.
type event struct {
	message answer.Message
	sent    chan<- bool
}

// operation is one that runs over a stream.
type operation struct {
	id     string
	cancel context.CancelFunc
}

// Reserve makes a stream, and returns its token. free is called when the stream is over, also if nobody opens it in time.
func (s *Shared) Reserve(free func()) (token string) {
	t := &Stream{shared: s, token: rand.Text(), free: free, events: make(chan event), operations: map[string]*operation{}}
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

// leave ends the stream because the token of an operation expired. The protocol can't make a client
// repeat a single operation: it repeats all of them when the stream ends. So the other
// subscriptions end as if their tokens had expired, and can be continued too. The stream ends with
// its last operation, at most [resume.Grace] later.
func (t *Stream) leave() {
	t.shared.mu.Lock()
	first := !t.leaving
	t.leaving = true
	t.shared.mu.Unlock()
	if first {
		t.expire()
		late := time.AfterFunc(resume.Grace, t.end)
		context.AfterFunc(t.ctx, func() { late.Stop() })
	}
}

// Shutdown ends each stream as soon as no operation runs over it.
func (s *Shared) Shutdown() {
	s.mu.Lock()
	s.leaving = true
	var idle []*Stream
	for _, t := range s.streams {
		if t.idle() {
			idle = append(idle, t)
		}
	}
	s.mu.Unlock()
	for _, t := range idle {
		t.end()
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

// Serve answers a request with the events of the stream, until it or the client ends. It reports false, and has done nothing, if the stream was
// opened before.
func (t *Stream) Serve(ctx context.Context, w http.ResponseWriter) bool {
	t.shared.mu.Lock()
	opened := t.opened
	t.opened = true
	t.shared.mu.Unlock()
	if opened {
		return false
	}
	t.late.Stop()
	defer t.end()
	out := begin(w, t.shared.Sending)
	beat := time.NewTicker(Heartbeat)
	defer beat.Stop()
	for sent := out.send(comment); sent; {
		select {
		case event := <-t.events:
			sent = out.send(event.message)
			event.sent <- sent
			beat.Reset(Heartbeat)
		case <-beat.C:
			sent = out.send(comment)
		case <-t.ctx.Done():
			return true
		case <-ctx.Done():
			return true
		}
	}
	return true
}

// Run runs an operation over the stream: in the ctx of its request, which may be over before. It is [ErrTaken], [ErrMany] or [ErrOver].
func (t *Stream) Run(ctx context.Context, id string, responses func(ctx context.Context) iter.Seq[*graphql.Response]) error {
	ctx, cancel := context.WithCancel(resume.WithEnd(context.WithoutCancel(ctx), t.expiry))
	t.shared.mu.Lock()
	defer t.shared.mu.Unlock()
	if _, taken := t.operations[id]; taken {
		cancel()
		return ErrTaken
	}
	if len(t.operations) >= MaxOperations {
		cancel()
		return ErrMany
	}
	if t.leaving {
		cancel()
		return ErrOver
	}
	op := &operation{id, cancel}
	t.operations[id] = op
	stop := context.AfterFunc(t.ctx, cancel)
	go func() {
		defer cancel()
		defer stop()
		t.run(ctx, op, responses)
	}()
	return nil
}

func (t *Stream) run(ctx context.Context, op *operation, responses func(ctx context.Context) iter.Seq[*graphql.Response]) {
	head := `{"id":` + string(answer.Encode(op.id))
	last := answer.Text("event: complete\ndata: " + head + "}\n\n")
	for response := range responses(ctx) {
		if response == answer.Reconnect || response == answer.Expired {
			if last = (answer.Message{}); response == answer.Expired {
				t.leave()
			}
			break
		}
		if !t.tell(ctx, answer.Of("event: next\ndata: "+head+`,"payload":`, response, "}\n\n")) {
			break
		}
	}
	t.complete(ctx, op, last)
}

// complete takes an operation away that has ended, and tells the last of it, unless that is empty. Its id is free when that is heard, and the stream does
// not end before.
func (t *Stream) complete(ctx context.Context, op *operation, last answer.Message) {
	t.shared.mu.Lock()
	if t.operations[op.id] == op {
		delete(t.operations, op.id)
	}
	t.ending++
	t.shared.mu.Unlock()
	if last.Len() > 0 {
		t.tell(ctx, last)
	}
	t.shared.mu.Lock()
	t.ending--
	over := (t.shared.leaving || t.leaving) && t.idle()
	t.shared.mu.Unlock()
	if over {
		t.end()
	}
}

// idle reports whether no operation runs over the stream. The caller holds Shared.mu.
func (t *Stream) idle() bool { return len(t.operations)+t.ending == 0 }

// tell reports whether an event was sent. Of an operation that was stopped nothing is told, and nothing over a stream that was cut off: what waits
// for a client that has gone would be in the way of those that wait for one that reads.
func (t *Stream) tell(ctx context.Context, message answer.Message) bool {
	if ctx.Err() != nil || t.ctx.Err() != nil {
		return false
	}
	defer t.shared.Sending.Hold(message.Len(), func() {
		t.cancel()
		go t.end()
	})()
	sent := make(chan bool, 1)
	select {
	case t.events <- event{message, sent}:
	case <-ctx.Done():
		return false
	}
	return <-sent // its write is bounded
}

// Stop ends an operation, if it runs.
func (t *Stream) Stop(id string) {
	t.shared.mu.Lock()
	op := t.operations[id]
	delete(t.operations, id)
	t.shared.mu.Unlock()
	if op != nil {
		op.cancel()
	}
}
