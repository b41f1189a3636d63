package plan

import (
	"context"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
)

type interceptor struct{}

func (interceptor) ExtensionName() string                   { return "interceptor" }
func (interceptor) Validate(graphql.ExecutableSchema) error { return nil }
func (interceptor) InterceptField(ctx context.Context, next graphql.Resolver) (any, error) {
	return next(ctx)
}

func TestFieldMiddlewaresAreRejected(t *testing.T) {
	rejected := `{"errors":[{"message":"` + errMiddleware.Error() + `"}],"data":null}`
	for _, test := range []struct {
		name string
		use  func(e *executor.Executor)
		want string
	}{
		{"none", func(*executor.Executor) {}, ""},
		{"around responses", func(e *executor.Executor) {
			e.AroundResponses(func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response { return next(ctx) })
		}, ""},
		{"around fields", func(e *executor.Executor) {
			e.AroundFields(func(ctx context.Context, next graphql.Resolver) (any, error) { return next(ctx) })
		}, rejected},
		{"around root fields", func(e *executor.Executor) {
			e.AroundRootFields(func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler { return next(ctx) })
		}, rejected},
		{"of an extension", func(e *executor.Executor) { e.Use(interceptor{}) }, rejected},
	} {
		t.Run(test.name, func(t *testing.T) {
			for query, answer := range map[string]string{
				`{me{name}}`:                `{"data":{"me":{"name":"a"}}}`,
				`mutation{fail}`:            `{"data":{"fail":null}}`,
				`subscription{ticks{name}}`: `{"data":{"ticks":{"name":"tick"}}}`,
			} {
				fx := people()
				fx.sdl += ` type Subscription { ticks: Person }`
				fx.resolvers["Subscription.ticks"] = returns(nil)
				schema := fx.build()
				ticks := schema.config.Types.Objects["Subscription"].Fields["ticks"]
				ticks.Subscribe = func(context.Context, any, map[string]any) (Source, error) {
					return func(context.Context) (any, bool) { return obj("Person", "name", "tick"), true }, nil
				}
				e := newExecutor(schema)
				test.use(e)
				if test.want != "" {
					answer = test.want
				}
				if got := execute(e, query, "", nil); got != answer {
					t.Errorf("%s: got %s, want %s", query, got, answer)
				}
			}
		})
	}
	t.Run("PassField and PassRootField", func(t *testing.T) {
		m := noopMiddlewares(people().build())
		op := &graphql.OperationContext{ResolverMiddleware: PassField, RootResolverMiddleware: PassRootField}
		if err := m.check(op); err != nil {
			t.Error(err)
		}
	})
}
