package limits

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/syntax"
)

func few() Limits {
	l := Default()
	for _, limit := range []Limit{Depth, Fields, Aliases, RootFields, Directives, List, Visits} {
		l[limit] = 8
	}
	l[Fragments] = 6
	return l
}

// expanded stops when a count exceeds limit.
type expanded struct {
	fragments                    ast.FragmentDefinitionList
	fields, aliases, deep, limit int
}

func (e *expanded) count(set ast.SelectionSet, depth int) {
	if e.deep = max(e.deep, depth); e.fields > e.limit || e.deep > e.limit {
		return
	}
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			if e.fields++; s.Alias != s.Name {
				e.aliases++
			}
			if s.SelectionSet != nil {
				e.count(s.SelectionSet, depth+1)
			}
		case *ast.InlineFragment:
			e.count(s.SelectionSet, depth+1)
		case *ast.FragmentSpread:
			if f := e.fragments.ForName(s.Name); f != nil {
				e.count(f.SelectionSet, depth+1)
			}
		}
	}
}

// A permitted document is within the limits with fragments expanded.
func FuzzDocument(f *testing.F) {
	for _, document := range []string{`{a}`, `query Q($a:[Int!]=[1,2]@d){x:a(b:{c:[1,"s",$a]})@d{...F ...on T{c}}} fragment F on T@d{b{c}}`,
		`{...A} fragment A on T{...B ...B} fragment B on T{...C ...C} fragment C on T{a a a a}`, `{...A} fragment A on T{...B} fragment B on T{...A}`,
		`subscription{a} mutation M{b} query N{c}`, `{a(b:"""` + "\n" + `"""){`, strings.Repeat("{a", 20), `{a(b:[[[[[[[[[1]]]]]]]]])}`} {
		f.Add(document)
	}
	limits := few()
	f.Fuzz(func(t *testing.T, document string) {
		if check(&limits, document) != nil {
			return
		}
		doc, err := syntax.Parse(document)
		if err != nil {
			return
		}
		for _, o := range doc.Operations {
			e := expanded{fragments: doc.Fragments, limit: 10 * limits[Fields]}
			e.count(o.SelectionSet, 1)
			// A fragment is one deeper than its spread.
			if e.fields > limits[Fields] || e.aliases > limits[Aliases] || e.deep > limits[Depth]*(limits[Fragments]+1) {
				t.Errorf("permitted with %d fields, %d aliases and depth %d", e.fields, e.aliases, e.deep)
			}
		}
	})
}

func FuzzVariables(f *testing.F) {
	for _, variables := range []string{`{}`, `{"a":[1,"s",null,true,{"b":1e400}]}`, `{"a":` + strings.Repeat("[", 60) + strings.Repeat("]", 60) + `}`} {
		f.Add(variables)
	}
	limits := few()
	f.Fuzz(func(t *testing.T, text string) {
		var variables map[string]any
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		if decoder.Decode(&variables) != nil || limits.Values(variables) != nil {
			return
		}
		// JSON may take six bytes for a byte of text, and three for each value.
		if again, err := json.Marshal(variables); err != nil || len(again) > 10*limits[VariableBytes] {
			t.Errorf("permitted with %d bytes: %v", len(again), err)
		}
	})
}
