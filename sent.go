package main

import (
	"bytes"
	"net/http"
	"strconv"
	"sync"
	"time"

	"twibase/graph/endpoint/backlog"
)

// maxBacklog is how many bytes of answers may wait for those who read them, and as many of requests for the rest of them. Beyond that the slowest are
// cut off.
const maxBacklog = 64 << 20

// sent sends what next has answered when next has returned: a slow reader keeps these bytes waiting and nothing of what made them, such as the
// encoder that compressed them, which takes more.
func sent(held *backlog.Backlog, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &keptWriter{ResponseWriter: w, body: bodies.Get().(*bytes.Buffer), status: http.StatusOK}
		defer answer.release()
		next.ServeHTTP(answer, r)
		if n := answer.body.Len(); n > 0 {
			w.Header().Set("Content-Length", strconv.Itoa(n))
			defer held.Hold(n, func() { _ = http.NewResponseController(w).SetWriteDeadline(time.Now()) })()
		}
		w.WriteHeader(answer.status)
		_, _ = w.Write(answer.body.Bytes()) // a client that has gone needs no answer
	})
}

// keptWriter keeps an answer.
type keptWriter struct {
	http.ResponseWriter
	status int
	body   *bytes.Buffer
}

// WriteHeader implements [http.ResponseWriter].
func (w *keptWriter) WriteHeader(status int) { w.status = status }

// Write implements [http.ResponseWriter].
func (w *keptWriter) Write(text []byte) (int, error) { return w.body.Write(text) }

// Unwrap lets [http.ResponseController] reach what the writer can do besides.
func (w *keptWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// bodies are buffers for answers. Great ones are left to the garbage collector.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const maxKept = 1 << 20

func (w *keptWriter) release() {
	if w.body.Cap() <= maxKept {
		w.body.Reset()
		bodies.Put(w.body)
	}
}
