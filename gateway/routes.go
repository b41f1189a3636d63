package gateway

import (
	"context"
	"io"
	"net/http"
	httppprof "net/http/pprof"
	"runtime/pprof"
	"strings"
	"sync"
	"time"

	"twibase/gateway/middleware"
	"twibase/graph/auth"
	"twibase/graph/endpoint"
	"twibase/graph/exec"
	"twibase/graph/explain"
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

const requestTimeout = 30 * time.Second

func (g *Gateway) newEndpoint() *endpoint.Endpoint {
	c := g.config
	withLoaders := func(ctx context.Context) context.Context {
		most := g.current.Load().Limits[limits.Read]
		store := hbase.Budgeted(ctx, g.store, auth.ClientOf(ctx), most, g.memory)
		ctx = endpoint.WithReserve(ctx, func(bytes int) error { return hbase.HoldResponse(store, bytes) })
		return g.watchdog.With(ctx, store)
	}
	root := &resolvers.Resolver{
		Writers:     g.writers,
		Accounts:    writers.NewAccounts(g.writers, password.New()),
		Tokens:      c.Tokens,
		Attempts:    auth.NewAttempts(time.Now),
		Live:        g.live,
		WithLoaders: withLoaders,
	}
	tasks := func(ctx context.Context) plan.Tasks { return loaders.TasksOf(ctx) }
	return endpoint.New(exec.NewPlannedSchema(exec.Config{Resolvers: root}, tasks), endpoint.Config{
		Timeout:     requestTimeout,
		Around:      withLoaders,
		RecordCalls: resolvers.RecordCalls,
		Costs:       resolvers.Costs(tables.ListBound),
		Tokens:      c.Tokens,
		Observe: func(ctx context.Context, extensions map[string]any) (context.Context, func()) {
			return g.requests.Operation(ctx, extensions)
		},
		Streams:     c.StreamsPerAddress,
		Concurrency: c.Concurrency,
		Rows:        rowsRead,
		RowBudget:   auth.NewRows(c.RowsPerSecond, time.Now),
		Limits:      c.Limits,
		Sending:     g.responses,
		Receiving:   g.bodies,
		Trusted:     c.Documents,
		Production:  c.Production,
		Origins:     c.Origins,
	})
}

// rowsRead returns the rows read, or the Gets if they are more: a missing row costs a Get, too.
func rowsRead(ctx context.Context) int64 {
	stats := hbase.StatsOf(ctx)
	return max(stats.Rows.Load(), stats.Gets.Load())
}

func (g *Gateway) newGraphQLHandler(config Config) http.Handler {
	return middleware.Chain(g.endpoint,
		// Web pages must be able to read all responses, including rejections.
		middleware.CORS(config.Origins, config.CORSHeaders),
		// Load shedding and the limits per address need the client address.
		config.TrustedProxies.Handler,
		// Rejections must be cheap.
		middleware.ShedLoad(g.endpoint),
		// A slow reader must hold no slot, and must not lengthen the logged duration.
		middleware.Compress(g.responses),
		// The log must have all rejections by the handlers below.
		g.requests.Handler,
		// A shutdown waits for requests that have passed this handler.
		g.drain.Handler,
		// Operations need their viewer.
		g.config.Tokens.Handler,
	)
}

func (g *Gateway) public() http.Handler {
	c, mux := g.config, http.NewServeMux()
	mux.Handle("/graphql", &g.graphQL)
	g.handleProbes(mux)
	if !c.Production {
		sdl := sync.OnceValue(SDL)
		serveSDL := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, sdl()) })
		mux.Handle("GET /schema.graphql", middleware.Chain(serveSDL, middleware.Compress(g.responses)))
		mux.Handle("/", playground.Handler(c.Tokens.ActsAs))
		mux.Handle("POST /dev/token", c.Tokens.DevHandler())
	}
	if !c.Production && !c.PrivateMetrics {
		mux.Handle("GET /metrics", g.serveMetrics())
	}
	return middleware.Chain(mux, middleware.SecurityHeaders)
}

func (g *Gateway) monitoring() http.Handler {
	mux := http.NewServeMux()
	g.handleProbes(mux)
	mux.Handle("GET /metrics", g.serveMetrics())
	mux.HandleFunc("GET /goroutines", func(w http.ResponseWriter, _ *http.Request) {
		var stacks strings.Builder
		_ = pprof.Lookup("goroutine").WriteTo(&stacks, 1)
		writeText(w, http.StatusOK, stacks.String())
	})
	mux.Handle("GET /usage", g.usage)
	// net/http/pprof also registers its handlers in http.DefaultServeMux, which no listener serves.
	mux.HandleFunc("GET /debug/pprof/", httppprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", httppprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", httppprof.Trace)
	return middleware.Chain(mux, middleware.SecurityHeaders)
}

// SDL returns the schema with the costs of its fields.
func SDL() string {
	planned := exec.NewPlannedSchema(exec.Config{Resolvers: &resolvers.Resolver{}}, nil)
	costed, err := explain.WithCosts(planned, resolvers.Costs(tables.ListBound), resolvers.SampleIDs())
	if err != nil {
		panic(err) // tests call SDL
	}
	return schema.SDL(costed)
}

func (g *Gateway) handleProbes(mux *http.ServeMux) {
	handleHealth(mux)
	mux.HandleFunc("GET /readyz", g.serveReady)
}

func handleHealth(mux *http.ServeMux) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, "ok\n") })
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}
