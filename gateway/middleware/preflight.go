package middleware

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// requestHeadersField lists the header names of the request after a preflight.
const requestHeadersField = "Access-Control-Request-Headers"

// preflightBound limits the header names of one preflight. Preflights come before load shedding, and with
// HTTP/2 header compression a hundred bytes can repeat 60 KB of names: without a limit each costs 10 ms.
type preflightBound struct{ bytes, names int }

// newPreflightBound returns a limit that has room for corsHeaders and for these headers.
func newPreflightBound(headers []string) preflightBound {
	return preflightBound{bytes: 2<<10 + len(strings.Join(headers, ", ")), names: 64 + len(headers)}
}

// holds reports whether a preflight is within the limit. It splits nothing and does not allocate.
func (b preflightBound) holds(r *http.Request) bool {
	for _, value := range r.Header.Values(requestHeadersField) {
		if b.bytes -= len(value); b.bytes < 0 {
			return false
		}
		if b.names -= 1 + strings.Count(value, ","); b.names < 0 {
			return false
		}
	}
	return true
}

// isPreflight reports whether a browser asks if a page may send a request.
func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Origin") != "" &&
		r.Header.Get("Access-Control-Request-Method") != ""
}

// requestedHeaders returns the header names of the request after a preflight: in lower case, sorted, each
// once.
func requestedHeaders(r *http.Request) (names []string) {
	for _, value := range r.Header.Values(requestHeadersField) {
		for name := range strings.SplitSeq(value, ",") {
			if name = strings.ToLower(strings.TrimSpace(name)); name != "" {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// withRequestedHeaders returns a preflight with the result of requestedHeaders, as browsers send it. The
// library refuses any other form, which proxies and other clients may send.
func withRequestedHeaders(r *http.Request, names []string) *http.Request {
	if len(names) == 0 {
		return r
	}
	ordered := *r
	ordered.Header = maps.Clone(r.Header)
	ordered.Header.Set(requestHeadersField, strings.Join(names, ","))
	return &ordered
}
