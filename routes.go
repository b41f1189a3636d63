package main

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/rs/zerolog"

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

// probeTimeout bounds the question whether the store answers.
const probeTimeout = 2 * time.Second

// settings are how the server answers.
type settings struct {
	tokens     *auth.Tokens
	proxies    auth.Proxies
	streams    int
	running    int
	limits     limits.Limits
	trusted    *documents.Trusted
	origins    []string
	production bool
}

// routes is everything that the server answers. leave sends new requests and subscribers elsewhere, and returns when those that ran are answered, or
// when its ctx is done: until then whoever asks is told that the server is not ready.
func routes(store hbase.Store, b *background, s settings) (handler http.Handler, leave func(context.Context)) {
	ends, held := &drain{}, backlog.New(maxBacklog)
	fresh := func(ctx context.Context) context.Context { return loaders.With(ctx, store) }
	root := &resolvers.Resolver{Writers: b.writers, Accounts: writers.NewAccounts(b.writers, password.New()), Tokens: s.tokens,
		Attempts: auth.NewAttempts(time.Now), News: b.news, Fresh: fresh}
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

		Trusted:    s.trusted,
		Production: s.production,
		Origins:    s.origins,
	})
	admitting.Store(graphql)
	answering.Store(held)
	mux := http.NewServeMux()
	mux.Handle("/graphql", compressed(held, shared(s.origins, logged(ends.handler(s.proxies.Handler(s.tokens.Handler(graphql)))))))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok\n") })
	mux.HandleFunc("GET /readyz", ready(store, ends))
	mux.Handle("GET /metrics", promhttp.Handler())
	if !s.production { // where nobody is told the schema, nobody can explore it
		schema := sdl()
		mux.Handle("GET /schema.graphql", compressed(held, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, schema) })))
		mux.Handle("/", playground.Handler())
	}
	return guarded(mux), func(ctx context.Context) { ends.end(ctx, graphql.Shutdown) }
}

// tasks lets the loaders of an operation know what the executor runs.
func tasks(ctx context.Context) plan.Tasks { return loaders.TasksOf(ctx) }

// ready answers 200 while the store answers for at least some of the users, since then other gateways could do no better, and the server does not end.
func ready(store hbase.Store, ends *drain) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if ends.over() {
			plain(w, http.StatusServiceUnavailable, "the server ends\n")
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), probeTimeout)
		defer cancel()
		if err := answers(ctx, store); err != nil {
			zerolog.Ctx(r.Context()).Warn().Err(err).Msg("the store does not answer")
			plain(w, http.StatusServiceUnavailable, "the store does not answer\n")
			return
		}
		plain(w, http.StatusOK, "ok\n")
	}
}

// answers is an error if the store answers for none of some rows that lie in all its regions. A master that is away is no reason: it is not asked
// for rows.
func answers(ctx context.Context, store hbase.Store) error {
	var gets []hbase.Get
	for _, row := range tables.Definitions(2 * defaultRegions)[0].Splits {
		gets = append(gets, hbase.Get{Table: tables.Users.Table, Row: row, Columns: tables.Attributes})
	}
	results, err := store.Get(ctx, gets)
	if err != nil {
		return err
	}
	for _, result := range results {
		if err = result.Err; err == nil {
			return nil
		}
	}
	return err
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}
