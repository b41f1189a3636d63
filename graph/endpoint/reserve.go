package endpoint

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/apierr"
	"twibase/graph/plan"
)

// errTooBusy has no retryAfterMs: the mutation was executed, and must not be repeated.
var errTooBusy = &apierr.Error{
	Code:    apierr.CodeUnavailable,
	Message: "the mutation was executed, but the server is too busy for its long answer; read what it changed",
}

// WithReserve is [plan.WithReserve], but a mutation for which reserve fails gets errTooBusy. Around
// of [Config] calls it.
func WithReserve(ctx context.Context, reserve func(bytes int) error) context.Context {
	return plan.WithReserve(ctx, reserveFor(ctx, reserve))
}

func reserveFor(ctx context.Context, reserve func(bytes int) error) func(bytes int) error {
	return func(bytes int) error {
		err := reserve(bytes)
		if err != nil && graphql.GetOperationContext(ctx).Operation.Operation == ast.Mutation {
			return errTooBusy
		}
		return err
	}
}
