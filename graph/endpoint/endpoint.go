// Package endpoint serves GraphQL over HTTP: POST, and GET for queries, as the GraphQL over HTTP specification has it; and, for subscriptions
// and whoever likes, over WebSockets and as server-sent events.
package endpoint

import (
	"context"
	"iter"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/apierr"
	"twibase/graph/auth"
	"twibase/graph/documents"
	"twibase/graph/endpoint/backlog"
	"twibase/graph/endpoint/sse"
	"twibase/graph/endpoint/websocket"
	"twibase/graph/explain"
	"twibase/graph/limits"
	"twibase/graph/plan"
	"twibase/graph/report"
	"twibase/graph/resume"
)

// maxBody is how many bytes the body of a request has at most.
const maxBody = 1 << 20

// Config is how the endpoint serves.
type Config struct {
	// Timeout bounds each response.
	Timeout time.Duration
	// Around is called for each response, and returns the ctx in which its fields are resolved: the place for what lives as long as one
	// response, such as loaders.
	Around func(ctx context.Context) context.Context
	// Watch is called after Around if the request asks for a report: see [report.Extension]. Without it there are no reports, and with Production neither.
	Watch func(ctx context.Context) (levels func() []report.Level)
	// Costs say what a request costs that asks for its plan: see [explain.Extension]. Without them there are no plans.
	Costs explain.Costs
	// Limits are what a request may ask for at most; the zero value limits nothing.
	Limits limits.Limits
	// Trusted are documents that clients may name by their hashes; nil if there are none.
	Trusted *documents.Trusted
	// Production refuses introspection, reports, and if there are trusted documents all others.
	Production bool
	// Origins are those whose pages may open WebSockets, beside the server's own.
	Origins []string
	// Tokens tell whose the token in a connection_init is; nil accepts none.
	Tokens *auth.Tokens
	// Observe is called for each operation of a WebSocket, and returns its ctx and what is called when it has ended. Without it nobody
	// observes them.
	Observe func(ctx context.Context) (of context.Context, ended func())
	// Running is how many operations are executed at the same time, 0 for any number. Four times as many wait for up to a second, the rest get
	// the status 503.
	Running int
	// Streams is how many WebSockets and subscriptions an address has at the same time, 0 for any number. The documents of all its subscriptions have
	// 4 KiB for each of them.
	Streams int
	// Backlog holds what is sent over streams and WebSockets; answers are their writer's. Nil bounds nothing.
	Backlog *backlog.Backlog
	// Unfinished holds what has come of bodies, and of messages of WebSockets, of which more is to come. Nil bounds nothing.
	Unfinished *backlog.Backlog
}

// New returns the handler that executes the schema.
func New(schema graphql.ExecutableSchema, config Config) *Endpoint {
	x := newExecutor(schema)
	prepared := newPreparer(schema.Schema(), config.Limits, config.Production)
	known := documents.New(config.Trusted, config.Production)
	limited := limits.New(config.Limits, schema, config.Costs)
	prepared.params = append(prepared.params, known)
	prepared.operations = append(prepared.operations, known, limited)
	x.Use(limited)
	if config.Costs != nil {
		x.Use(explain.Extension{Schema: schema, Costs: config.Costs, Most: config.Limits[limits.Plan]})
	}
	x.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		ctx, cancel := context.WithTimeout(ctx, config.Timeout)
		defer cancel()
		return next(config.Around(apierr.Once(ctx)))
	})
	if config.Watch != nil && !config.Production {
		x.Use(report.Extension{Watch: config.Watch, Most: config.Limits[limits.Plan]}) // after what goes around it
	}
	turns := newAdmission(config.Running)
	x.Use(plan.Events{Turn: turns.turn}) // last
	if config.Observe == nil {
		config.Observe = func(ctx context.Context) (context.Context, func()) { return ctx, func() {} }
	}
	e := &Endpoint{preparer: prepared, exec: x, config: config, streams: perAddress{most: config.Streams}, texts: perAddress{most: textEach * config.Streams}, admission: turns}
	e.moved, e.move = context.WithCancel(context.Background())
	e.sockets = websocket.Server{Origins: config.Origins, Execute: e.execute, Authenticate: e.authenticate, Expires: expires, Backlog: config.Backlog,
		Unfinished: config.Unfinished, Limits: config.Limits}
	e.shared.Backlog = config.Backlog
	return e
}

