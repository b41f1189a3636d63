package plan

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func people() *fixture {
	friends := func(n int) resolver {
		return perParent(func(p *testObject) any {
			var list []any
			for i := range n {
				list = append(list, obj("Person", "name", fmt.Sprint(p.fields["name"], i)))
			}
			return list
		})
	}
	bestFriend := func(p *testObject) any { return obj("Person", "name", "best of "+p.fields["name"].(string)) }
	me := obj("Person", "name", "a", "tags", []string{"x", "y"}, "house", obj("House", "street", "s"))
	return &fixture{sdl: `
		type Query {
			me: Person, people: [Person], empty: [Person], absent: Person, when: String
			echo(arg: String = "none", n: Int): String
		}
		type Person { name: String, friends(n: Int): [Person], best: Person, first: String, tags: [String], house: House }
		type House { street: String, owner: Person, query: Query, mustQuery: Query! }
		type Mutation { add(n: Int): Counter, fail: Int }
		type Counter { total: Int, again: Int }`,
		resolvers: map[string]resolver{
			"Query.me":       returns(me),
			"Query.people":   returns(list(obj("Person", "name", "a"), obj("Person", "name", "b"), obj("Person", "name", "c"))),
			"Query.empty":    returns(list()),
			"Query.absent":   returns(nil),
			"Person.friends": friends(2),
			"Person.best":    perParent(bestFriend),
			"House.owner":    returns(obj("Person", "name", "o")),
			"Query.echo":     func(_ []*testObject, args map[string]any) ([]any, error) { return []any{fmt.Sprint(args)}, nil },
		}}
}

func TestEachSelectedFieldIsResolvedOnce(t *testing.T) {
	for _, test := range []struct {
		name      string
		query     string
		variables map[string]any
		want      string
		calls     []string
	}{
		{"fields come in the order of the query", `{me{tags name __typename first} when __typename}`, nil,
			`{"data":{"me":{"tags":["x","y"],"name":"a","__typename":"Person","first":null},"when":null,"__typename":"Query"}}`, nil},
		{"aliases name the fields of the response", `{b:me{x:name y:name t:__typename} a:me{name}}`, nil,
			`{"data":{"b":{"x":"a","y":"a","t":"Person"},"a":{"name":"a"}}}`, []string{"Query.a 1", "Query.b 1"}},
		{"a field that is selected several times is resolved once", `{me{name} ...F me{friends{name}} ...on Query{me{friends{first}}}} fragment F on Query{me{tags}}`, nil,
			`{"data":{"me":{"name":"a","tags":["x","y"],"friends":[{"name":"a0","first":null},{"name":"a1","first":null}]}}}`,
			[]string{"Query.me 1", "Person.friends 1"}},
		{"a merged field has the place of its first selection", `{me{name first:name} when me{first:name tags name}}`, nil,
			`{"data":{"me":{"name":"a","first":"a","tags":["x","y"]},"when":null}}`, nil},
		{"the query root below another field", `{me{house{query{__typename people{name} when echo} mustQuery{absent{name}}}}}`, nil,
			`{"data":{"me":{"house":{"query":{"__typename":"Query","people":[{"name":"a"},{"name":"b"},{"name":"c"}],"when":null,` +
				`"echo":"map[arg:none]"},"mustQuery":{"absent":null}}}}}`,
			[]string{"Query.me 1", "Query.absent 1", "Query.echo 1", "Query.people 1"}},
		{"a resolver is called once with the parents of all lists", `{people{friends{friends{best{name}}}}}`, nil,
			`{"data":{"people":[` +
				`{"friends":[{"friends":[{"best":{"name":"best of a00"}},{"best":{"name":"best of a01"}}]},{"friends":[{"best":{"name":"best of a10"}},{"best":{"name":"best of a11"}}]}]},` +
				`{"friends":[{"friends":[{"best":{"name":"best of b00"}},{"best":{"name":"best of b01"}}]},{"friends":[{"best":{"name":"best of b10"}},{"best":{"name":"best of b11"}}]}]},` +
				`{"friends":[{"friends":[{"best":{"name":"best of c00"}},{"best":{"name":"best of c01"}}]},{"friends":[{"best":{"name":"best of c10"}},{"best":{"name":"best of c11"}}]}]}]}}`,
			[]string{"Query.people 1", "Person.friends 3", "Person.friends 6", "Person.best 12"}},
		{"two aliases of a field are two calls", `{people{a:friends(n:1){best{name}} b:friends(n:2){name}}}`, nil, `` +
			`{"data":{"people":[{"a":[{"best":{"name":"best of a0"}},{"best":{"name":"best of a1"}}],"b":[{"name":"a0"},{"name":"a1"}]},` +
			`{"a":[{"best":{"name":"best of b0"}},{"best":{"name":"best of b1"}}],"b":[{"name":"b0"},{"name":"b1"}]},` +
			`{"a":[{"best":{"name":"best of c0"}},{"best":{"name":"best of c1"}}],"b":[{"name":"c0"},{"name":"c1"}]}]}}`,
			[]string{"Query.people 1", "Person.a 3", "Person.b 3", "Person.best 6"}},
		{"resolvers below a field without a resolver", `{me{house{street owner{name house{owner{name}}}}}}`, nil,
			`{"data":{"me":{"house":{"street":"s","owner":{"name":"o","house":null}}}}}`, []string{"Query.me 1", "House.owner 1"}},
		{"an empty list calls no resolver below", `{empty{friends{name}}}`, nil, `{"data":{"empty":[]}}`, []string{"Query.empty 1"}},
		{"null calls no resolver below", `{absent{friends{name}}}`, nil, `{"data":{"absent":null}}`, []string{"Query.absent 1"}},
		{"a skipped field is not called", `query($no:Boolean!){me{friends@include(if:$no){name} best@skip(if:true){name} name}}`, map[string]any{"no": false},
			`{"data":{"me":{"name":"a"}}}`, []string{"Query.me 1"}},
		{"an argument has its default", `{echo}`, nil, `{"data":{"echo":"map[arg:none]"}}`, nil},
		{"an absent variable omits its argument", `query($n:Int){echo(n:$n)}`, nil, `{"data":{"echo":"map[arg:none]"}}`, nil},
		{"a variable that is null is null", `query($n:Int){echo(n:$n)}`, map[string]any{"n": nil}, `{"data":{"echo":"map[arg:none n:\u003cnil\u003e]"}}`, nil},
		{"a variable has its default", `query($s:String="x"){echo(arg:$s,n:3)}`, nil, `{"data":{"echo":"map[arg:x n:3]"}}`, nil},
		{"an invalid variable is rejected", `query($n:Int){echo(n:$n)}`, map[string]any{"n": "many"}, `rejected: input: variable.n cannot use string as Int`, nil},
	} {
		t.Run(test.name, func(t *testing.T) { people().check(t, test.query, test.variables, test.want, test.calls...) })
	}
}

