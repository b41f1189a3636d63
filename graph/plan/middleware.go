package plan

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
)

// PassField and PassRootField are the middlewares of an operation without field middlewares, for programs that make a
// [graphql.OperationContext] themselves.

// PassField implements [graphql.FieldMiddleware].
func PassField(ctx context.Context, next graphql.Resolver) (any, error) { return next(ctx) }

// PassRootField implements [graphql.RootFieldMiddleware].
func PassRootField(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
	return next(ctx)
}

var errMiddleware = errors.New("plan: AroundFields, AroundRootFields and extensions with InterceptField or InterceptRootField " +
	"are never called, as a resolver is called once for many objects: do it in AroundResponses or in the resolvers")

// middlewares are the functions that do nothing around a field, by their code.
type middlewares []uintptr

// newMiddlewares asks gqlgen for those of a server without extensions.
func newMiddlewares(schema graphql.ExecutableSchema) middlewares {
	op, _ := executor.New(schema).CreateOperationContext(graphql.StartOperationTrace(context.Background()), &graphql.RawParams{})
	return middlewares{code(op.ResolverMiddleware), code(op.RootResolverMiddleware), code(PassField), code(PassRootField)}
}

// check returns an error if an operation has other middlewares of fields.
func (m middlewares) check(op *graphql.OperationContext) error {
	if slices.Contains(m, code(op.ResolverMiddleware)) && slices.Contains(m, code(op.RootResolverMiddleware)) {
		return nil
	}
	return errMiddleware
}

func code(f any) uintptr { return reflect.ValueOf(f).Pointer() }