// Endpoint is a handler of HTTP requests. It is safe for concurrent use.
type Endpoint struct {
	preparer  *preparer
	exec      *executor.Executor
	config    Config
	sockets   websocket.Server
	streams   perAddress
	texts     perAddress // of subscriptions
	admission *admission
	shared    sse.Shared
	positions resume.Window
	moved     context.Context // is done when subscribers are to go elsewhere
	move      context.CancelFunc
}

// Shutdown tells subscribers to go elsewhere, and returns when all WebSockets are closed. Those on which an operation still runs when ctx is
// done are cut.
func (e *Endpoint) Shutdown(ctx context.Context) {
	e.move()
	e.shared.Shutdown()
	e.sockets.Shutdown(ctx)
}

// ServeHTTP implements [http.Handler].
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if e.Crowded(r) {
		e.SendAway(w, r)
		return
	}
	if websocket.Asked(r) {
		e.stream(w, r, func() { e.sockets.ServeHTTP(w, r) })
		return
	}
	accept := accepted(r)
	w.Header().Set("Content-Type", accept.contentType())
	ctx := graphql.StartOperationTrace(r.Context())
	defer func() {
		if panicked := recover(); panicked != nil {
			public, _ := apierr.Of(apierr.Recover(ctx, panicked))
			public.Write(w, http.StatusInternalServerError)
		}
	}()

	if r.Method == http.MethodOptions {
		w.Header().Set("Allow", allow)
		w.Header().Del("Content-Type")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if accept.none() {
		apierr.BadUserInput("the answer is %s or %s: accept one of them", mediaJSON, mediaGraphQL).Write(w, http.StatusNotAcceptable)
		return
	}
	if shares(r) {
		e.share(w, r)
		return
	}
	params, refused := e.read(w, r)
	if refused != nil {
		refused.write(w)
		return
	}
	leave, refusal := e.admission.enter(ctx)
	if refusal != nil {
		busy(ctx, w, refusal)
		return
	}
	defer leave()
	operation, errs := e.preparer.prepare(ctx, params)
	if errs != nil {
		leave()
		e.refuse(graphql.WithOperationContext(ctx, operation), w, accept, errs)
		return
	}
	trace := traceOf(ctx)
	trace.Operation, trace.Kind = operation.Operation.Name, string(operation.Operation.Operation)
	switch subscription := operation.Operation.Operation == ast.Subscription; {
	case r.Method != http.MethodPost && operation.Operation.Operation == ast.Mutation:
		w.Header().Set("Allow", http.MethodPost)
		apierr.BadUserInput("GET is for queries alone: send a mutation by POST").Write(w, http.StatusMethodNotAllowed)
	case subscription && !accept.events:
		apierr.BadUserInput("a subscription is answered with events: send Accept: %s, or use a WebSocket with the subprotocol %s", sse.MediaType, websocket.Protocol).
			Write(w, http.StatusNotAcceptable)
	case subscription:
		leave() // it lasts, and does nothing most of that time
		e.stream(w, r, func() {
			sse.Serve(ctx, w, e.config.Backlog, func(ctx context.Context) iter.Seq[*graphql.Response] { return e.responses(ctx, operation, leave) })
		})
	case accept.eventsFirst:
		sse.Serve(ctx, w, e.config.Backlog, func(ctx context.Context) iter.Seq[*graphql.Response] { return e.responses(ctx, operation, leave) })
	default:
		ctx, cancel := context.WithTimeout(ctx, e.config.Timeout)
		defer cancel()
		respond, ctx := e.exec.DispatchOperation(ctx, operation)
		trace.Execution = plan.ExecutionOf(operation)
		response := respond(ctx)
		// Its reader may take long.
		leave()
		if response == nil { // the time was over before the operation began
			public, _ := apierr.Of(ctx.Err())
			public.Write(w, http.StatusServiceUnavailable)
			return
		}
		trace.Errors = len(response.Errors)
		write(w, response)
	}
}

// refuse answers a request that is not executed. A client that asked for the older media type takes every status but 200 for a
// broken server; and one that sent a hash sends the document only if the status is 200, whatever it asked for, as some of Apollo's do.
func (e *Endpoint) refuse(ctx context.Context, w http.ResponseWriter, accept accept, errs gqlerror.List) {
	response := e.exec.DispatchError(ctx, errs)
	traceOf(ctx).Errors = len(response.Errors)
	if accept.eventsFirst {
		sse.Serve(ctx, w, e.config.Backlog, func(context.Context) iter.Seq[*graphql.Response] { return one(response) })
		return
	}
	if accept.media != mediaJSON && response.Errors[0].Extensions["code"] != string(apierr.CodePersistedQueryNotFound) {
		w.WriteHeader(http.StatusBadRequest)
	}
	write(w, response)
}
