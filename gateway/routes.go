package gateway

import (
	"context"
	"net/http"
	"runtime/pprof"
	"strings"
	"time"

	"twibase/gateway/middleware"
	"twibase/graph/auth"
	"twibase/graph/endpoint"
	"twibase/graph/exec"
	"twibase/graph/limits"
	"twibase/graph/plan"
	"twibase/graph/playground"
	"twibase/graph/schema"
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers"
	"twibase/writers"
	"twibase/writers/password"
)

// requestTimeout bounds the execution of a request.
const requestTimeout = 30 * time.Second

// newEndpoint returns the GraphQL endpoint. It uses the rest of g.
func (g *Gateway) newEndpoint() *endpoint.Endpoint {
	c := g.config
	fresh := func(ctx context.Context) context.Context {
		return g.watchdog.With(ctx, hbase.Budgeted(ctx, g.store, c.Limits[limits.Read], g.memory))
	}
	root := &resolvers.Resolver{
		Writers:  g.writers,
		Accounts: writers.NewAccounts(g.writers, password.New()),
		Tokens:   c.Tokens,
		Attempts: auth.NewAttempts(time.Now),
		Live:     g.live,
		Fresh:    fresh,
	}
	tasks := func(ctx context.Context) plan.Tasks { return loaders.TasksOf(ctx) }
	return endpoint.New(exec.NewPlannedSchema(exec.Config{Resolvers: root}, tasks), endpoint.Config{
		Timeout:     requestTimeout,
		Around:      fresh,
		Watch:       resolvers.Watch,
		Costs:       resolvers.Costs(tables.ListBound),
		Tokens:      c.Tokens,
		Observe:     g.requests.Operation,
		Streams:     c.StreamsPerAddress,
		Concurrency: c.Concurrency,
		Limits:      c.Limits,
		Sending:     g.responses,
		Receiving:   g.bodies,
		Trusted:     c.Documents,
		Production:  c.Production,
		Origins:     c.Origins,
	})
}

// graphQL returns the endpoint within its middleware. The first in the list is the outermost.
func (g *Gateway) graphQL() http.Handler {
	return middleware.Chain(g.endpoint,
		// Pages must be able to read every response, also one of the middleware below.
		middleware.CORS(g.config.Origins, g.config.CORSHeaders),
		// An overloaded gateway must reject cheaply: before it compresses, logs or verifies anything.
		middleware.ShedLoad(g.endpoint),
		// Responses are buffered and sent when all below has returned: a slow reader holds bytes only,
		// no slot of the endpoint, and its time is not in the request log.
		middleware.Compress(g.responses),
		// Every request from here on has an id, a line in the log and a place in the metrics.
		g.requests.Handler,
		// A draining gateway rejects requests, which are logged, and counts those that it still serves.
		g.drain.Handler,
		// Sign-ups and log-ins are limited by client address, so authentication needs to know it.
		g.config.TrustedProxies.Handler,
		// The endpoint and the resolvers find the viewer in the context.
		g.config.Tokens.Handler,
	)
}

// public returns the handler for clients.
func (g *Gateway) public() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/graphql", g.graphQL())
	g.handleProbes(mux)
	if !g.config.Production {
		sdl := SDL()
		serveSDL := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, sdl) })
		mux.Handle("GET /schema.graphql", middleware.Chain(serveSDL, middleware.Compress(g.responses)))
		mux.Handle("/", playground.Handler())
	}
	if !g.config.Production && !g.config.PrivateMetrics {
		mux.Handle("GET /metrics", g.serveMetrics())
	}
	return middleware.Chain(mux, middleware.SecurityHeaders)
}

// monitoring returns the handler for operators.
func (g *Gateway) monitoring() http.Handler {
	mux := http.NewServeMux()
	g.handleProbes(mux)
	mux.Handle("GET /metrics", g.serveMetrics())
	mux.HandleFunc("GET /goroutines", func(w http.ResponseWriter, _ *http.Request) {
		var stacks strings.Builder
		_ = pprof.Lookup("goroutine").WriteTo(&stacks, 1)
		writeText(w, http.StatusOK, stacks.String())
	})
	return middleware.Chain(mux, middleware.SecurityHeaders)
}

// SDL returns the schema in GraphQL's schema definition language.
func SDL() string { return schema.SDL(exec.NewExecutableSchema(exec.Config{}).Schema()) }
