package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// See [writer] for missing lazy objects where @semanticNonNull excludes null.
func TestAbsentObjectsAreOmittedOrNull(t *testing.T) {
	gone, found := obj("T", "s", "gone"), obj("T", "s", "found")
	edge := func(node any) *testObject { return obj("Edge", "node", node, "cursor", "c") }
	twit := func(author any) *testObject { return obj("Twit", "author", author) }
	for _, test := range []struct{ name, query, data, errors string }{
		{"an element of a marked list is omitted", `{nodes{s}}`, `{"nodes":[{"s":"found"},{"s":"found"}]}`, ``},
		{"all elements are omitted", `{gone{s}}`, `{"gone":[]}`, ``},
		{"an element of another list is null", `{list{s}}`, `{"list":[null,{"s":"found"}]}`, ``},
		{"the parent of a marked field is omitted from a list of non-null elements", `{edges{cursor node{s}}}`,
			`{"edges":[{"cursor":"c","node":{"s":"found"}},{"cursor":"c","node":{"s":"found"}}]}`, ``},
		{"the parent is kept if the field is not selected", `{edges{cursor}}`,
			`{"edges":[{"cursor":"c"},{"cursor":"c"},{"cursor":"c"}]}`, ``},
		{"the parent of a marked field is null in a field that may be null", `{twit{author{s} s}}`, `{"twit":null}`, ``},
		{"it propagates through marked fields", `{box{twit{author{s}}}}`, `{"box":null}`, ``},
		{"a field that may be null stops it", `{box{maybe{author{s}} twit{s}}}`, `{"box":{"maybe":null,"twit":{"s":"t"}}}`, ``},
		{"a root field that must be present is an error", `{must{author{s}}}`, `{"must":null}`,
			errorJSON(`"must"`, "must not be null", "2")},
		{"a non-null field is an error", `{box{strict{author{s}}}}`, `{"box":null}`,
			errorJSON(`"box","strict"`, "must not be null", "6")},
		{"errors of omitted objects are omitted, and others have the indexes of the response", `{failing{broken node{s}}}`,
			`{"failing":[{"broken":null,"node":{"s":"found"}}]}`, errorJSON(`"failing",0,"broken"`, "no", "10")},
		{"an object that could not be read is null, with its error", `{broken{s}}`, `{"broken":[null,{"s":"found"}]}`,
			errorJSON(`"broken",0`, "no", "2")},
	} {
		t.Run(test.name, func(t *testing.T) {
			unreadable := obj("T", "s", "unreadable")
			fx := &fixture{sdl: `
				directive @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION
				type Query {
					nodes: [T] @semanticNonNull(levels: [0, 1]), gone: [T] @semanticNonNull(levels: [1])
					list: [T] @semanticNonNull, broken: [T] @semanticNonNull(levels: [0, 1])
					edges: [Edge!], failing: [Edge!], twit: Twit, must: Twit @semanticNonNull, box: Box
				}
				type Box { twit: Twit @semanticNonNull, maybe: Twit, strict: Twit! }
				type Twit { author: T @semanticNonNull, s: String }
				type Edge { cursor: String, node: T @semanticNonNull, broken: String }
				type T { s: String }`,
				resolvers: map[string]resolver{
					"Query.nodes": returns(list(found, gone, found)), "Query.gone": returns(list(gone, gone)),
					"Query.list": returns(list(gone, found)), "Query.broken": returns(list(unreadable, found)),
					"Query.edges":   returns(list(edge(found), edge(gone), edge(found))),
					"Query.failing": returns(list(edge(gone), edge(found))),
					"Query.twit":    returns(twit(gone)), "Query.must": returns(twit(gone)),
					"Query.box": returns(obj("Box",
						"twit", obj("Twit", "author", gone, "s", "t"), "maybe", twit(gone), "strict", twit(gone))),
					"Edge.broken": func(parents []*testObject, _ map[string]any) ([]any, error) {
						return make([]any, len(parents)), errNo
					},
				}}
			schema := fx.build()
			fx.tasks.missing = map[any]error{gone: nil, unreadable: errNo}
			want := `{"data":` + test.data + `}`
			if test.errors != "" {
				want = `{"errors":[` + test.errors + `],"data":` + test.data + `}`
			}
			if diff := cmp.Diff(want, execute(newExecutor(schema), test.query, "", nil)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
