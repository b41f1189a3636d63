package main

import (
	"context"
	"net/http"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"twibase/graph/auth"
	"twibase/graph/documents"
	"twibase/graph/endpoint"
	"twibase/graph/endpoint/backlog"
	"twibase/graph/exec"
	"twibase/graph/limits"
	"twibase/graph/plan"
	"twibase/graph/playground"
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers"
	"twibase/writers"
	"twibase/writers/password"
)

// settings are how the server answers.
type settings struct {
	tokens     *auth.Tokens
	proxies    auth.Proxies
	streams    int
	running    int
	limits     limits.Limits
	trusted    *documents.Trusted
	origins    []string // as --cors lists them
	headers    []string // as --cors-headers lists them
	production bool
	monitored  bool
}

// handlers are everything that a server answers.
type handlers struct {
	public, monitor http.Handler
	// leave sends new requests and subscribers elsewhere, and returns when those that ran are answered, or when its ctx is done: until then whoever
	// asks is told that the server is not ready.
	leave func(ctx context.Context)
}

// routes are the handlers of a server. The metrics are answered to the public unless there is a monitor, or it is for the public.
func routes(store hbase.Store, b *background, s settings) handlers {
	ends, held, unfinished := &drain{}, backlog.New(maxBacklog), backlog.New(maxBacklog)
	fresh := func(ctx context.Context) context.Context {
		return loaders.With(ctx, hbase.Budgeted(store, s.limits[limits.Read]))
	}
	root := &resolvers.Resolver{Writers: b.writers, Accounts: writers.NewAccounts(b.writers, password.New()), Tokens: s.tokens,
		Attempts: auth.NewAttempts(time.Now), Live: b.live, Fresh: fresh}
	graphql := endpoint.New(exec.NewPlannedSchema(exec.Config{Resolvers: root}, tasks), endpoint.Config{
		Timeout: requestTimeout,
		Around:  fresh,
		Watch:   resolvers.Watch,
		Costs:   resolvers.Costs(tables.ListBound),
		Tokens:  s.tokens,
		Observe: observe,
		Streams: s.streams,
		Running: s.running,
		Limits:  s.limits,
		Backlog: held,

		Unfinished: unfinished,

		Trusted:    s.trusted,
		Production: s.production,
		Origins:    s.origins,
	})
	admitting.Store(graphql)
	answering.Store(held)
	arriving.Store(unfinished)
	mux := http.NewServeMux()
	mux.Handle("/graphql", shared(s.origins, s.headers, early(graphql, compressed(held, logged(ends.handler(s.proxies.Handler(s.tokens.Handler(graphql))))))))
	monitor := http.NewServeMux()
	for _, mux := range []*http.ServeMux{mux, monitor} {
		mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok\n") })
		mux.HandleFunc("GET /readyz", ready(store, ends))
	}
	monitor.Handle("GET /metrics", promhttp.Handler())
	monitor.HandleFunc("GET /goroutines", func(w http.ResponseWriter, _ *http.Request) {
		var stacks strings.Builder
		_ = pprof.Lookup("goroutine").WriteTo(&stacks, 1)
		plain(w, http.StatusOK, stacks.String())
	})
	if !s.monitored && !s.production {
		mux.Handle("GET /metrics", promhttp.Handler())
	}
	if !s.production { // where nobody is told the schema, nobody can explore it
		schema := sdl()
		mux.Handle("GET /schema.graphql", compressed(held, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, schema) })))
		mux.Handle("/", playground.Handler())
	}
	return handlers{guarded(mux), guarded(monitor), func(ctx context.Context) { ends.end(ctx, graphql.Shutdown) }}
}

// tasks lets the loaders of an operation know what the executor runs.
func tasks(ctx context.Context) plan.Tasks { return loaders.TasksOf(ctx) }
