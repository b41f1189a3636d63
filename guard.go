package main

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/rs/cors"
	"twibase/graph/endpoint/sse"
	"twibase/graph/explain"
	"twibase/graph/report"
)

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

// preflightAge is how long a browser need not ask again whether it may.
const preflightAge = 2 * time.Hour

// shared lets pages of these origins read the answers of next, and those of no other. Cookies are of no use, so that they are not sent. What is answered
// to a token is kept by nobody on its way.
func shared(origins []string, next http.Handler) http.Handler {
	uncached := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
	if len(origins) == 0 {
		return uncached
	}
	return cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete},
		AllowedHeaders: []string{"Content-Type", "Authorization", report.Header, explain.Header, sse.TokenHeader},
		ExposedHeaders: []string{"X-Request-Id", "Retry-After"},
		MaxAge:         int(preflightAge.Seconds()),
	}).Handler(uncached)
}

// checkOrigins refuses what no browser calls an origin.
func checkOrigins(origins []string) error {
	for _, origin := range origins {
		if u, err := url.Parse(origin); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || origin != u.Scheme+"://"+u.Host || strings.Contains(u.Host, "*") {
			return fmt.Errorf("%q is no origin: write a scheme and a host, as in https://example.org, and a port if there is one", origin)
		}
	}
	return nil
}
