package middleware

import (
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"

	"twibase/graph/endpoint/inflight"
	"twibase/graph/endpoint/sse"
)

// minCompressed is the smallest body that is compressed, in bytes. Below it compression costs more time than it
// saves.
const minCompressed = 4 << 10

// Compress compresses longer responses with gzip. It buffers responses, and sends them within the limit of
// inFlight. It does neither for server-sent events and WebSockets.
func Compress(inFlight *inflight.Bytes) Middleware {
	compress, err := gzhttp.NewWrapper(gzhttp.MinSize(minCompressed), gzhttp.EnableZstd(false),
		gzhttp.ContentTypes([]string{"application/json", "application/graphql-response+json", "text/plain"}))
	if err != nil {
		panic(err) // the options contradict each other
	}
	return func(next http.Handler) http.Handler {
		compressed := buffer(inFlight, compress(next))
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Upgrade") != "" || strings.Contains(r.Header.Get("Accept"), sse.MediaType) {
				next.ServeHTTP(w, r)
				return
			}
			compressed.ServeHTTP(w, r)
		})
	}
}
