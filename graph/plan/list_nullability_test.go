package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
)

// lists are the list fields of the fixture nullable.
var lists = []struct{ typ, field string }{{"[T]", "list"}, {"[T!]", "musts"}, {"[T]!", "some"}, {"[T!]!", "all"}}

// valueOrError is a resolver that returns the value of a field in each parent, or its error.
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

func TestListNullability(t *testing.T) {
	ok, hollow := obj("T", "must", "ok"), obj("T")
	const whole, gone = `{"F":[{"must":"ok"},null,{"must":"ok"}]}`, `{"F":null}`
	for _, test := range []struct {
		name          string
		value         any
		wants         [4]string // the parent's data, for each list type
		path, message string    // of the error
		fine          string    // the fields without an error
		resolved      bool      // only with a resolver
	}{
		{"has values", list(ok, ok), [4]string{}, "", "", "", false},
		{"is empty", list(), [4]string{`{"F":[]}`, `{"F":[]}`, `{"F":[]}`, `{"F":[]}`}, "", "", "", false},
		{"has null", list(ok, nil, ok), [4]string{whole, gone, whole, `null`}, `,1`, "must not be null", "list some", false},
		{"is null", nil, [4]string{gone, gone, `null`, `null`}, ``, "must not be null", "list musts", false},
		{"has an element with a null field", list(ok, hollow, ok), [4]string{whole, gone, whole, `null`}, `,1,"must"`, "must not be null", "", false},
		{"failed", errNo, [4]string{gone, gone, `null`, `null`}, ``, "no", "", true},
	} {
		for i, l := range lists {
			want := test.wants[i]
			if want == "" {
				want = `{"F":[{"must":"ok"},{"must":"ok"}]}`
			}
			for _, resolved := range []bool{true, false} {
				if test.resolved && !resolved {
					continue
				}
				for at, where := range []string{"the first", "the middle", "the last"} {
					how := " without a resolver"
					if resolved {
						how = " with a resolver"
					}
					t.Run("a "+l.typ+" of "+where+" parent "+test.name+how, func(t *testing.T) {
						parents, answers := list(), []string{}
						for k := range 3 {
							if k == at {
								parents, answers = append(parents, obj("T", l.field, test.value)), append(answers, want)
							} else {
								parents, answers = append(parents, obj("T", l.field, list(ok))), append(answers, `{"F":[{"must":"ok"}]}`)
							}
						}
						more := map[string]resolver{"Query.list": returns(parents)}
						if resolved {
							more["T."+l.field] = valueOrError(l.field)
						}
						answer := `{"data":{"list":[` + strings.Join(answers, ",") + `]}}`
						if test.message != "" && !strings.Contains(test.fine, l.field) {
							column := 7
							if strings.Contains(test.path, "must") {
								column = len(`{list{F:{`) + len(l.field) + 1
							}
							answer = `{"errors":[` + errorJSON(fmt.Sprintf(`"list",%d,"F"%s`, at, test.path), test.message, fmt.Sprint(column)) + `],` + answer[1:]
						}
						nullable().with(more).check(t, `{list{F:`+l.field+`{must}}}`, nil, answer)
					})
				}
			}
		}
	}
}

// leafLists is a fixture with lists of leaves, which the plan treats as one leaf.
func leafLists(value any) *fixture {
	parent := func(v any) *testObject { return obj("T", "v", v, "a", v, "b", v, "c", v, "d", v) }
	return &fixture{sdl: `type Query { ts: [T] } type T { a: [String], b: [String!], c: [String]!, d: [String!]!, A: [String], B: [String!], C: [String]!, D: [String!]! }`,
		resolvers: map[string]resolver{
			"Query.ts": returns(list(parent([]any{"x"}), parent(value))),
			"T.A":      valueOrError("v"), "T.B": valueOrError("v"), "T.C": valueOrError("v"), "T.D": valueOrError("v"),
		}}
}

func TestLeafListNullability(t *testing.T) {
	const whole, gone = `{"F":["x",null,"y"]}`, `{"F":null}`
	for _, test := range []struct {
		name    string
		value   any
		wants   [4]string
		message string
		fine    string
		fields  string
	}{
		{"has values", []any{"x", "y"}, [4]string{`{"F":["x","y"]}`, `{"F":["x","y"]}`, `{"F":["x","y"]}`, `{"F":["x","y"]}`}, "", "", "abcdABCD"},
		{"has null", []any{"x", nil, "y"}, [4]string{whole, gone, whole, `null`}, "must not be null", "abcABC", "abcdABCD"},
		{"is null", nil, [4]string{gone, gone, `null`, `null`}, "must not be null", "abAB", "abcdABCD"},
		{"failed", errNo, [4]string{gone, gone, `null`, `null`}, "no", "", "ABCD"},
		{"panics", panics{}, [4]string{gone, gone, `null`, `null`}, "panic of a leaf", "", "abcdABCD"},
	} {
		for _, name := range strings.Split(test.fields, "") {
			t.Run(name+" "+test.name, func(t *testing.T) {
				answer := `{"data":{"ts":[{"F":["x"]},` + test.wants[strings.ToLower(name)[0]-'a'] + `]}}`
				if test.message != "" && !strings.Contains(test.fine, name) {
					answer = `{"errors":[` + errorJSON(`"ts",1,"F"`, test.message, "5") + `],` + answer[1:]
				}
				leafLists(test.value).check(t, `{ts{F:`+name+`}}`, nil, answer)
			})
		}
	}
}
