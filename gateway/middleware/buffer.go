package middleware

import (
	"bytes"
	"net/http"
	"strconv"
	"time"

	"twibase/graph/endpoint/inflight"
)

// buffer keeps the response of next in memory until next has returned, and then sends it. A slow reader then
// holds these bytes, which inFlight limits, and not what made them: a compressor takes more.
func buffer(inFlight *inflight.Bytes, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		response := &bufferedWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(response, r)
		if n := response.body.Len(); n > 0 {
			w.Header().Set("Content-Length", strconv.Itoa(n))
			closeNow := func() { _ = http.NewResponseController(w).SetWriteDeadline(time.Now()) }
			defer inFlight.Hold(n, closeNow)()
		}
		w.WriteHeader(response.status)
		_, _ = w.Write(response.body.Bytes()) // an error means that the client is gone
	})
}

// bufferedWriter writes into a buffer.
type bufferedWriter struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// WriteHeader implements [http.ResponseWriter].
func (w *bufferedWriter) WriteHeader(status int) { w.status = status }

// Write implements [http.ResponseWriter].
func (w *bufferedWriter) Write(text []byte) (int, error) { return w.body.Write(text) }

// Unwrap gives [http.ResponseController] access to the connection.
func (w *bufferedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
