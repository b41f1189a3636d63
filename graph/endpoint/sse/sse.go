// Package sse sends the responses of an operation as server-sent events: the distinct connections
// mode of https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md.
package sse

import (
	"context"
	"iter"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/endpoint/inflight"
	"twibase/graph/endpoint/transport"
)

const (
	// Heartbeat is the time after the last event until a comment is sent, for proxies that close idle
	// streams.
	Heartbeat = 12 * time.Second
	// writeTimeout bounds the write of one event. Slower streams are closed.
	writeTimeout = 10 * time.Second
)

// MediaType is the media type of server-sent events.
const MediaType = "text/event-stream"

var (
	comment   = []byte(":\n\n")
	completed = []byte("event: complete\ndata:\n\n")
)

// Serve sends the responses of an operation until they end, the client is gone, or ctx is done. It
// completes the operation unless the last response is [transport.Reconnect] or [transport.Expired].
// Clients repeat operations without completion.
func Serve(ctx context.Context, w http.ResponseWriter, sending *inflight.Bytes,
	responses func(ctx context.Context) iter.Seq[*graphql.Response]) {
	s := &stream{
		sending: sending, beats: time.NewTicker(Heartbeat),
		writing: make(chan struct{}, 1), w: w, control: http.NewResponseController(w),
	}
	defer s.beats.Stop()
	w.Header().Set("Content-Type", MediaType+"; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would buffer events
	w.WriteHeader(http.StatusOK)
	_ = s.control.SetReadDeadline(time.Time{}) // the request was read; its deadline would end the stream
	ctx, cancel := context.WithCancel(ctx)
	var beating sync.WaitGroup
	beating.Go(func() {
		s.beat(ctx)
		cancel()
	})
	defer beating.Wait()
	defer cancel()
	for response := range responses(ctx) {
		// JSON has no line breaks, so an event is one line of data.
		if response == transport.Reconnect || response == transport.Expired || ctx.Err() != nil ||
			!s.send(transport.Message("event: next\ndata: ", response, "\n\n")) {
			return
		}
	}
	if ctx.Err() == nil {
		s.send(completed)
	}
}

type stream struct {
	sending *inflight.Bytes
	beats   *time.Ticker

	writing chan struct{} // a semaphore for the fields below
	w       http.ResponseWriter
	control *http.ResponseController
	opened  bool
}

// beat opens the stream, and sends comments until one fails or ctx is done.
func (s *stream) beat(ctx context.Context) {
	for sent := s.send(nil); sent; {
		select {
		case <-s.beats.C:
			sent = s.send(comment)
		case <-ctx.Done():
			return
		}
	}
}

// send reports whether an event was sent. Before the first event it sends a comment, because
// browsers do not open a stream that has only sent its header.
func (s *stream) send(event []byte) bool {
	s.writing <- struct{}{}
	defer func() { <-s.writing }()
	if !s.opened {
		event, s.opened = slices.Concat(comment, event), true
	}
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	defer s.sending.Hold(len(event), func() { _ = s.control.SetWriteDeadline(time.Now()) })()
	s.beats.Reset(Heartbeat)
	_, err := s.w.Write(event)
	return err == nil && s.control.Flush() == nil
}
