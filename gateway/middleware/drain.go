package middleware

import (
	"context"
	"net/http"
	"sync"

	"twibase/graph/apierr"
)

// Drain lets in-flight requests end when a server shuts down, and rejects new ones. The zero value is ready to
// use. It is safe for concurrent use.
type Drain struct {
	mu       sync.Mutex
	draining bool
	inFlight sync.WaitGroup
}

// Handler counts in-flight requests. It rejects requests with status 503 after Shutdown was called.
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

// enter adds a request, unless the server is shutting down. A WaitGroup alone could grow from zero during Wait.
func (d *Drain) enter() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.draining {
		d.inFlight.Add(1)
	}
	return !d.draining
}

// Draining reports whether Shutdown was called.
func (d *Drain) Draining() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.draining
}

// Shutdown rejects new requests, calls release to end those that last, such as subscriptions, and waits until
// no request is in flight or ctx is done.
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
