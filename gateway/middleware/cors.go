package middleware

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
	"twibase/graph/endpoint/transport"
	"twibase/graph/explain"
	"twibase/graph/report"
)

const preflightAge = 2 * time.Hour

func corsHeaders() []string {
	return slices.Concat([]string{"content-type", "authorization", report.Header, explain.Header, sse.TokenHeader,
		"traceparent", "tracestate", "baggage", "sentry-trace", "x-request-id",
		"apollo-require-preflight", "x-apollo-operation-name"}, transport.ClientHeaders())
}

const exposedHeaders = "X-Request-Id, Retry-After"

// CORS lets pages of the origins send corsHeaders and the given headers, and read all responses,
// including errors. It allows no credentials, because cookies are not used, and forbids caching.
func CORS(origins, headers []string) Middleware {
	if len(origins) == 0 {
		return noStore
	}
	protocol := cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete},
		AllowedHeaders: slices.Concat(corsHeaders(), headers),
		ExposedHeaders: strings.Split(exposedHeaders, ", "),
		MaxAge:         int(preflightAge.Seconds()),
	})
	return func(next http.Handler) http.Handler {
		next = protocol.Handler(noStore(next))
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if protocol.OriginAllowed(r) {
				// The library omits these headers in a rejection.
				w.Header().Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
				w.Header().Set("Access-Control-Expose-Headers", exposedHeaders)
			}
			next.ServeHTTP(w, r)
		})
	}
}

func noStore(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// CheckOrigins accepts http:// or https:// with a host and an optional port. Its error omits a user
// and password.
func CheckOrigins(origins []string) error {
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
			origin != u.Scheme+"://"+u.Host || strings.Contains(u.Host, "*") {
			if at := strings.LastIndexByte(origin, '@'); at >= 0 {
				origin = "…" + origin[at:]
			}
			return fmt.Errorf("--cors: %q is not an origin: write a scheme and a host, as in https://example.org, "+
				"and a port if there is one", origin)
		}
	}
	return nil
}

// CheckCORSHeaders rejects invalid names, and also *, because it would allow all headers. Without
// origins it rejects all names.
func CheckCORSHeaders(origins, names []string) error {
	for _, name := range names {
		if !httpguts.ValidHeaderFieldName(name) || strings.Contains(name, "*") {
			return fmt.Errorf("--cors-headers: %q is not a header name: write names as in X-Tenant,X-Trace, "+
				"without blanks and without *", name)
		}
	}
	if len(names) > 0 && len(origins) == 0 {
		return errors.New("--cors-headers: it needs --cors: without it, no page of another origin may send requests")
	}
	return nil
}
