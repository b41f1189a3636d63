package endpoint

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// The bounds of the cache of parsed and validated queries. A parsed query takes some fifty times the bytes of its text, so that long ones,
// which programs hardly repeat, would fill the memory.
const (
	cachedQueries = 1000
	cachedLength  = 8 << 10
)

type queryCache struct{ *lru.LRU[*ast.QueryDocument] }

func newQueryCache() queryCache { return queryCache{lru.New[*ast.QueryDocument](cachedQueries)} }

// Add implements [graphql.Cache].
func (c queryCache) Add(ctx context.Context, query string, document *ast.QueryDocument) {
	if len(query) <= cachedLength {
		c.LRU.Add(ctx, query, document)
	}
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
