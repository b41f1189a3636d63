package middleware

import (
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"twibase/graph/endpoint"
)

// loggedRejections is how many rejected requests are logged per second: an overload brings many, and leaves
// no time to write them. The metrics count all of them.
const loggedRejections = 10

func newRejectionSampler() zerolog.Sampler {
	return &zerolog.BurstSampler{Burst: loggedRejections, Period: time.Second}
}

// ShedLoad rejects requests while the endpoint is overloaded, before the rest of the middleware spends time on
// them. A few per second pass, so that the request log shows rejections; the endpoint rejects these.
func ShedLoad(e *endpoint.Endpoint) Middleware {
	return func(next http.Handler) http.Handler {
		sample := newRejectionSampler()
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if e.Overloaded(r) && !sample.Sample(zerolog.InfoLevel) {
				e.Reject(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}
