// Package middleware wraps HTTP handlers. It knows nothing of GraphQL fields.
package middleware

import (
	"net/http"
	"slices"
)

// Middleware returns a handler that calls next or responds itself.
type Middleware = func(next http.Handler) http.Handler

// Chain wraps a handler in middleware, the first outermost.
func Chain(handler http.Handler, list ...Middleware) http.Handler {
	for _, wrap := range slices.Backward(list) {
		handler = wrap(handler)
	}
	return handler
}

// SecurityHeaders makes browsers believe the Content-Type, and neither frame nor run a response.
// The IDE replaces the policy.
func SecurityHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		w.Header().Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}