func TestSkipAndIncludeOmitSelections(t *testing.T) {
	for _, test := range []struct{ name, selection, want string }{
		{"no directive", `a:name b:name`, `{"a":"a","b":"a"}`},
		{"@include(if: true) includes a field", `a:name b:name@include(if:true)`, `{"a":"a","b":"a"}`},
		{"@include(if: false) omits it", `a:name b:name@include(if:false)`, `{"a":"a"}`},
		{"@skip(if: false) includes it", `a:name b:name@skip(if:false)`, `{"a":"a","b":"a"}`},
		{"@skip(if: true) omits it", `a:name b:name@skip(if:true)`, `{"a":"a"}`},
		{"@skip and @include of one field", `a:name b:name@include(if:true)@skip(if:true) c:name@include(if:false)@skip(if:false) d:name@include(if:true)@skip(if:false)`, `{"a":"a","d":"a"}`},
		{"@include(if: false) omits a fragment spread", `a:name ...F@include(if:false)`, `{"a":"a"}`},
		{"@include(if: true) includes it", `a:name ...F@include(if:true)`, `{"a":"a","b":"a"}`},
		{"@skip(if: true) omits it", `a:name ...F@skip(if:true)`, `{"a":"a"}`},
		{"an inline fragment is omitted", `a:name ...on Person@include(if:false){b:name}`, `{"a":"a"}`},
		{"an inline fragment without a type is omitted", `a:name ...@skip(if:true){b:name}`, `{"a":"a"}`},
		{"an inline fragment without a type is included", `a:name ...@skip(if:false){b:name}`, `{"a":"a","b":"a"}`},
		{"a field that is skipped once and selected again", `a:name@skip(if:true) ...on Person{a:name}`, `{"a":"a"}`},
		{"an object without fields is empty", `a:name@skip(if:true)`, `{}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			query := `{me{` + test.selection + ` ...F@skip(if:true)}} fragment F on Person{b:name}`
			people().check(t, query, nil, `{"data":{"me":`+test.want+`}}`)
		})
	}
}

func TestMutationsAreSerial(t *testing.T) {
	total := 0
	fx := people().with(map[string]resolver{
		"Mutation.add": func(_ []*testObject, args map[string]any) ([]any, error) {
			var n int
			if fmt.Sscan(fmt.Sprint(args["n"]), &n); n == 1 {
				total = 0
			}
			total += n
			return []any{obj("Counter", "total", total)}, nil
		},
		"Counter.again": perParent(func(*testObject) any { return total }),
		"Mutation.fail": func([]*testObject, map[string]any) ([]any, error) { return nil, fmt.Errorf("no") },
	})
	fx.check(t, `mutation{a:add(n:1){total again} b:add(n:10){again total} fail c:add(n:100){total again}}`, nil,
		`{"errors":[{"message":"no","path":["fail"],"locations":[{"line":1,"column":59}]}],`+
			`"data":{"a":{"total":1,"again":1},"b":{"again":11,"total":11},"fail":null,"c":{"total":111,"again":111}}}`)
}

func TestInvalidListOfAnEventIsAnError(t *testing.T) {
	schema := (&fixture{
		sdl:       `type Query { a: A } type A { s: String } type Subscription { l: [A] }`,
		resolvers: map[string]resolver{"Subscription.l": returns(nil)},
	}).build()
	l := schema.config.Types.Objects["Subscription"].Fields["l"]
	l.Subscribe = func(context.Context, any, map[string]any) (Source, error) {
		events := make(chan any, 1)
		events <- 5
		close(events)
		return NewSource(events, nil, Values[any])
	}
	got := execute(newExecutor(schema), `subscription{l{s}}`, "", nil)
	if !strings.Contains(got, `"path":["l"]`) || !strings.HasSuffix(got, `"data":{"l":null}}`) {
		t.Error(got)
	}
}
