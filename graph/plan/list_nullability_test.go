package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
)

var lists = []struct{ typ, field string }{{"[T]", "list"}, {"[T!]", "musts"}, {"[T]!", "some"}, {"[T!]!", "all"}}

func valueOrError(field string) resolver {
	return func(parents []*testObject, _ map[string]any) ([]any, error) {
		values, errs, failed := make([]any, len(parents)), make(graphql.BatchErrorList, len(parents)), false
		for i, p := range parents {
			if err, ok := p.fields[field].(error); ok {
				errs[i], failed = err, true
				continue
			}
			values[i] = p.fields[field]
		}
		if failed {
			return values, errs
		}
		return values, nil
	}
}

type listCase struct {
	name          string
	value         any
	wants         [4]string // for each of lists
	path, message string    // of the error
	noError       string    // the fields without an error
	resolver      bool      // only with a resolver
}

func TestNullInAListPropagatesAsItsTypeSays(t *testing.T) {
	ok, invalid := obj("T", "must", "ok"), obj("T")
	const two, empty = `{"F":[{"must":"ok"},{"must":"ok"}]}`, `{"F":[]}`
	const kept, nulled = `{"F":[{"must":"ok"},null,{"must":"ok"}]}`, `{"F":null}`
	for _, test := range []listCase{
		{"has values", list(ok, ok), [4]string{two, two, two, two}, "", "", "", false},
		{"is empty", list(), [4]string{empty, empty, empty, empty}, "", "", "", false},
		{"has null", list(ok, nil, ok), [4]string{kept, nulled, kept, `null`}, `,1`, "must not be null", "list some", false},
		{"is null", nil, [4]string{nulled, nulled, `null`, `null`}, ``, "must not be null", "list musts", false},
		{"has an element with a null field", list(ok, invalid, ok), [4]string{kept, nulled, kept, `null`},
			`,1,"must"`, "must not be null", "", false},
		{"failed", errNo, [4]string{nulled, nulled, `null`, `null`}, ``, "no", "", true},
	} {
		for i, l := range lists {
			for parent, position := range []string{"first", "middle", "last"} {
				name := fmt.Sprintf("%s of the %s parent %s", l.typ, position, test.name)
				t.Run(name+" with a resolver", func(t *testing.T) {
					test.check(t, i, parent, map[string]resolver{"T." + l.field: valueOrError(l.field)})
				})
				if !test.resolver {
					t.Run(name+" without a resolver", func(t *testing.T) { test.check(t, i, parent, map[string]resolver{}) })
				}
			}
		}
	}
}

func (c listCase) check(t *testing.T, i, parent int, resolvers map[string]resolver) {
	t.Helper()
	field := lists[i].field
	parents, data := list(), []string{}
	for k := range 3 {
		value, want := any(list(obj("T", "must", "ok"))), `{"F":[{"must":"ok"}]}`
		if k == parent {
			value, want = c.value, c.wants[i]
		}
		parents, data = append(parents, obj("T", field, value)), append(data, want)
	}
	resolvers["Query.list"] = returns(parents)
	query, want := `{list{F:`+field+`{must}}}`, `{"data":{"list":[`+strings.Join(data, ",")+`]}}`
	if c.message != "" && !strings.Contains(c.noError, field) {
		column := strings.Index(query, "F:") + 1
		if strings.Contains(c.path, "must") {
			column = strings.LastIndex(query, "must") + 1
		}
		path := fmt.Sprintf(`"list",%d,"F"%s`, parent, c.path)
		want = `{"errors":[` + errorJSON(path, c.message, fmt.Sprint(column)) + `],` + want[1:]
	}
	nullable().with(resolvers).check(t, query, nil, want)
}

func leafLists(value any) *fixture {
	parent := func(v any) *testObject { return obj("T", "v", v, "a", v, "b", v, "c", v, "d", v) }
	return &fixture{sdl: `
		type Query { ts: [T] }
		type T {
			a: [String], b: [String!], c: [String]!, d: [String!]!
			A: [String], B: [String!], C: [String]!, D: [String!]!
		}`,
		resolvers: map[string]resolver{
			"Query.ts": returns(list(parent([]any{"x"}), parent(value))),
			"T.A":      valueOrError("v"), "T.B": valueOrError("v"), "T.C": valueOrError("v"), "T.D": valueOrError("v"),
		}}
}

func TestNullInALeafListPropagatesAsItsTypeSays(t *testing.T) {
	const two, kept, nulled = `{"F":["x","y"]}`, `{"F":["x",null,"y"]}`, `{"F":null}`
	for _, test := range []struct {
		name    string
		value   any
		wants   [4]string
		message string
		noError string
		fields  string
	}{
		{"has values", []any{"x", "y"}, [4]string{two, two, two, two}, "", "", "abcdABCD"},
		{"has null", []any{"x", nil, "y"}, [4]string{kept, nulled, kept, `null`}, "must not be null", "abcABC", "abcdABCD"},
		{"is null", nil, [4]string{nulled, nulled, `null`, `null`}, "must not be null", "abAB", "abcdABCD"},
		{"failed", errNo, [4]string{nulled, nulled, `null`, `null`}, "no", "", "ABCD"},
		{"panics", panics{}, [4]string{nulled, nulled, `null`, `null`}, "panic of a leaf", "", "abcdABCD"},
	} {
		for _, field := range strings.Split(test.fields, "") {
			t.Run(field+" "+test.name, func(t *testing.T) {
				want := `{"data":{"ts":[{"F":["x"]},` + test.wants[strings.ToLower(field)[0]-'a'] + `]}}`
				if test.message != "" && !strings.Contains(test.noError, field) {
					want = `{"errors":[` + errorJSON(`"ts",1,"F"`, test.message, "5") + `],` + want[1:]
				}
				leafLists(test.value).check(t, `{ts{F:`+field+`}}`, nil, want)
			})
		}
	}
}
