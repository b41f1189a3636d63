// Package endpoint serves GraphQL over HTTP: POST, and GET for queries, as in the GraphQL over HTTP specification.
// Subscriptions, and all operations of clients that prefer it, are served over WebSockets and as server-sent events.
package endpoint

import (
	"context"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"

	"twibase/graph/auth"
	"twibase/graph/documents"
	"twibase/graph/endpoint/inflight"
	"twibase/graph/endpoint/sse"
	"twibase/graph/endpoint/websocket"
	"twibase/graph/explain"
	"twibase/graph/limits"
	"twibase/graph/report"
	"twibase/graph/resume"
)

// Config says how the endpoint serves.
type Config struct {
	// Timeout bounds each response.
	Timeout time.Duration
	// Around is called for each response, and returns the context for its resolvers. It adds state
	// of the response, such as loaders.
	Around func(ctx context.Context) context.Context
	// Watch is called after Around if the request asks for a report: see [report.Middleware]. There are no reports
	// without it, nor with Production.
	Watch func(ctx context.Context) (levels func() []report.Level)
	// Costs declare what fields read, for limits and for the plans of [explain.Middleware]. Nil turns both off.
	Costs explain.Costs
	// Limits bound requests; the zero value bounds nothing.
	Limits limits.Limits
	// Trusted are documents that clients may name by their hashes; nil if there are none.
	Trusted *documents.Trusted
	// Production refuses introspection, reports and, if there are trusted documents, all other documents.
	Production bool
	// Origins are the origins whose pages may open WebSockets, besides the server's own.
	Origins []string
	// Tokens verify the token of a connection_init; nil accepts none.
	Tokens *auth.Tokens
	// Observe is called for each operation of a WebSocket. It returns the operation's context, and a function that
	// is called at its end. Nil observes nothing.
	Observe func(ctx context.Context) (of context.Context, ended func())
	// Concurrency is how many operations are executed at a time, 0 for any number. Four times as many wait for up
	// to a second; the rest get status 503.
	Concurrency int
	// Streams is how many WebSockets and subscriptions a client address may have, 0 for any number. The documents
	// of all its subscriptions may have 4 KiB for each of them.
	Streams int
	// Sending counts the bytes of events and WebSocket messages that are being sent. Middleware
	// that buffers responses counts those. Nil bounds nothing.
	Sending *inflight.Bytes
	// Receiving counts the bytes of incomplete request bodies and WebSocket messages. Nil bounds nothing.
	Receiving *inflight.Bytes
}

// Endpoint is a handler of HTTP requests. It is safe for concurrent use.
type Endpoint struct {
	config    Config
	admission *admission
	preparer  *preparer
	exec      *executor.Executor
	streams   perAddress
	texts     perAddress // bytes of the documents of subscriptions
	sockets   websocket.Server
	shared    sse.Shared
	positions resume.Window

	draining   context.Context // done when subscribers are to reconnect to another gateway
	drain, end context.CancelFunc
}

// New returns the endpoint of a schema.
func New(schema graphql.ExecutableSchema, config Config) *Endpoint {
	if config.Observe == nil {
		config.Observe = func(ctx context.Context) (context.Context, func()) { return ctx, func() {} }
	}
	e := &Endpoint{
		config:    config,
		admission: newAdmission(config.Concurrency),
		preparer:  newPreparer(schema.Schema(), &config),
		streams:   perAddress{most: config.Streams},
		texts:     perAddress{most: textEach * config.Streams},
	}
	e.preparer.costs = limits.NewCostCheck(config.Limits, schema, config.Costs)
	e.exec = newExecutor(schema, &e.config, e.admission)
	e.draining, e.drain = context.WithCancel(context.Background())
	e.sockets = websocket.Server{
		Origins:      config.Origins,
		Execute:      e.execute,
		Authenticate: config.Tokens.Authenticate,
		Sending:      config.Sending,
		Receiving:    config.Receiving,
		Limits:       config.Limits,
		Draining:     e.draining,
	}
	e.sockets.Ended, e.end = context.WithCancel(context.Background())
	e.shared.Sending, e.shared.Draining = config.Sending, e.draining
	return e
}

// Shutdown ends subscriptions so that their clients reconnect to another gateway, and closes connections once no
// operation runs over them. When ctx is done it closes WebSockets on which an operation still runs. It does not wait.
func (e *Endpoint) Shutdown(ctx context.Context) {
	e.drain()
	context.AfterFunc(ctx, e.end)
}

// ServeHTTP implements [http.Handler].
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case e.Overloaded(r):
		e.Reject(w, r)
	case websocket.Asked(r):
		e.stream(w, r, func() { e.sockets.ServeHTTP(w, r) })
	default:
		x := &exchange{e, w, r, graphql.StartOperationTrace(r.Context()), accepted(r)}
		x.serve()
	}
}
