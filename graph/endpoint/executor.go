package endpoint

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/apierr"
	"twibase/graph/explain"
	"twibase/graph/limits"
	"twibase/graph/recent"
)

// The bounds of the cache of parsed and validated queries. A parsed query takes some fifty times the bytes of its text, three times as much if that is
// made for it, so that long ones, which programs hardly repeat, would fill the memory.
const (
	cachedQueries = 1000
	cachedLength  = 8 << 10
	cachedBytes   = 1 << 20 // of all their texts
)

type queryCache struct {
	kept *recent.Cache[string, *ast.QueryDocument]
}

var _ graphql.Cache[*ast.QueryDocument] = queryCache{}

func newQueryCache() queryCache {
	return queryCache{recent.New[string, *ast.QueryDocument](cachedQueries, cachedBytes)}
}

// Get implements [graphql.Cache].
func (c queryCache) Get(_ context.Context, query string) (*ast.QueryDocument, bool) {
	return c.kept.Get(query)
}

// Add implements [graphql.Cache].
func (c queryCache) Add(_ context.Context, query string, document *ast.QueryDocument) {
	if len(query) <= cachedLength {
		c.kept.Add(query, document, len(query))
	}
}

// has tells whether a query is there, which is valid then.
func (c queryCache) has(ctx context.Context, query string) bool {
	_, ok := c.Get(ctx, query)
	return ok
}

// newExecutor returns gqlgen's executor of the schema, with our rules of what is valid.
func newExecutor(schema graphql.ExecutableSchema) *executor.Executor {
	e := executor.New(schema)
	e.SetErrorPresenter(apierr.Present)
	e.SetRecoverFunc(apierr.Recover)
	e.SetDefaultRulesFn(validation)
	e.SetDisableSuggestion(true) // or it would bring rules back that suggest
	e.Use(introspection{})
	e.Use(conditions{})
	return e
}

// operation returns what is to be executed, or why nothing is.
func (e *Endpoint) operation(ctx context.Context, params *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	return operationOf(ctx, e.exec, e.config.Limits, params)
}

// operationOf is the executor's, but that an operation which is not there is told without what the client calls it, and of many errors few.
func operationOf(ctx context.Context, e *executor.Executor, bounds limits.Limits, params *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	operation, errs := e.CreateOperationContext(ctx, params)
	if errs != nil && operation.Doc != nil && operation.Operation == nil {
		errs = gqlerror.List{gqlerror.Wrap(apierr.BadUserInput("operationName is to name one of the document's operations"))}
	}
	return operation, bounds.Told(errs)
}

// Explain returns the plan of a request as the endpoint would answer it, and the errors with which it would refuse it. Of a request that costs too much
// there are both; where there is no error there is a plan. ctx says who the viewer is.
func Explain(ctx context.Context, schema graphql.ExecutableSchema, costs explain.Costs, bounds limits.Limits, params *graphql.RawParams) (*explain.Plan, gqlerror.List) {
	e := newExecutor(schema)
	unseen := func(context.Context, string) bool { return false }
	e.Use(limits.New(bounds, schema, nil, unseen))
	ctx = graphql.StartOperationTrace(ctx)
	operation, errs := operationOf(ctx, e, bounds, params)
	if errs != nil {
		return nil, errs
	}
	ctx = graphql.WithOperationContext(ctx, operation)
	plan, err := explain.Predict(ctx, schema, costs, bounds[limits.Plan])
	if err != nil {
		return nil, gqlerror.List{gqlerror.Wrap(err)}
	}
	if refusal := limits.New(bounds, schema, costs, unseen).MutateOperationContext(ctx, operation); refusal != nil {
		return plan, gqlerror.List{refusal}
	}
	return plan, nil
}

// introspection lets every client ask for the schema, which is public: IDEs and code generators live by it.
type introspection struct{}

var _ graphql.OperationContextMutator = introspection{}

// ExtensionName implements [graphql.HandlerExtension].
func (introspection) ExtensionName() string { return "introspection" }

// Validate implements [graphql.HandlerExtension].
func (introspection) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext implements [graphql.OperationContextMutator].
func (introspection) MutateOperationContext(_ context.Context, operation *graphql.OperationContext) *gqlerror.Error {
	operation.DisableIntrospection = false
	return nil
}
