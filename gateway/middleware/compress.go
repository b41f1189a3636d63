package middleware

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzhttp"

	"twibase/graph/endpoint/inflight"
	"twibase/graph/endpoint/sse"
)

// minCompressed is the smallest body that is compressed, in bytes. Below it compression costs more time than it
// saves.
const minCompressed = 4 << 10

// Compress compresses longer responses with gzip, or with zstd if [prefersZstd]. It buffers responses, and
// sends them within the limit of inFlight. It does neither for server-sent events and WebSockets.
func Compress(inFlight *inflight.Bytes) Middleware {
	buffered := buffer(inFlight)
	return func(next http.Handler) http.Handler {
		withGzip, withZstd := Chain(next, buffered, compressor(false)), Chain(next, buffered, compressor(true))
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
}

func compressor(zstd bool) Middleware {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(minCompressed), gzhttp.EnableGzip(!zstd), gzhttp.EnableZstd(zstd),
		gzhttp.ContentTypes([]string{"application/json", "application/graphql-response+json", "text/plain"}))
	if err != nil {
		panic(err) // the options contradict each other
	}
	return func(next http.Handler) http.Handler { return wrap(next) }
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
