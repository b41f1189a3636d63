// Package middleware wraps HTTP handlers.
package middleware

import (
	"net/http"
	"slices"
)

// Middleware returns a handler that calls next or responds itself.
type Middleware = func(next http.Handler) http.Handler

// Chain wraps handler in middleware, the first one outermost.
func Chain(handler http.Handler, list ...Middleware) http.Handler {
	for _, wrap := range slices.Backward(list) {
		handler = wrap(handler)
	}
	return handler
}

// SecurityHeaders forbids content sniffing, scripts and framing. The IDE has its own
// Content-Security-Policy.
func SecurityHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		w.Header().Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}
