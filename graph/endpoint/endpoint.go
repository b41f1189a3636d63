// Package endpoint serves GraphQL over HTTP (POST, and GET except for mutations), WebSockets and
// server-sent events.
package endpoint

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/auth"
	"twibase/graph/documents"
	"twibase/graph/endpoint/inflight"
	"twibase/graph/endpoint/sse"
	"twibase/graph/endpoint/websocket"
	"twibase/graph/explain"
	"twibase/graph/limits"
	"twibase/graph/report"
	"twibase/graph/resume"
	"twibase/hbase/fair"
)

// Config configures an endpoint.
type Config struct {
	Timeout time.Duration
	// Around adds state such as loaders to the context of resolvers.
	Around func(ctx context.Context) context.Context
	// RecordCalls is called after Around for [report.Middleware]. Nil and Production turn reports
	// off.
	RecordCalls func(ctx context.Context) (levels func() []report.Level)
	// Costs declare the reads of fields. Nil turns off cost limits and [explain.Middleware].
	Costs   explain.Costs
	Limits  limits.Limits
	Trusted *documents.Trusted
	// Production rejects introspection and reports. If there are trusted documents, it rejects all
	// other documents.
	Production bool
	// Origins may open WebSockets, in addition to the server's own.
	Origins []string
	Tokens  *auth.Tokens // of connection_init
	// Observe, unless nil, is called before each operation of a WebSocket or a shared stream, and
	// ended after it.
	Observe     func(ctx context.Context, extensions map[string]any) (operation context.Context, ended func())
	Concurrency int // of operations; 0 for no limit
	// Rows returns the rows that the operation of ctx has read. Nil counts none.
	Rows      func(ctx context.Context) int64
	RowBudget *auth.Rows // nil is no limit
	Streams   int        // WebSockets and event streams of a client address; 0 for no limit
	// Sending counts the bytes of events and WebSocket messages being sent.
	Sending *inflight.Bytes
	// Receiving counts the bytes of incomplete messages and request bodies, and of a header longer
	// than usualHeader before a body.
	Receiving *inflight.Bytes
}

// Endpoint is safe for concurrent use.
type Endpoint struct {
	config        Config
	admission     *admission
	parsing       *fair.Semaphore
	schema        graphql.ExecutableSchema
	rules         atomic.Pointer[rules]
	heavy         *heavy
	overdrawn     atomic.Int64
	streams       perAddress
	texts         perAddress
	subscriptions perAddress
	shared        sse.Shared
	positions     resume.Positions

	draining   context.Context // done when subscribers must reconnect to another gateway
	ended      context.Context
	drain, end context.CancelFunc
}

// New returns the endpoint of a schema.
func New(schema graphql.ExecutableSchema, config Config) *Endpoint {
	if config.Observe == nil {
		config.Observe = func(ctx context.Context, _ map[string]any) (context.Context, func()) { return ctx, func() {} }
	}
	if config.Rows == nil {
		config.Rows = func(context.Context) int64 { return 0 }
	}
	e := &Endpoint{
		config:        config,
		admission:     newAdmission(config.Concurrency),
		parsing:       fair.New(parsedBytes, parsedReserve, waitingParsed),
		schema:        schema,
		heavy:         newHeavy(config.Concurrency),
		streams:       perAddress{limit: config.Streams},
		texts:         perAddress{limit: textEach * config.Streams},
		subscriptions: perAddress{limit: subscriptionsEach * config.Streams},
	}
	e.draining, e.drain = context.WithCancel(context.Background())
	e.ended, e.end = context.WithCancel(context.Background())
	e.shared.Sending, e.shared.Draining = config.Sending, e.draining
	e.Reload(config.Limits, config.Origins)
	return e
}

// Shutdown returns immediately. It ends subscriptions, so that clients reconnect to another
// gateway, and closes idle connections. When ctx is done, it closes the remaining WebSockets.
func (e *Endpoint) Shutdown(ctx context.Context) {
	e.drain()
	context.AfterFunc(ctx, e.end)
}

func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	traceOf(r.Context()).identify(r.Header)
	switch {
	case e.Overloaded(r):
		e.Reject(w, r)
	case websocket.IsHandshake(r):
		e.limitStreams(w, r, func() { e.rules.Load().sockets.ServeHTTP(w, r) })
	default:
		x := &exchange{e, w, r, graphql.StartOperationTrace(r.Context()), accepted(r)}
		x.serve()
	}
}
