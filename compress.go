package main

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzhttp"

	"twibase/graph/endpoint/backlog"
	"twibase/graph/endpoint/sse"
)

// compressible is how many bytes an answer has at least that is compressed: below, the time is worth more.
const compressible = 4 << 10

// compressed compresses longer answers with gzip, or zstd if [prefersZstd], and sends them from held. Streams of
// events and WebSockets are not compressed.
func compressed(held *backlog.Backlog, next http.Handler) http.Handler {
	withGzip, withZstd := sent(held, compressor(false)(next)), sent(held, compressor(true)(next))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Upgrade") != "" || strings.Contains(r.Header.Get("Accept"), sse.MediaType):
			next.ServeHTTP(w, r)
		case prefersZstd(r.Header.Values("Accept-Encoding")):
			withZstd.ServeHTTP(w, r)
		default:
			withGzip.ServeHTTP(w, r)
		}
	})
}

func compressor(zstd bool) func(http.Handler) http.HandlerFunc {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(compressible), gzhttp.EnableGzip(!zstd), gzhttp.EnableZstd(zstd),
		gzhttp.ContentTypes([]string{"application/json", "application/graphql-response+json", "text/plain"}))
	if err != nil {
		panic(err) // of options that contradict each other
	}
	return wrap
}

// prefersZstd reports whether zstd is the first choice of the Accept-Encoding headers, by q and then by order,
// or they offer it and not gzip. Some libraries offer zstd after gzip and can't decode it.
func prefersZstd(accept []string) bool {
	first, best := "", 0.0
	offered := map[string]bool{}
	for coding := range strings.SplitSeq(strings.ToLower(strings.Join(accept, ",")), ",") {
		name, parameters, _ := strings.Cut(coding, ";")
		name = strings.TrimSpace(name)
		q := 1.0
		if weight, given := strings.CutPrefix(strings.TrimSpace(parameters), "q="); given {
			q, _ = strconv.ParseFloat(strings.TrimSpace(weight), 64) // a malformed weight is 0, a refusal
		}
		if offered[name] = q > 0; q > best {
			first, best = name, q
		}
	}
	gzip, named := offered["gzip"]
	return offered["zstd"] && (first == "zstd" || !gzip && (named || !offered["*"]))
}
