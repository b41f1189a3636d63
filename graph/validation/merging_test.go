package validation

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

var mergingSchema = gqlparser.MustLoadSchema(&ast.Source{Input: `
	interface I{i(x:Int y:[Int]):I u:U s:String}
	type A implements I{i(x:Int y:[Int]):I u:U s:String a:A b:[B!] c(o:O):String d:[String]}
	type B implements I{i(x:Int y:[Int]):I u:U s:String a:[A] b:B c(o:O):Int d:[String!]}
	input O{x:Int y:Int}
	union U=A|B
	type Query{i(x:Int y:[Int]):I u:U a:A b:B}`})

type writer struct {
	strings.Builder
	random *rand.Rand
	uses   [4]string // types of spread fragments
}

func (w *writer) one(of ...string) string { return of[w.random.IntN(len(of))] }

func (w *writer) on(of string) string {
	switch of {
	case "Query":
		return of
	case "I", "U":
		return w.one("A", "B", "I", "U")
	}
	return w.one(of, "I", "U")
}

// set spreads only fragments from number fragment on, so that none spreads itself.
func (w *writer) set(of string, depth, fragment int) {
	w.WriteString("{")
	for range 1 + w.random.IntN(4) {
		switch w.random.IntN(5) {
		case 0:
			on := w.on(of)
			w.WriteString("...on " + on)
			w.set(on, depth, fragment)
		case 1:
			if i := fragment + w.random.IntN(3); i < len(w.uses) {
				if w.uses[i] == "" {
					w.uses[i] = w.on(of)
				}
				if uses := w.uses[i]; uses == of || (uses == "I" || uses == "U") && of != "Query" {
					fmt.Fprintf(w, "...F%d ", i)
					continue
				}
			}
			fallthrough
		default:
			w.field(of, depth, fragment)
		}
	}
	w.WriteString("}")
}

func (w *writer) field(of string, depth, fragment int) {
	names := []string{"__typename", "s", "i", "u"}
	switch of {
	case "A", "B":
		names = append(names, "a", "b", "c", "d")
	case "U":
		names = names[:1]
	case "Query":
		names = []string{"i", "u", "a", "b"}
	}
	name := w.one(names...)
	below := map[string]string{"i": "I", "u": "U", "a": "A", "b": "B"}[name]
	if below != "" && depth == 0 {
		name, below = "__typename", ""
	}
	if w.random.IntN(8) == 0 {
		w.WriteString(w.one("s:", "a:", "z:"))
	}
	w.WriteString(name)
	switch name {
	case "i":
		w.WriteString(w.one("", "", "", "", "(x:1)", "(y:[1 2])", "(y:[2 1])", "(x:1 y:1)", "(y:1 x:1)"))
	case "c":
		w.WriteString(w.one("", "", "", "(o:{x:1 y:2})", "(o:{y:2 x:1})", "(o:{x:2 y:1})"))
	}
	if w.WriteString(" "); below != "" {
		w.set(below, depth-1, fragment)
	}
}

func randomDocument(random *rand.Rand) string {
	w := writer{random: random}
	w.set("Query", 4, 0)
	for i := range w.uses {
		if of := w.uses[i]; of != "" {
			fmt.Fprintf(&w, " fragment F%d on %s", i, of)
			w.set(of, 2, i+1)
		}
	}
	return w.String()
}

func isValid(t *testing.T, document string, by *rules.Rules) bool {
	t.Helper()
	doc, err := parser.ParseQuery(&ast.Source{Input: document})
	if err != nil {
		t.Fatalf("%s: %s", document, err)
	}
	return validator.ValidateWithRules(mergingSchema, doc, by) == nil
}

func TestFieldsMergeEqualsGqlparsersRule(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	valid, conflicts := 0, 0
	for range 2000 {
		document := randomDocument(random)
		ours := rules.NewDefaultRules()
		ours.ReplaceRule("OverlappingFieldsCanBeMerged", fieldsMerge)
		without := rules.NewDefaultRules()
		without.RemoveRule("OverlappingFieldsCanBeMerged")
		want := isValid(t, document, rules.NewDefaultRules())
		if got := isValid(t, document, ours); got != want {
			t.Fatalf("seed %d: valid: got %t, gqlparser %t: %s", seed, got, want, document)
		}
		if want {
			valid++
		} else if isValid(t, document, without) {
			conflicts++
		}
	}
	t.Logf("%d of 2000 documents are valid, %d have only conflicts", valid, conflicts)
	if valid < 100 || conflicts < 500 {
		t.Errorf("seed %d: %d documents are valid, %d have conflicts", seed, valid, conflicts)
	}
}

func TestConflictMessagesNameTheFields(t *testing.T) {
	for document, want := range map[string]string{
		"{a{s}\na:b{s}}":                                "input:2:1: Fields \"a\" conflict because \"a\" and \"b\" are different fields. Use different aliases on the fields to fetch both if this was intentional.",
		"{i(x:1){s} i(x:2){s}}":                         "input:1:12: Fields \"i\" conflict because they have differing arguments. Use different aliases on the fields to fetch both if this was intentional.",
		"{u{...on A{d} ...on B{d}}}":                    "input:1:23: Fields \"d\" conflict because they return conflicting types \"[String]\" and \"[String!]\". Use different aliases on the fields to fetch both if this was intentional.",
		"{a{...F}} fragment F on A{a{...F} b{a{...F}}}": "input: there are too many selections to be merged",
	} {
		doc, err := parser.ParseQuery(&ast.Source{Input: document, Name: "input"})
		if err != nil {
			t.Fatal(err)
		}
		only := rules.NewRules()
		only.AddRule("OverlappingFieldsCanBeMerged", fieldsMerge)
		if errs := validator.ValidateWithRules(mergingSchema, doc, only); len(errs) != 1 || errs[0].Error() != want {
			t.Errorf("%s: got %v, want %s", document, errs, want)
		}
	}
}
