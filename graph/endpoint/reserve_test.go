package endpoint

import (
	"errors"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

func TestBusyMutationIsNotRetried(t *testing.T) {
	busy := errors.New("busy; try again later")
	for operation, want := range map[ast.Operation]error{ast.Query: busy, ast.Subscription: busy, ast.Mutation: errTooBusy} {
		ctx := graphql.WithOperationContext(t.Context(), &graphql.OperationContext{
			Operation: &ast.OperationDefinition{Operation: operation},
		})
		if err := reserveFor(ctx, func(int) error { return busy })(1); !errors.Is(err, want) {
			t.Errorf("%s: got error %v, want %v", operation, err, want)
		}
		if err := reserveFor(ctx, func(int) error { return nil })(1); err != nil {
			t.Errorf("%s with memory: got error %v", operation, err)
		}
	}
}
