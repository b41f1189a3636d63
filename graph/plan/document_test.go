package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each resolver waits for the one that is selected behind it, so that they end in the opposite order.
func TestResponseFieldsAreInQueryOrder(t *testing.T) {
	const fields = 5
	for _, test := range []struct{ name, query, want string }{
		{"of the root", `{a b c d e}`, `{"data":{"a":"a","b":"b","c":"c","d":"d","e":"e"}}`},
		{"of the root, the other way round", `{e d c b a}`, `{"data":{"e":"e","d":"d","c":"c","b":"b","a":"a"}}`},
		{"below", `{t{a b x c d e}}`, `{"data":{"t":{"a":"a","b":"b","x":null,"c":"c","d":"d","e":"e"}}}`},
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
					order = append(order, name) // none runs beside it
					close(ended[i])
					return returns(name)(parents, nil)
				}
				fx.resolvers["Query."+name], fx.resolvers["T."+name] = resolve, resolve
			}
			if got := execute(newExecutor(fx.build()), test.query, "", nil); got != test.want {
				t.Errorf("the answer is\n%s\nand should be\n%s", got, test.want)
			}
			if want := "[e d c b a]"; fmt.Sprint(order) != want {
				t.Errorf("the resolvers end in the order %v, and should in %s", order, want)
			}
		})
	}
}

// What is merged stands where it stood first, at every depth, whatever selects it.
func TestFieldMerging(t *testing.T) {
	fx := people()
	fx.check(t, `{...F me{house{street} friends{a:name}} ...F ...on Query{me{b:name house{owner{name}}}}} fragment F on Query{me{friends{b:name ...G} house{t:__typename}}} fragment G on Person{a:name c:first}`, nil,
		`{"data":{"me":{"friends":[{"b":"a0","a":"a0","c":null},{"b":"a1","a":"a1","c":null}],"house":{"t":"House","street":"s","owner":{"name":"o"}},"b":"a"}}}`,
		"Query.me 1", "Person.friends 1", "House.owner 1")
}

func TestOperationIsSelectedByName(t *testing.T) {
	for _, test := range []struct{ name, query, operation, want string }{
		{"one without a name", `{me{name}}`, "", `{"data":{"me":{"name":"a"}}}`},
		{"the only one", `query A{me{name}}`, "", `{"data":{"me":{"name":"a"}}}`},
		{"the one that is asked for", `query A{me{name}} query B{me{first}}`, "B", `{"data":{"me":{"first":null}}}`},
		{"a query's root is not a mutation's", `query A{__typename} mutation B{__typename}`, "B", `{"data":{"__typename":"Mutation"}}`},
		{"nor a mutation's a query's", `query A{__typename} mutation B{__typename}`, "A", `{"data":{"__typename":"Query"}}`},
		{"of several none is the only one", `query A{me{name}} query B{me{first}}`, "", `rejected: input: operation  not found`},
		{"an unknown one", `query A{me{name}} query B{me{first}}`, "C", `rejected: input: operation C not found`},
		{"a document of fragments has none", `fragment F on Query{me{name}}`, "", `rejected: input: no operation provided`},
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
		{"a subscription of a schema that has none", `subscription{me{name}}`},
		{"a fragment that is in itself", `{me{...F}} fragment F on Person{name best{...F}}`},
		{"no selection of an object", `{me}`},
		{"a selection of a leaf", `{when{x}}`},
		{"a field that is not there", `{me{illegal}}`},
		{"a mutation that is not there", `mutation{illegal}`},
		{"one name for two fields", `{me{x:name x:first}}`},
		{"one name for two arguments", `{x:echo(n:1) x:echo(n:2)}`},
		{"a definition that is no operation's", `{me{name}} type T{a:Int}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			fx := people()
			if got := execute(newExecutor(fx.build()), test.query, "", nil); !strings.HasPrefix(got, "rejected: ") || fx.calls != nil {
				t.Error(got, fx.calls)
			}
		})
	}
}
