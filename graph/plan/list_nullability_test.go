package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
)

// lists are the fields of nullable that lead to lists, by their types.
var lists = []struct{ typ, field string }{{"[T]", "list"}, {"[T!]", "musts"}, {"[T]!", "some"}, {"[T!]!", "all"}}

// errorsIn is a resolver that answers what the parents have of a field; an error among it is that parent's.
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
		name  string
		value any
		// wants are what becomes of the parent in each of the lists' types. An error is at path and says message; fine are the fields where it is none.
		wants         [4]string
		path, message string
		fine          string
		resolved      bool // only a resolver can answer this
	}{
		{"holds values", list(ok, ok), [4]string{}, "", "", "", false},
		{"is empty", list(), [4]string{`{"F":[]}`, `{"F":[]}`, `{"F":[]}`, `{"F":[]}`}, "", "", "", false},
		{"holds null", list(ok, nil, ok), [4]string{whole, gone, whole, `null`}, `,1`, "must not be null", "list some", false},
		{"is null", nil, [4]string{gone, gone, `null`, `null`}, ``, "must not be null", "list musts", false},
		{"holds an object that an error takes away", list(ok, hollow, ok), [4]string{whole, gone, whole, `null`}, `,1,"must"`, "must not be null", "", false},
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
					how := " by a property"
					if resolved {
						how = " by a resolver"
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

// leaves is a fixture of lists of leaves: one value each to the plan.
func leafLists(value any) *fixture {
	return &fixture{sdl: `type Query { ts: [T] } type T { a: [String], b: [String!], c: [String]!, d: [String!]!, A: [String], B: [String!], C: [String]!, D: [String!]! }`,
		resolvers: map[string]resolver{
			"Query.ts": returns(list(obj("T", "v", []any{"x"}, "a", []any{"x"}, "b", []any{"x"}, "c", []any{"x"}, "d", []any{"x"}), obj("T", "v", value, "a", value, "b", value, "c", value, "d", value))),
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
		{"holds values", []any{"x", "y"}, [4]string{`{"F":["x","y"]}`, `{"F":["x","y"]}`, `{"F":["x","y"]}`, `{"F":["x","y"]}`}, "", "", "abcdABCD"},
		{"holds null", []any{"x", nil, "y"}, [4]string{whole, gone, whole, `null`}, "must not be null", "abcABC", "abcdABCD"},
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
