package plan

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"
)

func countCoercions(schema *planned) map[string]int {
	counts, mu := map[string]int{}, sync.Mutex{}
	for _, object := range schema.config.Types.Objects {
		for name, field := range object.Fields {
			coerce := field.Args
			if coerce == nil {
				continue
			}
			field.Args = func(ctx context.Context, exec any, raw map[string]any) (map[string]any, error) {
				mu.Lock()
				counts[name]++
				mu.Unlock()
				args, err := coerce(ctx, exec, raw)
				if len(args) == 0 {
					return nil, err // as for optional arguments
				}
				return args, err
			}
		}
	}
	return counts
}

func optionalArguments() *fixture {
	all := perParent(func(p *testObject) any { return p.fields["friends"] })
	args := func(parents []*testObject, args map[string]any) ([]any, error) {
		return returns(fmt.Sprint(args))(parents, nil)
	}
	friends := list(obj("Person", "name", "b", "plain", list(obj("Person"))))
	return &fixture{sdl: `type Query { me: Person } type Person { name: String, plain(n: Int): [Person], friends(n: Int): [Person], echo(arg: String, n: Int): String, default(n: Int = 5): String }`,
		resolvers: map[string]resolver{
			"Query.me":       returns(obj("Person", "name", "a", "friends", friends, "plain", friends)),
			"Person.friends": all, "Person.echo": args, "Person.default": args,
		}}
}

func TestConstantArgumentsAreCoercedOnce(t *testing.T) {
	for _, test := range []struct {
		name, query string
		wants       [2]string
		counts      map[string]int // coercions of both requests, by field
	}{
		{"literals", `{me{echo(arg:"x",n:1)}}`, [2]string{`"echo":"map[arg:x n:1]"`, `"echo":"map[arg:x n:1]"`}, map[string]int{"echo": 1}},
		{"no arguments: all are optional", `{me{echo friends{name} plain{name}}}`,
			[2]string{`"echo":"map[]","friends":[{"name":"b"}],"plain":[{"name":"b"}]`, `"echo":"map[]","friends":[{"name":"b"}],"plain":[{"name":"b"}]`},
			map[string]int{"echo": 1, "friends": 1, "plain": 1}},
		{"a default", `{me{default}}`, [2]string{`"default":"map[n:5]"`, `"default":"map[n:5]"`}, map[string]int{"default": 1}},
		{"null", `{me{default(n:null)}}`, [2]string{`"default":"map[n:\u003cnil\u003e]"`, `"default":"map[n:\u003cnil\u003e]"`}, map[string]int{"default": 1}},
		{"each selection has its own arguments", `{me{a:echo(arg:"x") b:echo(arg:"y") c:echo d:default}}`,
			[2]string{`"a":"map[arg:x]","b":"map[arg:y]","c":"map[]","d":"map[n:5]"`, `"a":"map[arg:x]","b":"map[arg:y]","c":"map[]","d":"map[n:5]"`}, map[string]int{"echo": 3, "default": 1}},
		{"variables are coerced for each request", `query($v:Int){me{echo(arg:"x",n:$v) a:default(n:$v) b:default(n:2)}}`,
			[2]string{`"echo":"map[arg:x n:1]","a":"map[n:1]","b":"map[n:2]"`, `"echo":"map[arg:x]","a":"map[n:5]","b":"map[n:2]"`}, map[string]int{"echo": 2, "default": 3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			schema := optionalArguments().build()
			counts, e := countCoercions(schema), newExecutor(schema)
			e.SetQueryCache(lru.New[*ast.QueryDocument](10))
			for i, variables := range []map[string]any{{"v": 1}, {}} {
				if got, want := execute(e, test.query, "", variables), `{"data":{"me":{`+test.wants[i]+`}}}`; got != want {
					t.Errorf("response %d:\ngot  %s\nwant %s", i, got, want)
				}
			}
			if diff := cmp.Diff(test.counts, counts); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("once for each variant of @skip and @include", func(t *testing.T) {
		schema := optionalArguments().build()
		counts, e := countCoercions(schema), newExecutor(schema)
		e.SetQueryCache(lru.New[*ast.QueryDocument](10))
		for i := range 6 {
			want := `{"data":{"me":{"a":"map[arg:x]"}}}`
			if i%2 == 0 {
				want = `{"data":{"me":{"b":"map[arg:y]"}}}`
			}
			if got := execute(e, `query($v:Boolean!){me{a:echo(arg:"x")@skip(if:$v) b:echo(arg:"y")@include(if:$v)}}`, "", map[string]any{"v": i%2 == 0}); got != want {
				t.Error(got)
			}
		}
		if counts["echo"] != 2 {
			t.Errorf("coerced %d times, want 2: once per variant", counts["echo"])
		}
	})
	t.Run("a failed coercion is not cached", func(t *testing.T) {
		schema := optionalArguments().build()
		counts, e := countCoercions(schema), newExecutor(schema)
		e.SetQueryCache(lru.New[*ast.QueryDocument](10))
		want := `{"errors":[{"message":"arg can't be bad","path":["me","echo"],"locations":[{"line":1,"column":5}]},{"message":"panic of an argument","path":["me","x"],"locations":[{"line":1,"column":21}]}],"data":{"me":{"echo":null,"x":null}}}`
		for range 2 {
			if got := execute(e, `{me{echo(arg:"bad") x:echo(arg:"worse")}}`, "", nil); got != want {
				t.Error(got)
			}
		}
		if counts["echo"] != 4 {
			t.Errorf("coerced %d times, want 4", counts["echo"])
		}
	})
}
