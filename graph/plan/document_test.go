package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestResponseFieldsAreInQueryOrder(t *testing.T) {
	const fields = 5
	for _, test := range []struct{ name, query, want string }{
		{"of the root", `{a b c d e}`, `{"data":{"a":"a","b":"b","c":"c","d":"d","e":"e"}}`},
		{"of the root, reversed", `{e d c b a}`, `{"data":{"e":"e","d":"d","c":"c","b":"b","a":"a"}}`},
		{"of an object", `{t{a b x c d e}}`, `{"data":{"t":{"a":"a","b":"b","x":null,"c":"c","d":"d","e":"e"}}}`},
		{"of a list", `{ts{e d:d a b c}}`, `{"data":{"ts":[{"e":"e","d":"d","a":"a","b":"b","c":"c"},{"e":"e","d":"d","a":"a","b":"b","c":"c"}]}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			fx := &fixture{sdl: `type Query { a: String, b: String, c: String, d: String, e: String, t: T, ts: [T] } type T { x: String, a: String, b: String, c: String, d: String, e: String }`,
				resolvers: map[string]resolver{"Query.t": returns(obj("T")), "Query.ts": returns(list(obj("T"), obj("T")))}}
			var ended [fields + 1]chan struct{}
			for i := range ended {
				ended[i] = make(chan struct{})
			}
			close(ended[fields])
			var order []string
			for i := range fields {
				name := string(rune('a' + i))
				resolve := func(parents []*testObject, _ map[string]any) ([]any, error) {
					<-ended[i+1]
					order = append(order, name)
					close(ended[i])
					return returns(name)(parents, nil)
				}
				fx.resolvers["Query."+name], fx.resolvers["T."+name] = resolve, resolve
			}
			if got := execute(newExecutor(fx.build()), test.query, "", nil); got != test.want {
				t.Errorf("response:\ngot  %s\nwant %s", got, test.want)
			}
			if want := "[e d c b a]"; fmt.Sprint(order) != want {
				t.Errorf("resolvers returned in the order %v, want %s", order, want)
			}
		})
	}
}

func TestMergedFieldHasThePlaceOfItsFirstSelectionAtEachDepth(t *testing.T) {
	fx := people()
	fx.check(t, `{...F me{house{street} friends{a:name}} ...F ...on Query{me{b:name house{owner{name}}}}} fragment F on Query{me{friends{b:name ...G} house{t:__typename}}} fragment G on Person{a:name c:first}`, nil,
		`{"data":{"me":{"friends":[{"b":"a0","a":"a0","c":null},{"b":"a1","a":"a1","c":null}],"house":{"t":"House","street":"s","owner":{"name":"o"}},"b":"a"}}}`,
		"Query.me 1", "Person.friends 1", "House.owner 1")
}

func TestOperationIsSelectedByName(t *testing.T) {
	for _, test := range []struct{ name, query, operation, want string }{
		{"the operation has no name", `{me{name}}`, "", `{"data":{"me":{"name":"a"}}}`},
		{"the only operation needs no name", `query A{me{name}}`, "", `{"data":{"me":{"name":"a"}}}`},
		{"by name", `query A{me{name}} query B{me{first}}`, "B", `{"data":{"me":{"first":null}}}`},
		{"a mutation next to a query", `query A{__typename} mutation B{__typename}`, "B", `{"data":{"__typename":"Mutation"}}`},
		{"a query next to a mutation", `query A{__typename} mutation B{__typename}`, "A", `{"data":{"__typename":"Query"}}`},
		{"several operations need a name", `query A{me{name}} query B{me{first}}`, "", `rejected: input: operation  not found`},
		{"an unknown name", `query A{me{name}} query B{me{first}}`, "C", `rejected: input: operation C not found`},
		{"only fragments", `fragment F on Query{me{name}}`, "", `rejected: input: no operation provided`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := execute(newExecutor(people().build()), test.query, test.operation, nil)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestInvalidDocumentCallsNoResolver(t *testing.T) {
	for _, test := range []struct{ name, query string }{
		{"a subscription without a subscription type", `subscription{me{name}}`},
		{"a recursive fragment", `{me{...F}} fragment F on Person{name best{...F}}`},
		{"an object without a selection set", `{me}`},
		{"a leaf with a selection set", `{when{x}}`},
		{"an unknown field", `{me{illegal}}`},
		{"an unknown mutation", `mutation{illegal}`},
		{"an alias of two fields", `{me{x:name x:first}}`},
		{"an alias with two arguments", `{x:echo(n:1) x:echo(n:2)}`},
		{"a type definition", `{me{name}} type T{a:Int}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			fx := people()
			got := execute(newExecutor(fx.build()), test.query, "", nil)
			if !strings.HasPrefix(got, "rejected: ") || fx.calls != nil {
				t.Errorf("got %s and the calls %v, want rejected", got, fx.calls)
			}
		})
	}
}
