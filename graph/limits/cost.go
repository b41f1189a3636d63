package limits

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/auth"
	"twibase/graph/explain"
	"twibase/graph/plan"
	"twibase/graph/recent"
)

// CostCheck rejects operations that cost too much, and is safe for concurrent use.
type CostCheck struct {
	limits Limits
	schema graphql.ExecutableSchema
	costs  explain.Costs
	passed *recent.Cache[constantOperation, int64]
}

// constantOperation is an operation without variables, for a kind of viewer. known is false for an
// anonymous viewer.
type constantOperation struct {
	operation    *ast.OperationDefinition
	known, admin bool
}

// The cache has the size of the document cache, because an entry refers to its document.
const (
	cachedOperations = 1000
	cachedBytes      = 1 << 20
	cachedLength     = 8 << 10
)

// NewCostCheck returns a check. If costs is nil, the check rejects nothing.
func NewCostCheck(limits Limits, schema graphql.ExecutableSchema, costs explain.Costs) *CostCheck {
	return &CostCheck{limits, schema, costs, recent.New[constantOperation, int64](cachedOperations, cachedBytes)}
}

// Check returns the maximum number of rows of an operation. It rejects an operation that costs too
// much, or whose arguments a resolver would reject, unless the plan is requested, which shows the
// cost and the error.
func (c *CostCheck) Check(
	ctx context.Context, operation *graphql.OperationContext,
) (rows int64, rejection *gqlerror.Error) {
	if c.costs == nil || c.limits == (Limits{}) || operation.Headers.Get(explain.Header) == "1" {
		return 0, nil
	}
	viewer, known := auth.ViewerOf(ctx)
	key := constantOperation{operation.Operation, known, viewer.Admin}
	constant := len(operation.Operation.VariableDefinitions) == 0 && len(operation.RawQuery) <= cachedLength
	if constant {
		if rows, passed := c.passed.Get(key); passed {
			return rows, nil
		}
	}
	totals, err := explain.Bound(graphql.WithOperationContext(ctx, operation), c.schema, c.costs)
	if err != nil {
		return 0, gqlerror.WrapIfUnwrapped(err)
	}
	checked := checker{limits: &c.limits}
	checked.check(Rows, int(totals.Rows))
	checked.check(RPCs, int(totals.RPCs))
	checked.check(Objects, int(totals.Objects))
	checked.check(Resolved, int(totals.Resolved))
	if checked.rejection != nil {
		return 0, gqlerror.Wrap(checked.rejection)
	}
	if constant {
		c.passed.Add(key, totals.Rows, len(operation.RawQuery))
	}
	return totals.Rows, nil
}

// BoundResponse is a [graphql.ResponseMiddleware] that bounds the length and the number of errors
// of a response. If errors are dropped, the last remaining one has the number of all errors.
func (l *Limits) BoundResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	bounds := &plan.Bounds{Bytes: l[Answer], Errors: l[Errors]}
	response := next(plan.WithBounds(ctx, bounds))
	if response == nil {
		return nil
	}
	if rejection := l.check(Errors, len(response.Errors)+bounds.Unreported); rejection != nil {
		response.Errors = append(slices.Clone(response.Errors[:l[Errors]-1]), rejection.GraphQL())
	}
	return response
}

// BoundErrors drops the errors of a rejected request that exceed their limit.
func (l *Limits) BoundErrors(errs gqlerror.List) gqlerror.List {
	if rejection := l.check(Errors, len(errs)); rejection != nil {
		return append(slices.Clone(errs[:l[Errors]-1]), gqlerror.Wrap(rejection))
	}
	return errs
}
