package gateway

import (
	"net/http"
	"sync/atomic"

	"twibase/gateway/middleware"
	"twibase/graph/apierr"
)

type front struct {
	public, monitoring atomicHandler
	reason             atomic.Pointer[string]
}

type atomicHandler struct{ handler atomic.Pointer[http.Handler] }

func (a *atomicHandler) set(handler http.Handler) { a.handler.Store(&handler) }

func (a *atomicHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	(*a.handler.Load()).ServeHTTP(w, r)
}

func newFront() *front {
	f := new(front)
	f.setReason("the gateway is starting")
	starting := middleware.Chain(f.starting(), middleware.SecurityHeaders)
	f.public.set(starting)
	f.monitoring.set(starting)
	return f
}

func (f *front) setReason(reason string) { f.reason.Store(&reason) }

func (f *front) serve(g *Gateway) {
	f.public.set(g.Public)
	f.monitoring.set(g.Monitoring)
}

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
