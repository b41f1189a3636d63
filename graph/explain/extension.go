package explain

import (
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/apierr"
	"twibase/graph/plan"
)

// Header asks for a plan, instead of execution, if its value is 1.
const Header = "X-Twibase-Explain"

// Middleware answers requests that ask for it with their plans, of at most so many bytes, 0 for any number.
func Middleware(schema graphql.ExecutableSchema, costs Costs, most int) graphql.OperationMiddleware {
	return func(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
		if graphql.GetOperationContext(ctx).Headers.Get(Header) != "1" {
			return next(ctx)
		}
		response := &graphql.Response{Data: []byte("null")}
		if p, err := Predict(ctx, schema, costs, most); err != nil {
			if errors.Is(err, plan.ErrUnplanned) {
				err = apierr.BadUserInput("%s", err)
			}
			response.Errors = append(response.Errors, apierr.Present(ctx, err))
		} else {
			response.Extensions = map[string]any{"plan": p.JSON}
		}
		return graphql.OneShot(response)
	}
}
