package gateway

import (
	"net/http"
	"sync/atomic"

	"twibase/gateway/middleware"
	"twibase/graph/apierr"
)

// front passes requests to a gateway, when there is one. It is safe for concurrent use.
type front struct {
	public, monitoring swap
	reason             atomic.Pointer[string]
}

// swap is a handler that can be replaced.
type swap struct{ handler atomic.Pointer[http.Handler] }

func (s *swap) set(handler http.Handler) { s.handler.Store(&handler) }

// ServeHTTP implements [http.Handler].
func (s *swap) ServeHTTP(w http.ResponseWriter, r *http.Request) { (*s.handler.Load()).ServeHTTP(w, r) }

func newFront() *front {
	f := new(front)
	f.wait("the gateway is starting")
	starting := middleware.Chain(f.starting(), middleware.SecurityHeaders)
	f.public.set(starting)
	f.monitoring.set(starting)
	return f
}

// wait sets the reason of /readyz.
func (f *front) wait(reason string) { f.reason.Store(&reason) }

func (f *front) serve(g *Gateway) {
	f.public.set(g.Public)
	f.monitoring.set(g.Monitoring)
}

// starting returns the handler of all requests before there is a gateway.
func (f *front) starting() http.Handler {
	mux := http.NewServeMux()
	handleHealth(mux)
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		writeText(w, http.StatusServiceUnavailable, *f.reason.Load()+"\n")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		(&apierr.Error{Code: apierr.CodeUnavailable, Message: "the gateway is starting; try again"}).Reject(w)
	})
	return mux
}
