package endpoint

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/explain"
	"twibase/graph/limits"
)

// Checker predicts costs, and the errors of an endpoint, without a store. It is safe for concurrent
// use.
type Checker struct {
	schema   graphql.ExecutableSchema
	costs    explain.Costs
	limits   limits.Limits
	preparer *preparer
	check    *limits.CostCheck
}

// NewChecker takes the limits of the endpoint.
func NewChecker(schema graphql.ExecutableSchema, costs explain.Costs, bounds limits.Limits) *Checker {
	return &Checker{
		schema, costs, bounds, newPreparer(schema.Schema(), &Config{Limits: bounds}),
		limits.NewCostCheck(bounds, schema, costs),
	}
}

// Explain returns a plan, errors, or both if the request costs too much.
func (c *Checker) Explain(ctx context.Context, params *graphql.RawParams) (*explain.Plan, gqlerror.List) {
	ctx = graphql.StartOperationTrace(ctx)
	operation, _, errs := c.preparer.prepare(ctx, params)
	if errs != nil {
		return nil, errs
	}
	ctx = graphql.WithOperationContext(ctx, operation)
	plan, err := explain.Predict(ctx, c.schema, c.costs, c.limits[limits.Plan])
	if err != nil {
		return nil, gqlerror.List{gqlerror.Wrap(err)}
	}
	if _, rejection := c.check.Check(ctx, operation); rejection != nil {
		return plan, gqlerror.List{rejection}
	}
	return plan, nil
}

// Document parses and validates a document. The caller may change the result.
func (c *Checker) Document(text string) (*ast.QueryDocument, gqlerror.List) {
	doc, errs := c.preparer.parse(text)
	return doc, c.limits.BoundErrors(errs)
}

// Itemize returns the cost of an operation of a valid document, errors, or both if it costs too
// much. given has the variables: decoded JSON with [json.Number].
func (c *Checker) Itemize(
	ctx context.Context, doc *ast.QueryDocument, operation string, given map[string]any,
) (totals explain.Totals, items []explain.Item, errs gqlerror.List) {
	ctx = graphql.StartOperationTrace(ctx)
	if rejection := c.limits.Values(given); rejection != nil {
		return totals, nil, gqlerror.List{gqlerror.Wrap(rejection)}
	}
	op := newOperation(ctx)
	op.Doc, op.OperationName = doc, operation
	if errs := c.preparer.operation(op, given); errs != nil {
		return totals, nil, errs
	}
	ctx = graphql.WithOperationContext(ctx, op)
	totals, items, err := explain.Itemize(ctx, c.schema, c.costs)
	if err != nil {
		return totals, nil, gqlerror.List{gqlerror.Wrap(err)}
	}
	if _, rejection := c.check.Check(ctx, op); rejection != nil {
		errs = gqlerror.List{rejection}
	}
	return totals, items, errs
}
