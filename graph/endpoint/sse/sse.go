// Package sse sends the responses of operations as server-sent events, as the protocol GraphQL over SSE has it: each operation over a connection
// of its own, or many over one.
//
// The protocol is that of https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md.
package sse

import (
	"context"
	"iter"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/endpoint/answer"
	"twibase/graph/endpoint/inflight"
)

// The times of a stream.
const (
	// Heartbeat is how often a comment is sent when nothing else is, so that nobody between takes the stream for dead.
	Heartbeat = 12 * time.Second
	// writeTimeout is how long a reader may take for one event; a slower one is cut off.
	writeTimeout = 10 * time.Second
)

// MediaType is that of a stream of events.
const MediaType = "text/event-stream"

var (
	comment   = answer.Text(":\n\n")
	completed = answer.Text("event: complete\ndata:\n\n")
)

// Serve answers a request with the events of responses, until there is none any more, the client goes, or ctx is done. It completes the
// operation unless the last response is [answer.Reconnect] or [answer.Expired]: a client asks again for a stream that ends without completion.
func Serve(ctx context.Context, w http.ResponseWriter, held *inflight.Bytes, responses func(ctx context.Context) iter.Seq[*graphql.Response]) {
	ctx, cancel := context.WithCancel(ctx)
	s := begin(w, held)
	events, sent := make(chan *graphql.Response), make(chan struct{}, 1)
	go func() {
		defer close(events)
		for response := range responses(ctx) {
			select {
			case events <- response:
			case <-ctx.Done():
				return
			}
			select {
			case <-sent: // a response that was not sent is not the one before the next
			case <-ctx.Done():
				return
			}
		}
	}()
	defer func() {
		cancel()
		for range events { // until the operation has ended
		}
	}()
	if !s.send(comment) {
		return
	}
	beat := time.NewTicker(Heartbeat)
	defer beat.Stop()
	for {
		select {
		case response, ok := <-events:
			if !ok {
				s.send(completed)
				return
			}
			if response == answer.Reconnect || response == answer.Expired {
				return
			}
			if !s.send(answer.Of("event: next\ndata: ", response, "\n\n")) {
				return
			}
			sent <- struct{}{}
			beat.Reset(Heartbeat)
		case <-beat.C:
			if !s.send(comment) {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	held    *inflight.Bytes
}

// begin sends the head of an answer.
func begin(w http.ResponseWriter, held *inflight.Bytes) *stream {
	s := &stream{w: w, control: http.NewResponseController(w), held: held}
	w.Header().Set("Content-Type", MediaType+"; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would keep events back
	w.WriteHeader(http.StatusOK)
	_ = s.control.SetReadDeadline(time.Time{}) // the request has been read; a deadline for it would end the stream
	return s
}

// send reports whether an event or a comment went out. An event is one line of data, as JSON has no line breaks.
func (s *stream) send(event answer.Message) bool {
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	defer s.held.Hold(event.Len(), func() { _ = s.control.SetWriteDeadline(time.Now()) })()
	return event.Write(s.w) == nil && s.control.Flush() == nil
}
