package plan

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
)

// PassField and PassRootField are for operation contexts that are made without gqlgen's executor.

// PassField implements [graphql.FieldMiddleware].
func PassField(ctx context.Context, next graphql.Resolver) (any, error) { return next(ctx) }

// PassRootField implements [graphql.RootFieldMiddleware].
func PassRootField(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
	return next(ctx)
}

var errMiddleware = errors.New("plan: AroundFields, AroundRootFields, InterceptField and InterceptRootField are " +
	"not supported, because a resolver is called once for many objects: move their code to AroundResponses or to the " +
	"resolvers")

// middlewares are the code pointers of field middlewares that do nothing. An extension that
// intercepts fields wraps them in a function with other code.
type middlewares []uintptr

func noopMiddlewares(schema graphql.ExecutableSchema) middlewares {
	ctx := graphql.StartOperationTrace(context.Background())
	op, _ := executor.New(schema).CreateOperationContext(ctx, &graphql.RawParams{}) // a parse error
	return middlewares{
		code(op.ResolverMiddleware), code(op.RootResolverMiddleware), code(PassField), code(PassRootField),
	}
}

func (m middlewares) check(op *graphql.OperationContext) error {
	if slices.Contains(m, code(op.ResolverMiddleware)) && slices.Contains(m, code(op.RootResolverMiddleware)) {
		return nil
	}
	return errMiddleware
}

func code(f any) uintptr { return reflect.ValueOf(f).Pointer() }
