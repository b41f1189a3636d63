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
	"twibase/graph/report"
)

// newExecutor returns gqlgen's executor of the schema with the middleware around operations and responses, the
// outermost first. A [preparer] takes the steps before execution.
func newExecutor(schema graphql.ExecutableSchema, config *Config, admission *admission) *executor.Executor {
	x := executor.New(schema)
	x.SetErrorPresenter(apierr.Present)
	x.SetRecoverFunc(apierr.Recover)
	x.AroundResponses(config.Limits.BoundResponse)
	if config.Costs != nil {
		x.AroundOperations(explain.Middleware(schema, config.Costs, config.Limits[limits.Plan]))
	}
	// Each response has a timeout and resources of its own, such as loaders.
	x.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		ctx, cancel := context.WithTimeout(ctx, config.Timeout)
		defer cancel()
		return next(config.Around(apierr.Once(ctx)))
	})
	// The report watches the loaders of a response, so it must be inside the middleware that makes
	// them.
	if config.Watch != nil && !config.Production {
		x.AroundResponses(report.Middleware(config.Watch, config.Limits[limits.Plan]))
	}
	// An event waits for its slot last, right before its fields are resolved.
	x.Use(plan.Events{Acquire: admission.acquireEvent})
	return x
}

// Explain returns the plan of a request, or the errors with which the endpoint would refuse it, or
// both if it costs too much. The viewer is that of ctx.
func Explain(
	ctx context.Context, schema graphql.ExecutableSchema, costs explain.Costs, bounds limits.Limits,
	params *graphql.RawParams,
) (*explain.Plan, gqlerror.List) {
	ctx = graphql.StartOperationTrace(ctx)
	operation, errs := newPreparer(schema.Schema(), &Config{Limits: bounds}).prepare(ctx, params)
	if errs != nil {
		return nil, errs
	}
	ctx = graphql.WithOperationContext(ctx, operation)
	plan, err := explain.Predict(ctx, schema, costs, bounds[limits.Plan])
	if err != nil {
		return nil, gqlerror.List{gqlerror.Wrap(err)}
	}
	if refusal := limits.NewCostCheck(bounds, schema, costs).Check(ctx, operation); refusal != nil {
		return plan, gqlerror.List{refusal}
	}
	return plan, nil
}

// Invalid returns the error with which a server in production would refuse a trusted document, nil
// if it is valid.
func Invalid(schema *ast.Schema, bounds limits.Limits, document string) error {
	if _, errs := newPreparer(schema, &Config{Limits: bounds, Production: true}).parse(document); errs != nil {
		return errs
	}
	return nil
}
