package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/rs/cors"
	"golang.org/x/net/http/httpguts"

	"twibase/graph/endpoint/sse"
	"twibase/graph/explain"
	"twibase/graph/report"
)

// preflightAge is how long a browser may cache the response to a preflight.
const preflightAge = 2 * time.Hour

// corsHeaders are the request headers that pages of listed origins may send in any case: the server's own,
// those of tracing, and those of GraphQL clients.
var corsHeaders = []string{"content-type", "authorization", report.Header, explain.Header, sse.TokenHeader,
	"traceparent", "tracestate", "baggage", "sentry-trace", "x-request-id",
	"apollographql-client-name", "apollographql-client-version", "apollo-require-preflight", "x-apollo-operation-name",
	"graphql-client-name", "graphql-client-version"}

// exposedHeaders are the response headers that a page may read.
const exposedHeaders = "X-Request-Id, Retry-After"

// shared lets pages of these origins call next and read every response, errors included. Their requests may
// have corsHeaders and the further headers. Cookies are not credentials, so credentials are not allowed. No
// response is cached by proxies.
func shared(origins, headers []string, next http.Handler) http.Handler {
	uncached := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
	if len(origins) == 0 {
		return uncached
	}
	allowed := slices.Concat(corsHeaders, headers)
	for i, name := range allowed {
		allowed[i] = strings.ToLower(name)
	}
	listed := func(origin string) bool {
		return slices.ContainsFunc(origins, func(o string) bool { return strings.EqualFold(o, origin) })
	}
	protocol := cors.New(cors.Options{
		AllowOriginFunc: listed,
		AllowedMethods:  []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete},
		AllowedHeaders:  allowed,
		ExposedHeaders:  strings.Split(exposedHeaders, ", "),
		MaxAge:          int(preflightAge.Seconds()),
	}).Handler(uncached)
	bound, refused := newPreflightBound(headers), newRefusedPreflights(listed, allowed)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if origin := r.Header.Get("Origin"); listed(origin) {
			// The library omits these when it refuses a header or a method.
			w.Header().Set("Access-Control-Allow-Origin", origin)
			w.Header().Set("Access-Control-Expose-Headers", exposedHeaders)
		}
		if !isPreflight(r) {
			protocol.ServeHTTP(w, r)
			return
		}
		if !bound.holds(r) {
			w.Header().Set("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
			w.WriteHeader(http.StatusNoContent)
			refused.logLong(r)
			return
		}
		names := requestedHeaders(r)
		protocol.ServeHTTP(w, withRequestedHeaders(r, names))
		if w.Header().Get("Access-Control-Allow-Methods") == "" {
			refused.log(r, names)
		}
	})
}

// checkOrigins refuses values that no browser sends as an origin.
func checkOrigins(origins []string) error {
	for _, origin := range origins {
		if u, err := url.Parse(origin); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || origin != u.Scheme+"://"+u.Host || strings.Contains(u.Host, "*") {
			return fmt.Errorf("%q is no origin: write a scheme and a host, as in https://example.org, and a port if there is one", origin)
		}
	}
	return nil
}

// checkHeaders refuses invalid header names. It refuses * too, which would allow every header.
func checkHeaders(origins, names []string) error {
	for _, name := range names {
		if !httpguts.ValidHeaderFieldName(name) || strings.Contains(name, "*") {
			return fmt.Errorf("%q is not a header name: write names as in X-Tenant,X-Trace, without blanks and without *", name)
		}
	}
	if len(names) > 0 && len(origins) == 0 {
		return errors.New("it needs --cors: without a listed origin no page may send any header")
	}
	return nil
}
