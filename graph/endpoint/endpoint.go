// Package endpoint serves GraphQL over HTTP: POST, and GET for queries, as the GraphQL over HTTP specification has it.
package endpoint

import (
	"context"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/apierr"
	"twibase/graph/explain"
	"twibase/graph/plan"
	"twibase/graph/report"
)

// maxBody is how many bytes the body of a request has at most.
const maxBody = 1 << 20

// Config is how the endpoint serves.
type Config struct {
	// Timeout bounds each request.
	Timeout time.Duration
	// Around is called for each response, and returns the ctx in which its fields are resolved: the place for what lives as long as one
	// response, such as loaders.
	Around func(ctx context.Context) context.Context
	// Watch is called after Around if the request asks for a report: see [report.Extension]. Without it there are no reports.
	Watch func(ctx context.Context) (levels func() []report.Level)
	// Costs say what a request costs that asks for its plan: see [explain.Extension]. Without them there are no plans.
	Costs explain.Costs
}

// New returns the handler that executes the schema. It is safe for concurrent use.
func New(schema graphql.ExecutableSchema, config Config) http.Handler {
	e := newExecutor(schema)
	e.SetQueryCache(newQueryCache())
	if config.Costs != nil {
		e.Use(explain.Extension{Schema: schema, Costs: config.Costs})
	}
	e.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		return next(config.Around(apierr.Once(ctx)))
	})
	if config.Watch != nil {
		e.Use(report.Extension{Watch: config.Watch}) // after what goes around it
	}
	return &endpoint{exec: e, timeout: config.Timeout}
}

type endpoint struct {
	exec    *executor.Executor
	timeout time.Duration
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mediaType := accepted(r)
	w.Header().Set("Content-Type", mediaType+"; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")

	ctx, cancel := context.WithTimeout(graphql.StartOperationTrace(r.Context()), e.timeout)
	defer cancel()
	defer func() {
		if panicked := recover(); panicked != nil {
			public, _ := apierr.Of(apierr.Recover(ctx, panicked))
			public.Write(w, http.StatusInternalServerError)
		}
	}()

	params, status, refusal := read(w, r)
	if refusal != nil {
		refusal.Write(w, status)
		return
	}
	operation, errs := e.exec.CreateOperationContext(ctx, params)
	if errs != nil {
		e.refuse(graphql.WithOperationContext(ctx, operation), w, mediaType, errs)
		return
	}
	trace := traceOf(ctx)
	trace.Operation, trace.Kind = operation.Operation.Name, string(operation.Operation.Operation)
	if r.Method == http.MethodGet && trace.Kind != "query" {
		w.Header().Set("Allow", http.MethodPost)
		apierr.BadUserInput("GET is for queries alone: send a %s by POST", trace.Kind).Write(w, http.StatusMethodNotAllowed)
		return
	}
	respond, ctx := e.exec.DispatchOperation(ctx, operation)
	trace.Execution = plan.ExecutionOf(operation)
	response := respond(ctx)
	if response == nil { // the time was over before the operation began
		public, _ := apierr.Of(ctx.Err())
		public.Write(w, http.StatusServiceUnavailable)
		return
	}
	trace.Errors = len(response.Errors)
	write(w, response)
}

// refuse answers a request that is not executed. A client that asked for the older media type takes every status but 200 for a
// broken server.
func (e *endpoint) refuse(ctx context.Context, w http.ResponseWriter, mediaType string, errs gqlerror.List) {
	response := e.exec.DispatchError(ctx, errs)
	traceOf(ctx).Errors = len(response.Errors)
	if mediaType != mediaJSON {
		w.WriteHeader(http.StatusBadRequest)
	}
	write(w, response)
}
