// Package middleware wraps HTTP handlers. It knows requests and responses, and nothing of GraphQL fields.
package middleware

import (
	"net/http"
	"slices"
)

// Middleware returns a handler that calls next, or answers instead of it.
type Middleware = func(next http.Handler) http.Handler

// Chain wraps a handler in middleware. The first is the outermost: it sees a request first and its response
// last.
func Chain(handler http.Handler, list ...Middleware) http.Handler {
	for _, wrap := range slices.Backward(list) {
		handler = wrap(handler)
	}
	return handler
}

// SecurityHeaders sets headers on every response, so that a browser believes its Content-Type, shows it in no
// frame, and runs nothing in it. The IDE, which is a page, replaces the policy by its own.
func SecurityHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		w.Header().Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}
