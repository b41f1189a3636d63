package main

import "net/http"

// guarded sets the headers that every answer has: a browser takes it for what it is called, shows it in no page of others, and runs nothing in it.
// The IDE, which is a page, has a policy of its own.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		w.Header().Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}
