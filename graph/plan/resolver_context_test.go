package plan

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"
)

type recorder struct {
	mu    sync.Mutex
	lines []string
}

func (s *recorder) record(schema *planned, line func(ctx context.Context, parents []any, args map[string]any) string) {
	for _, object := range schema.config.Types.Objects {
		for _, field := range object.Fields {
			call := field.ResolveBatch
			if call == nil {
				continue
			}
			field.ResolveBatch = func(ctx context.Context, exec any, parents []any, args map[string]any) ([]any, error) {
				s.mu.Lock()
				s.lines = append(s.lines, line(ctx, parents, args))
				s.mu.Unlock()
				return call(ctx, exec, parents, args)
			}
		}
	}
}

func TestResolverContextDescribesTheField(t *testing.T) {
	at := func(ctx context.Context) string { return graphql.GetPath(ctx).String() }
	for _, test := range []struct {
		name, query string
		fixture     *fixture
		line        func(ctx context.Context, parents []any, args map[string]any) string
		want        []string
	}{
		{"object type, field name and alias", `{result:echo m:me{b:best{name}}}`, people(),
			func(ctx context.Context, _ []any, _ map[string]any) string {
				c := graphql.GetFieldContext(ctx)
				return fmt.Sprintf("%s.%s as %s: %s", c.Object, c.Field.Name, c.Field.Alias, c.Field.Definition.Type)
			},
			[]string{"Person.best as b: Person", "Query.echo as result: String", "Query.me as m: Person"}},
		{"path without list indexes", `{l1:named{...on Mammal{l2:mother{l3:mother{name}}}}}`, animals(),
			func(ctx context.Context, _ []any, _ map[string]any) string {
				return graphql.GetFieldContext(ctx).Object + " " + at(ctx)
			},
			[]string{"Cat l1.l2", "Cat l1.l2.l3", "Dog l1.l2", "Dog l1.l2.l3", "Query l1"}},
		{"path through a field without a resolver", `{me{home:house{of:owner{name}}}}`, people(),
			func(ctx context.Context, _ []any, _ map[string]any) string { return at(ctx) },
			[]string{"me", "me.home.of"}},
		{"arguments", `query($n:Int){a:echo(arg:"foo",n:123) b:echo(n:$n)}`, people(),
			func(ctx context.Context, _ []any, args map[string]any) string {
				return fmt.Sprint(at(ctx), " ", args, graphql.GetFieldContext(ctx).Args)
			},
			[]string{"a map[arg:foo n:123] map[arg:foo n:123]", "b map[arg:none n:7] map[arg:none n:7]"}},
		{"operation and variables", `query Named($n:Int){echo(n:$n)}`, people(),
			func(ctx context.Context, _ []any, _ map[string]any) string {
				op := graphql.GetOperationContext(ctx)
				return fmt.Sprint(op.Operation.Name, " ", op.Variables)
			},
			[]string{"Named map[n:7]"}},
		{"parents", `{people{best{name}}}`, people(),
			func(ctx context.Context, parents []any, _ map[string]any) string {
				names := []any{}
				for _, p := range parents {
					names = append(names, property(p, "name"))
				}
				return fmt.Sprint(at(ctx), names)
			},
			[]string{"people.best[a b c]", "people[<nil>]"}},
		{"selected fields of all merged selections", `{me{friends{name}} ...F} fragment F on Query{me{friends{first best{name}}}}`, people(),
			func(ctx context.Context, _ []any, _ map[string]any) string {
				names := ""
				for _, f := range graphql.CollectFieldsCtx(ctx, []string{"Person"}) {
					names += " " + f.Name
				}
				return at(ctx) + names
			},
			[]string{"me friends", "me.friends name first best", "me.friends.best name"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			schema, s := test.fixture.build(), &recorder{}
			s.record(schema, test.line)
			e := newExecutor(schema)
			params := &graphql.RawParams{Query: test.query, Variables: map[string]any{"n": 7}}
			op, errs := e.CreateOperationContext(graphql.StartOperationTrace(t.Context()), params)
			if errs != nil {
				t.Fatal(errs)
			}
			respond, ctx := e.DispatchOperation(t.Context(), op)
			respond(ctx)
			slices.Sort(s.lines)
			if diff := cmp.Diff(test.want, s.lines); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
