package main

import (
	"context"
	"net/http"
	"sync"

	"twibase/graph/apierr"
)

// drain lets the requests that run come to their end, and sends new ones to other servers. It is safe for concurrent use.
type drain struct {
	mu      sync.Mutex
	ending  bool
	running sync.WaitGroup
}

// handler is next until the end has begun.
func (d *drain) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !d.enter() {
			w.Header().Set("Connection", "close")
			(&apierr.Error{Code: apierr.CodeUnavailable, Message: "the server ends; ask another one"}).SendAway(w)
			return
		}
		defer d.running.Done()
		next.ServeHTTP(w, r)
	})
}

func (d *drain) enter() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.ending {
		d.running.Add(1)
	}
	return !d.ending
}

// over reports whether the end has begun.
func (d *drain) over() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ending
}

// end begins it, and calls leave for those who would stay. It returns when no request runs any more, or when ctx is done.
func (d *drain) end(ctx context.Context, leave func(context.Context)) {
	d.mu.Lock()
	d.ending = true
	d.mu.Unlock()
	leave(ctx)
	ended := make(chan struct{})
	go func() {
		d.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}
