package middleware

import (
	"bytes"
	"net/http"
	"strconv"
	"sync"
	"time"

	"twibase/graph/endpoint/inflight"
)

// maxPooledBuffer bounds the buffers that are used again. Larger ones are left to the garbage collector.
const maxPooledBuffer = 1 << 20

// buffer keeps the response of next in memory until next has returned, and then sends it. A slow reader then
// holds these bytes, which inFlight limits, and not what made them: a compressor takes more. Buffers are pooled:
// see BenchmarkBuffer.
func buffer(inFlight *inflight.Bytes, next http.Handler) http.Handler {
	pool := &sync.Pool{New: func() any { return new(bytes.Buffer) }}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := pool.Get().(*bytes.Buffer)
		defer func() {
			if body.Cap() <= maxPooledBuffer {
				body.Reset()
				pool.Put(body)
			}
		}()
		response := &bufferedWriter{ResponseWriter: w, body: body, status: http.StatusOK}
		next.ServeHTTP(response, r)
		if n := body.Len(); n > 0 {
			w.Header().Set("Content-Length", strconv.Itoa(n))
			closeNow := func() { _ = http.NewResponseController(w).SetWriteDeadline(time.Now()) }
			defer inFlight.Hold(n, closeNow)()
		}
		w.WriteHeader(response.status)
		_, _ = w.Write(body.Bytes()) // an error means that the client is gone
	})
}

// bufferedWriter writes into a buffer.
type bufferedWriter struct {
	http.ResponseWriter
	status int
	body   *bytes.Buffer
}

// WriteHeader implements [http.ResponseWriter].
func (w *bufferedWriter) WriteHeader(status int) { w.status = status }

// Write implements [http.ResponseWriter].
func (w *bufferedWriter) Write(text []byte) (int, error) { return w.body.Write(text) }

// Unwrap gives [http.ResponseController] access to the connection.
func (w *bufferedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
