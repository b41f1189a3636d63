package plan

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"
)

func trees() *fixture {
	null := returns(nil)
	return &fixture{sdl: `
		type Tree { name: String! leaves(arg: String): [Leaf!] bird: Bird }
		type Leaf { tree: Tree spots: Spots }
		type Spots { first: Leaf forest: Query }
		type Wren { sings: Boolean nest: Tree }
		type Crow { caws: Boolean nest: Tree }
		union Bird = Wren | Crow
		type Query { tree(arg: String): Tree trees: [Tree] }
		type Mutation { plant: Tree fell: Tree }
		type Subscription { falls: Leaf }`,
		resolvers: map[string]resolver{
			"Query.tree": null, "Query.trees": null, "Tree.leaves": null, "Tree.bird": null, "Leaf.tree": null,
			"Spots.first": null, "Wren.nest": null, "Crow.nest": null, "Mutation.plant": null, "Mutation.fell": null,
			"Subscription.falls": null,
		}}
}

func visits(t *testing.T, fx *fixture, query string, variables map[string]any) (calls []string) {
	t.Helper()
	schema := fx.build()
	ctx := graphql.StartOperationTrace(context.Background())
	op, errs := newExecutor(schema).CreateOperationContext(ctx, &graphql.RawParams{Query: query, Variables: variables})
	if errs != nil {
		t.Fatal(errs)
	}
	ctx = graphql.WithOperationContext(ctx, op)
	err := Walk(ctx, schema, "root", func(call Call, parents string) func(string) string {
		line := fmt.Sprintf("%s: %s.%s", parents, call.Object, call.Field)
		if call.Args != nil {
			line += fmt.Sprint(" ", call.Args["arg"])
		}
		if call.Err != nil {
			line += " fails: " + call.Err.Error()
		}
		if call.Root {
			line += " is a root"
		}
		if call.Serial {
			line += " serially"
		}
		calls = append(calls, line)
		return func(typ string) string { return fmt.Sprint(graphql.GetPath(call.Ctx), " ", typ) }
	})
	if err != nil {
		t.Fatal(err)
	}
	if by := ExecutionOf(op); by != (Execution{}) {
		t.Errorf("executed by %+v, want nothing", by)
	}
	if fx.calls != nil || fx.tasks.started != 0 {
		t.Errorf("resolver calls %q and %d tasks, want none", fx.calls, fx.tasks.started)
	}
	return calls
}

func TestWalkVisitsCallsAfterThoseOfTheirParents(t *testing.T) {
	for _, test := range []struct {
		name, query string
		variables   map[string]any
		want        []string
	}{
		{"a call comes after the call of its parents", `{t:tree{name leaves{tree{name}}} trees{name}}`, nil,
			[]string{"root: Query.tree <nil>", "t Tree: Tree.leaves <nil>", "t.leaves Leaf: Leaf.tree", "root: Query.trees"}},
		{"fields without resolvers are not visited", `{tree{leaves{spots{first{tree{name}}}}}}`, nil,
			[]string{
				"root: Query.tree <nil>", "tree Tree: Tree.leaves <nil>", "tree.leaves Leaf: Spots.first",
				"tree.leaves.spots.first Leaf: Leaf.tree",
			}},
		{"each type of a union", `{tree{bird{...on Wren{sings nest{name}} ...on Crow{nest{name}}}}}`, nil,
			[]string{"root: Query.tree <nil>", "tree Tree: Tree.bird", "tree.bird Crow: Crow.nest",
				"tree.bird Wren: Wren.nest"}},
		{"variables, and skipped fields", `query($a:String,$b:Boolean!){tree(arg:$a){name leaves@skip(if:$b){__typename}}}`, map[string]any{"a": "oak", "b": true},
			[]string{"root: Query.tree oak"}},
		{"invalid arguments", `{tree(arg:"bad"){leaves(arg:"worse"){__typename}}}`, nil,
			[]string{"root: Query.tree fails: arg can't be bad", "tree Tree: Tree.leaves fails: input: panic of an argument"}},
		{"root fields of a mutation are serial", `mutation{plant{leaves{__typename}} fell{name}}`, nil,
			[]string{"root: Mutation.plant serially", "plant Tree: Tree.leaves <nil>", "root: Mutation.fell serially"}},
		{"the query root below a field", `{tree{leaves{spots{forest{trees{name}}}}}}`, nil,
			[]string{
				"root: Query.tree <nil>", "tree Tree: Tree.leaves <nil>", "tree.leaves Leaf: Spots.forest is a root",
				"tree.leaves.spots.forest Query: Query.trees",
			}},
		{"an event of a subscription", `subscription{falls{tree{name}}}`, nil,
			[]string{"root: Subscription.falls", "falls Leaf: Leaf.tree"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			calls := visits(t, trees(), test.query, test.variables)
			if diff := cmp.Diff(test.want, calls); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("introspection has no resolvers", func(t *testing.T) {
		if calls := visits(t, trees(), `{__schema{types{name}}}`, nil); calls != nil {
			t.Errorf("%q", calls)
		}
	})
	t.Run("@defer has no effect", func(t *testing.T) {
		calls := visits(t, trees(), `{tree{...@defer{name}}}`, nil)
		plain := visits(t, trees(), `{tree{...{name}}}`, nil)
		if diff := cmp.Diff(plain, calls); diff != "" {
			t.Errorf("(-without +with):\n%s", diff)
		}
	})
	t.Run("a schema without a plan", func(t *testing.T) {
		err := Walk(t.Context(), generated{}, "", func(Call, string) func(string) string { return nil })
		if !errors.Is(err, ErrUnplanned) {
			t.Error(err)
		}
	})
}
