package endpoint

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/apierr"
	"twibase/graph/explain"
	"twibase/graph/limits"
	"twibase/graph/plan"
	"twibase/graph/report"
)

// newExecutor returns gqlgen's executor with middleware, the outermost first. A [preparer] replaces
// its steps before execution.
func newExecutor(schema graphql.ExecutableSchema, config *Config, admission *admission) *executor.Executor {
	x := executor.New(schema)
	x.SetErrorPresenter(apierr.Present)
	x.SetRecoverFunc(apierr.Recover)
	x.AroundResponses(config.Limits.BoundResponse)
	if config.Costs != nil {
		x.AroundOperations(explain.Middleware(schema, config.Costs, config.Limits[limits.Plan]))
	}
	x.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		ctx, cancel := context.WithTimeout(ctx, config.Timeout)
		defer cancel()
		return next(config.Around(apierr.Once(ctx)))
	})
	// The report traces the loaders of a response, so it comes after they were made.
	if config.Watch != nil && !config.Production {
		x.AroundResponses(report.Middleware(config.Watch, config.Limits[limits.Plan]))
	}
	// An event waits for its slot right before its fields are resolved.
	x.Use(plan.Events{Acquire: admission.acquireEvent})
	return x
}

// Explain returns the plan of a request, the errors that would refuse it, or both if it costs too
// much.
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

// Invalid returns the error of a document that the endpoint would refuse, nil if it is valid.
func (e *Endpoint) Invalid(document string) error {
	if _, errs := e.preparer.parse(document); errs != nil {
		return errs
	}
	return nil
}
