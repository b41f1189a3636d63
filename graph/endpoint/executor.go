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
	"twibase/graph/plan"
	"twibase/graph/recent"
	"twibase/graph/report"
)

// Bounds of the cache of parsed and validated queries. A parsed query takes about fifty times the bytes of its text, and
// up to three times as much if the text is made for that. Programs rarely repeat long texts, so these are not cached.
const (
	cachedQueries = 1000
	cachedLength  = 8 << 10
	cachedBytes   = 1 << 20 // of all texts
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

// newExecutor returns gqlgen's executor of the schema with the extensions around operations and responses, the
// outermost first. A [preparer] takes the steps before execution.
func newExecutor(
	schema graphql.ExecutableSchema, config Config, limited *limits.Extension, admission *admission,
) *executor.Executor {
	x := executor.New(schema)
	x.SetErrorPresenter(apierr.Present)
	x.SetRecoverFunc(apierr.Recover)
	x.Use(limited)
	if config.Costs != nil {
		x.Use(explain.Extension{Schema: schema, Costs: config.Costs, Most: config.Limits[limits.Plan]})
	}
	// Each response has a timeout of its own, and what its resolvers share, such as loaders.
	x.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		ctx, cancel := context.WithTimeout(ctx, config.Timeout)
		defer cancel()
		return next(config.Around(apierr.Once(ctx)))
	})
	// The report watches the loaders of a response, so it is inside of what makes them.
	if config.Watch != nil && !config.Production {
		x.Use(report.Extension{Watch: config.Watch, Most: config.Limits[limits.Plan]})
	}
	// An event waits for its slot last, right before its fields are resolved.
	x.Use(plan.Events{Turn: admission.acquireEvent})
	return x
}

// Explain returns the plan of a request, or the errors with which the endpoint would refuse it. For a request that costs
// too much it returns both. The viewer is that of ctx.
func Explain(
	ctx context.Context, schema graphql.ExecutableSchema, costs explain.Costs, bounds limits.Limits,
	params *graphql.RawParams,
) (*explain.Plan, gqlerror.List) {
	ctx = graphql.StartOperationTrace(ctx)
	operation, errs := newPreparer(schema.Schema(), bounds, false).prepare(ctx, params)
	if errs != nil {
		return nil, errs
	}
	ctx = graphql.WithOperationContext(ctx, operation)
	plan, err := explain.Predict(ctx, schema, costs, bounds[limits.Plan])
	if err != nil {
		return nil, gqlerror.List{gqlerror.Wrap(err)}
	}
	if refusal := limits.New(bounds, schema, costs).MutateOperationContext(ctx, operation); refusal != nil {
		return plan, gqlerror.List{refusal}
	}
	return plan, nil
}
