package schema

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
)

// definitions removes all commas, because gqlparser prints only some.
func definitions(s *ast.Schema, names ...string) string {
	var text strings.Builder
	part := &ast.Schema{Types: map[string]*ast.Definition{}, Directives: map[string]*ast.DirectiveDefinition{}}
	for _, name := range names {
		if directive, ok := strings.CutPrefix(name, "@"); ok {
			part.Directives[directive] = s.Directives[directive]
		} else {
			part.Types[name] = s.Types[name]
		}
	}
	f := formatter.NewFormatter(&text, formatter.WithIndent(""), formatter.WithoutDescription(), formatter.WithBuiltin())
	f.FormatSchema(part)
	return withoutCommas(text.String())
}

func withoutCommas(s string) string { return strings.ReplaceAll(s, ",", "") }

func TestBuiltInDefinitionsFollowTheSpecification(t *testing.T) {
	s := load(t)
	for _, test := range []struct{ name, want string }{
		{"@deprecated", `directive @deprecated(reason: String! = "No longer supported") on FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE`},
		{"@specifiedBy", `directive @specifiedBy(url: String!) on SCALAR`},
		{"@oneOf", `directive @oneOf on INPUT_OBJECT`},
		{"@skip", `directive @skip(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT`},
		{"@include", `directive @include(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT`},
		{"@semanticNonNull", `directive @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION`},
		{"@cost", `directive @cost(weight: String!) on ARGUMENT_DEFINITION | ENUM | FIELD_DEFINITION | INPUT_FIELD_DEFINITION | OBJECT | SCALAR`},
		{"@listSize", `directive @listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!], requireOneSlicingArgument: Boolean = true) on FIELD_DEFINITION`},
		{"@defer", `directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT`},
		{"@stream", `directive @stream(if: Boolean! = true, label: String, initialCount: Int! = 0) on FIELD`},
		{"__Schema", `type __Schema {
description: String
types: [__Type!]!
queryType: __Type!
mutationType: __Type
subscriptionType: __Type
directives: [__Directive!]!
}`},
		{"__Type", `type __Type {
kind: __TypeKind!
name: String
description: String
specifiedByURL: String
fields(includeDeprecated: Boolean! = false): [__Field!]
interfaces: [__Type!]
possibleTypes: [__Type!]
enumValues(includeDeprecated: Boolean! = false): [__EnumValue!]
inputFields(includeDeprecated: Boolean! = false): [__InputValue!]
ofType: __Type
isOneOf: Boolean
}`},
		{"__Field", `type __Field {
name: String!
description: String
args(includeDeprecated: Boolean! = false): [__InputValue!]!
type: __Type!
isDeprecated: Boolean!
deprecationReason: String
}`},
		{"__InputValue", `type __InputValue {
name: String!
description: String
type: __Type!
defaultValue: String
isDeprecated: Boolean!
deprecationReason: String
}`},
		{"__EnumValue", `type __EnumValue {
name: String!
description: String
isDeprecated: Boolean!
deprecationReason: String
}`},
		{"__Directive", `type __Directive {
name: String!
description: String
isRepeatable: Boolean!
locations: [__DirectiveLocation!]!
args(includeDeprecated: Boolean! = false): [__InputValue!]!
}`},
		{"__DirectiveLocation", "enum __DirectiveLocation {\n" + strings.ReplaceAll("QUERY MUTATION SUBSCRIPTION FIELD FRAGMENT_DEFINITION FRAGMENT_SPREAD "+
			"INLINE_FRAGMENT VARIABLE_DEFINITION SCHEMA SCALAR OBJECT FIELD_DEFINITION ARGUMENT_DEFINITION INTERFACE UNION ENUM ENUM_VALUE INPUT_OBJECT "+
			"INPUT_FIELD_DEFINITION }", " ", "\n")},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(withoutCommas(test.want)+"\n", definitions(s, test.name)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("no other definitions", func(t *testing.T) {
		got := slices.DeleteFunc(slices.Sorted(maps.Keys(s.Types)), func(name string) bool { return !s.Types[name].BuiltIn })
		want := []string{
			"Boolean", "ID", "Int", "String", "__Directive", "__DirectiveLocation", "__EnumValue", "__Field",
			"__InputValue", "__Schema", "__Type", "__TypeKind",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		want = []string{"cost", "defer", "deprecated", "include", "listSize", "oneOf", "semanticNonNull", "skip",
			"specifiedBy", "stream"}
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(s.Directives))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestEveryTypeIsReferenced(t *testing.T) {
	s := load(t)
	referenced := references(s)
	for name, definition := range s.Types {
		root := definition == s.Query || definition == s.Mutation || definition == s.Subscription || name == "__Schema"
		possible := slices.ContainsFunc(s.Implements[name], func(i *ast.Definition) bool { return referenced[i.Name] })
		if !root && !possible && !referenced[name] {
			t.Errorf("%s is not referenced", name)
		}
	}
}

func TestConformRemovesUnusedScalars(t *testing.T) {
	source := func(text string) *ast.Schema { return gqlparser.MustLoadSchema(&ast.Source{Input: text}) }
	t.Run("a referenced scalar is kept", func(t *testing.T) {
		for _, text := range []string{
			`type Query { a: [Float!]! }`, `type Query { a(b: Float): Int }`, `type Query { a(b: I): Int } input I { b: Float = 1 }`,
			`type Query { a: Int } directive @d(a: Float) on FIELD`, `type Query { a: U } union U = O type O { a: Float }`,
		} {
			s := source(text)
			if Conform(s); s.Types["Float"] == nil {
				t.Errorf("Float was removed from %s", text)
			}
		}
	})
	t.Run("other scalars are removed", func(t *testing.T) {
		s := source(`type Query { a: Boolean }`)
		Conform(s)
		if s.Types["Float"] != nil || s.Types["Int"] != nil || s.Types["ID"] != nil || s.Types["String"] == nil {
			t.Error(slices.Sorted(maps.Keys(s.Types)))
		}
	})
	t.Run("idempotent", func(t *testing.T) {
		s := load(t)
		before := definitions(s, slices.Sorted(maps.Keys(s.Types))...)
		if Conform(s); definitions(s, slices.Sorted(maps.Keys(s.Types))...) != before {
			t.Error("the second call changed the schema")
		}
	})
}
