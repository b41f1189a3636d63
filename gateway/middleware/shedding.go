package middleware

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"twibase/graph/apierr"
	"twibase/graph/endpoint"
)

const loggedRejections = 10 // per second

func newRejectionSampler() zerolog.Sampler {
	return &zerolog.BurstSampler{Burst: loggedRejections, Period: time.Second}
}

// ShedLoad rejects requests to an overloaded endpoint before other middleware spends time on them,
// except requests with tokens, and [loggedRejections] others per second: see
// docs/FAULTS.md#overload.
func ShedLoad(e *endpoint.Endpoint) Middleware {
	return func(next http.Handler) http.Handler {
		sample := newRejectionSampler()
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "" && e.Overloaded(r) && !sample.Sample(zerolog.InfoLevel) {
				e.Reject(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// Drain rejects new requests during a shutdown. The zero value is ready. It is safe for concurrent
// use.
type Drain struct {
	mu       sync.Mutex
	draining bool
	inFlight sync.WaitGroup
}

// Handler responds with status 503 after Shutdown.
func (d *Drain) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !d.enter() {
			w.Header().Set("Connection", "close")
			(&apierr.Error{Code: apierr.CodeUnavailable, Message: "the gateway is shutting down; try again"}).Reject(w)
			return
		}
		defer d.inFlight.Done()
		next.ServeHTTP(w, r)
	})
}

// enter returns false after Shutdown. The lock prevents an Add during Wait.
func (d *Drain) enter() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.draining {
		d.inFlight.Add(1)
	}
	return !d.draining
}

// Draining returns true after Shutdown.
func (d *Drain) Draining() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.draining
}

// Shutdown rejects new requests, calls release to end long ones, and waits for the others until ctx
// is done.
func (d *Drain) Shutdown(ctx context.Context, release func(context.Context)) {
	d.mu.Lock()
	d.draining = true
	d.mu.Unlock()
	release(ctx)
	done := make(chan struct{})
	go func() {
		d.inFlight.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}
