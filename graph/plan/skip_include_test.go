package plan

import (
	"fmt"
	"strings"
	"testing"
)

func TestEveryCombinationOfSkipAndInclude(t *testing.T) {
	type condition struct {
		text, definition string
		variable         string
		given, value     bool
	}
	conditions := func(name string) (all []condition) {
		all = append(all, condition{value: name == "include"})
		for _, value := range []bool{true, false} {
			all = append(all,
				condition{fmt.Sprintf("@%s(if:%t)", name, value), "", "", false, value},
				condition{fmt.Sprintf("@%s(if:$%s)", name, name), fmt.Sprintf("$%s:Boolean!", name), name, true, value},
				condition{fmt.Sprintf("@%s(if:$%s)", name, name), fmt.Sprintf("$%s:Boolean!=%t", name, value), name, false, value})
		}
		return all
	}
	fx, queries := people(), 0
	for _, place := range []struct{ name, selection, value string }{
		{"a leaf", `b:name%s`, `"a"`},
		{"an object", `b:house%s{street}`, `{"street":"s"}`},
		{"a field with a resolver", `b:best%s{name}`, `{"name":"best of a"}`},
		{"__typename", `b:__typename%s`, `"Person"`},
		{"a fragment spread", `...F%s`, `"a"`},
		{"an inline fragment", `...on Person%s{b:name}`, `"a"`},
		{"an inline fragment without a type", `...%s{b:name}`, `"a"`},
	} {
		t.Run(place.name, func(t *testing.T) {
			for _, skip := range conditions("skip") {
				for _, include := range conditions("include") {
					for _, both := range []string{skip.text + include.text, include.text + skip.text} {
						definitions, variables := "", map[string]any{}
						for _, c := range []condition{skip, include} {
							if definitions += " " + c.definition; c.given {
								variables[c.variable] = c.value
							}
						}
						operation := "query(" + definitions + ")"
						if skip.definition == "" && include.definition == "" {
							operation = "query"
						}
						query := operation + `{me{a:name ` + fmt.Sprintf(place.selection, both) + ` c:name}}`
						if strings.HasPrefix(place.selection, "...F") {
							query += ` fragment F on Person{b:name}`
						}
						want := `{"data":{"me":{"a":"a","c":"a"}}}`
						if include.value && !skip.value {
							want = `{"data":{"me":{"a":"a","b":` + place.value + `,"c":"a"}}}`
						}
						fx.check(t, query, variables, want)
						queries++
					}
				}
			}
		})
	}
	if queries != 7*7*7*2 {
		t.Errorf("%d queries, want 7 · 7 · 7 · 2", queries)
	}
}
