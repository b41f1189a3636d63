package middleware

import (
	"bytes"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"twibase/graph/endpoint/inflight"
	"twibase/graph/endpoint/sse"
	"twibase/graph/endpoint/websocket"
)

const minCompressed = 4 << 10 // bytes

// compressionLevel takes about half the CPU time of the default, 5, for 4 % longer responses
// (BenchmarkCompressionLevel).
const compressionLevel = 2

// Compress buffers responses, and compresses those of at least minCompressed with gzip, but not for
// clients that accept server-sent events. It passes on WebSockets and events unchanged. inFlight
// counts the bytes of responses being sent.
func Compress(inFlight *inflight.Bytes) Middleware {
	compress, err := gzhttp.NewWrapper(
		gzhttp.MinSize(minCompressed), gzhttp.CompressionLevel(compressionLevel), gzhttp.EnableZstd(false),
		gzhttp.ContentTypes([]string{"application/json", "application/graphql-response+json", "text/plain"}))
	if err != nil {
		panic(err)
	}
	return func(next http.Handler) http.Handler {
		uncompressed, compressed := buffer(inFlight, next), buffer(inFlight, compress(yield(next)))
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			accept := strings.ToLower(strings.Join(r.Header.Values("Accept"), ","))
			switch {
			case websocket.IsHandshake(r):
				next.ServeHTTP(w, r)
			case strings.Contains(accept, sse.MediaType):
				uncompressed.ServeHTTP(w, r)
			default:
				compressed.ServeHTTP(w, r)
			}
		})
	}
}

const compressedPart = 64 << 10 // bytes

// yield lets other goroutines run during a long compression, which Go preempts only after 10 ms.
func yield(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Written in parts, an uncompressed response would make the buffer grow in steps.
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w = yieldingWriter{w}
		}
		next.ServeHTTP(w, r)
	})
}

type yieldingWriter struct{ http.ResponseWriter }

func (w yieldingWriter) Write(text []byte) (written int, err error) {
	for part := range slices.Chunk(text, compressedPart) {
		n, err := w.ResponseWriter.Write(part)
		if written += n; err != nil {
			return written, err
		}
		if len(part) == compressedPart {
			runtime.Gosched()
		}
	}
	return written, nil
}

func (w yieldingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

const maxPooledBuffer = 1 << 20 // bytes

// buffer sends a response after next has returned, so that a slow client holds no compressor.
// Server-sent events are sent immediately.
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
		if response.events {
			return
		}
		if n := body.Len(); n > 0 {
			w.Header().Set("Content-Length", strconv.Itoa(n))
			closeNow := func() { _ = http.NewResponseController(w).SetWriteDeadline(time.Now()) }
			defer inFlight.Add(n, closeNow)()
		}
		w.WriteHeader(response.status)
		_, _ = w.Write(body.Bytes())
	})
}

type bufferedWriter struct {
	http.ResponseWriter
	status int
	body   *bytes.Buffer
	events bool
}

// WriteHeader defers the status, unless events follow.
func (w *bufferedWriter) WriteHeader(status int) {
	w.status = status
	if w.events = strings.HasPrefix(w.Header().Get("Content-Type"), sse.MediaType); w.events {
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *bufferedWriter) Write(text []byte) (int, error) {
	if w.events {
		return w.ResponseWriter.Write(text)
	}
	return w.body.Write(text)
}

func (w *bufferedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
