// Package sse implements GraphQL over SSE
// (https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md).
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

const (
	// heartbeat keeps proxies from closing idle streams.
	heartbeat = 12 * time.Second
	// writeTimeout bounds the write of one event. Slower streams are closed.
	writeTimeout = 10 * time.Second
)

// MediaType is that of server-sent events.
const MediaType = "text/event-stream"

// Responses runs an operation until its responses end or ctx is done.
type Responses = func(ctx context.Context) iter.Seq[*graphql.Response]

var (
	comment   = []byte(":\n\n")
	completed = []byte("event: complete\ndata:\n\n")
)

// Serve sends responses as events until they end, the client is gone, or ctx is done. After the
// last response it sends the complete event, except after [transport.Reconnect] or
// [transport.Expired].
func Serve(ctx context.Context, w http.ResponseWriter, sending *inflight.Bytes, responses Responses) {
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

// feed passes events from operations to the handler, which writes them.
type feed chan event

// written receives whether text was written.
type event struct {
	text    []byte
	written chan<- bool
}

func (f feed) send(ctx context.Context, text []byte) bool {
	written := make(chan bool, 1)
	select {
	case f <- event{text, written}:
		return <-written
	case <-ctx.Done():
		return false
	}
}

func (f feed) write(ctx context.Context, w http.ResponseWriter, sending *inflight.Bytes) {
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", MediaType+"; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would buffer events
	w.WriteHeader(http.StatusOK)
	_ = control.SetReadDeadline(time.Time{}) // the request was read; its deadline would end the stream
	// JSON has no line breaks, so an event is one line of data.
	send := func(text []byte) bool {
		_ = control.SetWriteDeadline(time.Now().Add(writeTimeout))
		defer sending.Add(len(text), func() { _ = control.SetWriteDeadline(time.Now()) })()
		_, err := w.Write(text)
		return err == nil && control.Flush() == nil
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for sent := send(comment); sent; {
		select {
		case event := <-f:
			sent = send(event.text)
			event.written <- sent
			beat.Reset(heartbeat)
		case <-beat.C:
			sent = send(comment)
		case <-ctx.Done():
			return
		}
	}
}
