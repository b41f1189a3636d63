package endpoint

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

func TestFieldsOfAnOperationIncludeFragments(t *testing.T) {
	schema := gqlparser.MustLoadSchema(&ast.Source{Input: `
		type Query { user: User node: Node }
		interface Node { id: ID }
		type User implements Node { id: ID bio(long: Boolean): String @deprecated(reason: "use text") old: Int @deprecated text: String }
		input In { x: Int }
	`})
	f := newFields(schema)
	want := []Field{
		{"Node.id", ""}, {"Query.node", ""}, {"Query.user", ""},
		{"User.bio", "use text"}, {"User.id", ""}, {"User.old", "No longer supported"}, {"User.text", ""},
	}
	if diff := cmp.Diff(want, f.all); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	doc, err := gqlparser.LoadQueryWithRules(schema, `
		query A { __typename user { a: bio b: bio(long: true) ...F } again: user { ...F } }
		query B { node { id ... on User { ...F } } __schema { types { name } } }
		fragment F on User { text ...G }
		fragment G on User { old @skip(if: true) }
	`, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := f.of(doc)
	for name, want := range map[string][]string{
		"A": {"Query.user", "User.bio", "User.old", "User.text"},
		"B": {"Node.id", "Query.node", "User.old", "User.text"},
	} {
		var got []string
		for _, i := range d.operations[doc.Operations.ForName(name)].fields {
			got = append(got, f.all[i].Name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
