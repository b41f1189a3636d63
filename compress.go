package main

import (
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"

	"twibase/graph/endpoint/backlog"
	"twibase/graph/endpoint/sse"
)

// compressible is how many bytes an answer has at least that is compressed: below, the time is worth more.
const compressible = 4 << 10

// compressed compresses longer answers for clients that take gzip or zstd, and sends them from held. What is sent event by event is left as it is, and
// so are WebSockets.
func compressed(held *backlog.Backlog, next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(compressible), gzhttp.EnableZstd(true), gzhttp.PreferZstd(true),
		gzhttp.ContentTypes([]string{"application/json", "application/graphql-response+json", "text/plain"}))
	if err != nil {
		panic(err) // of options that contradict each other
	}
	short := sent(held, wrap(next))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "" || strings.Contains(r.Header.Get("Accept"), sse.MediaType) {
			next.ServeHTTP(w, r)
			return
		}
		short.ServeHTTP(w, r)
	})
}
