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

// Extension answers requests that ask for it with their plans. It is one of gqlgen's.
type Extension struct {
	Schema graphql.ExecutableSchema
	Costs  Costs
	// Most is how many bytes a plan has at most, 0 for any number.
	Most int
}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationInterceptor
} = Extension{}

// ExtensionName implements [graphql.HandlerExtension].
func (Extension) ExtensionName() string { return "explain" }

// Validate implements [graphql.HandlerExtension].
func (Extension) Validate(graphql.ExecutableSchema) error { return nil }

// InterceptOperation implements [graphql.OperationInterceptor]. Neither loaders nor reports come into being: nothing is executed.
func (e Extension) InterceptOperation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	if graphql.GetOperationContext(ctx).Headers.Get(Header) != "1" {
		return next(ctx)
	}
	response := &graphql.Response{Data: []byte("null")}
	if p, err := Predict(ctx, e.Schema, e.Costs, e.Most); err != nil {
		if errors.Is(err, plan.ErrUnplanned) {
			err = apierr.BadUserInput("%s", err)
		}
		response.Errors = append(response.Errors, apierr.Present(ctx, err))
	} else {
		response.Extensions = map[string]any{"plan": p.JSON}
	}
	return graphql.OneShot(response)
}
