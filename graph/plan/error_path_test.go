package plan

import (
	"strconv"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Fields of nested objects have a resolver if they begin with a capital letter. Resolvers of leaves
// return null or err. Other leaves are value.
func nested(value any, err error) *fixture {
	leaf := func(parents []*testObject, _ map[string]any) ([]any, error) { return make([]any, len(parents)), err }
	inner := func(depth int) *testObject {
		t := obj("N", "s", value, "mustS", value)
		for range depth {
			t = obj("N", "s", value, "mustS", value, "n", t, "mustN", t)
		}
		return t
	}(6)
	below := perParent(func(p *testObject) any { return p.fields["n"] })
	return &fixture{sdl: `type Query { n: N, N: N, mustN: N!, MustN: N! }
		type N { s: String, S: String, mustS: String!, MustS: String!, n: N, N: N, mustN: N!, MustN: N! }`,
		resolvers: map[string]resolver{
			"Query.n": returns(inner), "Query.N": returns(inner), "Query.mustN": returns(inner), "Query.MustN": returns(inner),
			"N.N": below, "N.MustN": below, "N.S": leaf, "N.MustS": leaf,
		}}
}

// A path may end with a blank and the line of its last name in the query, by default 1.
func errorsJSON(query, message string, paths ...string) string {
	all := make([]string, len(paths))
	for i, path := range paths {
		path, line, ok := strings.Cut(path, " ")
		row, column := 1, 0
		if ok {
			row, _ = strconv.Atoi(line)
		}
		last := path[strings.LastIndexByte(path, '.')+1:]
		column = strings.LastIndex(strings.Split(query, "\n")[row-1], last) + 1
		all[i] = `{"message":"` + message + `","path":["` + strings.ReplaceAll(path, ".", `","`) + `"],"locations":[{"line":` + strconv.Itoa(row) + `,"column":` + strconv.Itoa(column) + `}]}`
	}
	return strings.Join(all, ",")
}

func TestErrorOfANullableFieldNullsItOnly(t *testing.T) {
	const query = "{n{s S\nn{s S}\nN{s S}}\nN{s S\nn{s S}\nN{s S}}}"
	const leaves = `"s":null,"S":null`
	const data = `{"n":{` + leaves + `,"n":{` + leaves + `},"N":{` + leaves + `}},"N":{` + leaves + `,"n":{` + leaves + `},"N":{` + leaves + `}}}`
	nested(nil, nil).check(t, query, nil, `{"data":`+data+`}`)
	t.Run("errors have their paths, in the order of the response", func(t *testing.T) {
		nested(panics{}, nil).check(t, query, nil, `{"errors":[`+errorsJSON(query, "panic of a leaf", "n.s", "n.n.s 2", "n.N.s 3", "N.s 4", "N.n.s 5", "N.N.s 6")+`],"data":`+data+`}`)
		nested(nil, errNo).check(t, query, nil, `{"errors":[`+errorsJSON(query, "no", "n.S", "n.n.S 2", "n.N.S 3", "N.S 4", "N.n.S 5", "N.N.S 6")+`],"data":`+data+`}`)
	})
}

func TestErrorOfANonNullChainNullsTheChainOnly(t *testing.T) {
	const query = `{a:n{b:mustN{c:MustN{d:mustN{e:mustS}}}} f:N{g:mustN{h:MustN{i:MustN{j:mustS}}}} k:n{l:MustN{m:mustN{o:MustN{p:MustS}}}} q:N{r:MustN{u:mustN{v:mustN{w:MustS}}}} x:n{s}}`
	const data = `{"a":null,"f":null,"k":null,"q":null,"x":{"s":null}}`
	paths := []string{"a.b.c.d.e:", "f.g.h.i.j:", "k.l.m.o.p:", "q.r.u.v.w:"}
	want := func(message string, paths ...string) string {
		return strings.ReplaceAll(errorsJSON(query, message, paths...), `:"]`, `"]`)
	}
	nested(nil, nil).check(t, query, nil, `{"errors":[`+want("must not be null", paths...)+`],"data":`+data+`}`)
	nested(nil, errNo).check(t, query, nil, `{"errors":[`+want("must not be null", paths[:2]...)+`,`+want("no", paths[2:]...)+`],"data":`+data+`}`)
}

func TestErrorsAreInTheOrderOfTheResponse(t *testing.T) {
	coded := gqlerror.Errorf("coded")
	coded.Extensions, coded.Path = map[string]any{"code": "C"}, nil
	ok := obj("T", "must", "ok", "s", "s")
	fails := func(err error) resolver {
		return func([]*testObject, map[string]any) ([]any, error) { return nil, err }
	}
	fx := nullable("s", "s", "list", list(ok, obj("T"), ok, obj("T")), "mustT", obj("T")).with(map[string]resolver{
		"Query.list": fails(errNo), "Query.musts": fails(coded),
		"T.leaf":     func(parents []*testObject, _ map[string]any) ([]any, error) { panic("a resolver") },
		"T.mustLeaf": fails(errNo),
	})
	for _, test := range []struct{ name, query, errors, data string }{
		{"errors are in the order of the response", `{musts{s} t{leaf s} list{s}}`,
			`{"message":"coded","path":["musts"],"locations":[{"line":1,"column":2}],"extensions":{"code":"C"}},` + errorJSON(`"t","leaf"`, "panic of a resolver", "13") + `,` + errorJSON(`"list"`, "no", "21"),
			`{"musts":null,"t":{"leaf":null,"s":"s"},"list":null}`},
		{"two aliases have two errors", `{a:list{s} b:list{s}}`, errorJSON(`"a"`, "no", "2") + `,` + errorJSON(`"b"`, "no", "12"), `{"a":null,"b":null}`},
		{"errors of list elements have their indexes", `{t{list{must}}}`, errorJSON(`"t","list",1,"must"`, "must not be null", "9") + `,` + errorJSON(`"t","list",3,"must"`, "must not be null", "9"),
			`{"t":{"list":[{"must":"ok"},null,{"must":"ok"},null]}}`},
		{"a null object keeps its earlier errors, and has no later ones", `{t{leaf mustLeaf must s}}`,
			errorJSON(`"t","leaf"`, "panic of a resolver", "4") + `,` + errorJSON(`"t","mustLeaf"`, "no", "9"), `{"t":null}`},
		{"null data has the error that made it null", `{list{s} a:must{mustT{must}} b:must{mustLeaf} musts{s}}`,
			errorJSON(`"list"`, "no", "2") + `,` + errorJSON(`"a","mustT","must"`, "must not be null", "23"), `null`},
		{"null in a nullable field, next to an error", `{t{t{s} leaf}}`, errorJSON(`"t","leaf"`, "panic of a resolver", "9"), `{"t":{"t":null,"leaf":null}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			fx.check(t, test.query, nil, `{"errors":[`+test.errors+`],"data":`+test.data+`}`)
		})
	}
	if coded.Path != nil {
		t.Errorf("the path %v was stored in the resolver's error", coded.Path)
	}
}

func TestBatchErrorsArePerParent(t *testing.T) {
	other := gqlerror.Errorf("other")
	fx := nullable().with(map[string]resolver{
		"Query.list": returns(list(
			obj("T", "list", list(obj("T", "s", "a"), obj("T", "s", "b"))),
			nil,
			obj("T", "list", list()),
			obj("T", "list", list(obj("T", "s", "c"), obj("T", "s", "d"))),
		)),
		"T.t": func(parents []*testObject, _ map[string]any) ([]any, error) {
			return list(obj("T", "s", "x"), nil, nil, nil)[:len(parents)], graphql.BatchErrorList{nil, errNo, nil, other}
		},
	})
	fx.check(t, `{list{F:list{s X:t{s}}}}`, nil, `{"errors":[`+errorJSON(`"list",0,"F",1,"X"`, "no", "16")+`,`+errorJSON(`"list",3,"F",1,"X"`, "other", "16")+`],"data":{"list":[`+
		`{"F":[{"s":"a","X":{"s":"x"}},{"s":"b","X":null}]},null,{"F":[]},{"F":[{"s":"c","X":null},{"s":"d","X":null}]}]}}`, "Query.list 1", "T.X 4")
}
