// Package sse implements GraphQL over SSE (https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md): each operation
// has a stream of its own, or many share one.
package sse

import (
	"context"
	"iter"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/endpoint/inflight"
	"twibase/graph/endpoint/transport"
)

// The times of a stream.
const (
	// Heartbeat is the time after the last event until a comment is sent, so that no proxy closes an idle stream.
	Heartbeat = 12 * time.Second
	// writeTimeout bounds the write of one event. The stream of a slower reader is closed.
	writeTimeout = 10 * time.Second
)

// MediaType is the media type of server-sent events.
const MediaType = "text/event-stream"

var (
	comment   = []byte(":\n\n")
	completed = []byte("event: complete\ndata:\n\n")
)

// Serve answers a request with the events of responses, until there are no more, the client is gone, or ctx is done. It
// completes the operation unless the last response is [transport.Reconnect] or [transport.Expired]: a client repeats an
// operation whose stream ends without completion. It returns when the operation has ended.
func Serve(
	ctx context.Context, w http.ResponseWriter, sending *inflight.Bytes,
	responses func(ctx context.Context) iter.Seq[*graphql.Response],
) {
	ctx, cancel := context.WithCancel(ctx)
	events := make(feed)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer cancel()
		for response := range responses(ctx) {
			if response == transport.Reconnect || response == transport.Expired ||
				!events.send(ctx, transport.Message("event: next\ndata: ", response, "\n\n")) {
				return
			}
		}
		events.send(ctx, completed)
	}()
	events.write(ctx, w, sending)
	cancel()
	<-ended
}

// feed passes events from operations to the goroutine that writes them.
type feed chan event

// event is an event to write. written receives whether that succeeded.
type event struct {
	text    []byte
	written chan<- bool
}

// send reports whether an event was written. It gives up when ctx is done.
func (f feed) send(ctx context.Context, text []byte) bool {
	written := make(chan bool, 1)
	select {
	case f <- event{text, written}:
		return <-written // the write has a timeout
	case <-ctx.Done():
		return false
	}
}

// write answers a request with events and heartbeats until ctx is done or the client is gone.
func (f feed) write(ctx context.Context, w http.ResponseWriter, sending *inflight.Bytes) {
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", MediaType+"; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would keep events back
	w.WriteHeader(http.StatusOK)
	_ = control.SetReadDeadline(time.Time{}) // the request has been read; a deadline for it would end the stream
	// An event is one line of data, because JSON has no line breaks.
	send := func(text []byte) bool {
		_ = control.SetWriteDeadline(time.Now().Add(writeTimeout))
		defer sending.Hold(len(text), func() { _ = control.SetWriteDeadline(time.Now()) })()
		_, err := w.Write(text)
		return err == nil && control.Flush() == nil
	}
	beat := time.NewTicker(Heartbeat)
	defer beat.Stop()
	for sent := send(comment); sent; {
		select {
		case event := <-f:
			sent = send(event.text)
			event.written <- sent
			beat.Reset(Heartbeat)
		case <-beat.C:
			sent = send(comment)
		case <-ctx.Done():
			return
		}
	}
}
