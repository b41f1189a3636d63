package middleware

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"twibase/graph/endpoint/inflight"
	"twibase/graph/endpoint/sse"
)

const minCompressed = 4 << 10 // bytes

// Compress buffers responses within the limit of inFlight, and compresses larger ones with gzip. It
// skips server-sent events and WebSockets.
func Compress(inFlight *inflight.Bytes) Middleware {
	compress, err := gzhttp.NewWrapper(gzhttp.MinSize(minCompressed), gzhttp.EnableZstd(false),
		gzhttp.ContentTypes([]string{"application/json", "application/graphql-response+json", "text/plain"}))
	if err != nil {
		panic(err)
	}
	return func(next http.Handler) http.Handler {
		compressed := buffer(inFlight, compress(next))
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			accept := strings.ToLower(strings.Join(r.Header.Values("Accept"), ","))
			if r.Header.Get("Upgrade") != "" || strings.Contains(accept, sse.MediaType) {
				next.ServeHTTP(w, r)
				return
			}
			compressed.ServeHTTP(w, r)
		})
	}
}

const maxPooledBuffer = 1 << 20 // bytes

// buffer sends the response when next has returned. While a slow client reads it, next holds no
// compressor, and inFlight limits the memory. BenchmarkBuffer measures the cost.
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
		_, _ = w.Write(body.Bytes())
	})
}

type bufferedWriter struct {
	http.ResponseWriter
	status int
	body   *bytes.Buffer
}

// WriteHeader delays the status to the body.
func (w *bufferedWriter) WriteHeader(status int) { w.status = status }

func (w *bufferedWriter) Write(text []byte) (int, error) { return w.body.Write(text) }

func (w *bufferedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
