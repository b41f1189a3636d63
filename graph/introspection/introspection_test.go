package introspection

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

const sdl = `
"A schema."
schema { query: Root }
"The root."
type Root {
  all(a: Int = 1, b: [String!]! @deprecated(reason: "use a")): [Thing!]!
  old: Int @deprecated
  older: Int @deprecated(reason: "use all")
}
interface Named { name: String }
interface Thing implements Named { name: String }
type One implements Thing & Named { name: String }
union Any = One
input In { a: Int = -1 b: String = "x\"y" @deprecated c: [Int!] = [1, 2] d: In = {a: 1} }
input Which @oneOf { a: Int b: Int }
enum Hue { RED BLUE @deprecated GREEN @deprecated(reason: "use RED") }
scalar Link @specifiedBy(url: "https://example.com/link")
scalar Raw
directive @tag(name: String!, old: Int @deprecated) repeatable on FIELD | OBJECT
`

func introspected() *Schema { return Of(gqlparser.MustLoadSchema(&ast.Source{Input: sdl})) }

func sdlOf(t *Type) string {
	switch t.Kind() {
	case "NON_NULL":
		return sdlOf(t.OfType()) + "!"
	case "LIST":
		return "[" + sdlOf(t.OfType()) + "]"
	}
	return *t.Name()
}

func or(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}

func values(list []InputValue) (all []string) {
	for _, v := range list {
		all = append(all, v.Name()+": "+sdlOf(v.Type())+" = "+or(v.DefaultValue())+" "+or(v.DeprecationReason()))
	}
	return all
}

func names(list []Type) (all []string) {
	for _, t := range list {
		all = append(all, *t.Name())
	}
	return all
}

func TestTypesListTheirMembers(t *testing.T) {
	s := introspected()
	root := s.Type("Root")
	fields := func(includeDeprecated bool) (all []string) {
		for _, f := range root.Fields(includeDeprecated) {
			all = append(all, f.Name()+": "+sdlOf(f.Type())+" "+or(f.DeprecationReason()))
		}
		return all
	}
	enum := func(includeDeprecated bool) (all []string) {
		for _, v := range s.Type("Hue").EnumValues(includeDeprecated) {
			all = append(all, v.Name()+" "+or(v.DeprecationReason()))
		}
		return all
	}
	all, tag := root.Fields(false)[0], s.Directives()[len(s.Directives())-1]
	for _, test := range []struct {
		name      string
		got, want []string
	}{
		{"fields, without __schema and __type", fields(false), []string{"all: [Thing!]! -"}},
		{"deprecated fields", fields(true),
			[]string{"all: [Thing!]! -", "old: Int No longer supported", "older: Int use all"}},
		{"arguments", values(all.Args(false)), []string{"a: Int = 1 -"}},
		{"deprecated arguments", values(all.Args(true)), []string{"a: Int = 1 -", "b: [String!]! = - use a"}},
		{"enum values", enum(false), []string{"RED -"}},
		{"deprecated enum values", enum(true), []string{"RED -", "BLUE No longer supported", "GREEN use RED"}},
		{"input fields", values(s.Type("In").InputFields(false)),
			[]string{"a: Int = -1 -", "c: [Int!] = [1,2] -", "d: In = {a:1} -"}},
		{"deprecated input fields", values(s.Type("In").InputFields(true)),
			[]string{"a: Int = -1 -", `b: String = "x\"y" No longer supported`, "c: [Int!] = [1,2] -", "d: In = {a:1} -"}},
		{"arguments of a directive", values(tag.Args(false)), []string{"name: String! = - -"}},
		{"deprecated arguments of a directive", values(tag.Args(true)),
			[]string{"name: String! = - -", "old: Int = - No longer supported"}},
		{"interfaces", names(s.Type("One").Interfaces()), []string{"Thing", "Named"}},
		{"interfaces of an interface", names(s.Type("Thing").Interfaces()), []string{"Named"}},
		{"possible types of an interface are objects", names(s.Type("Named").PossibleTypes()), []string{"One"}},
		{"possible types of a union", names(s.Type("Any").PossibleTypes()), []string{"One"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The expectations are from section 4.2.2 of the specification.
func TestFieldsThatDoNotApplyAreNull(t *testing.T) {
	s := introspected()
	list := s.Type("Root").Fields(false)[0].Type().OfType()
	for _, test := range []struct {
		kind, applies string
		typ           *Type
	}{
		{"OBJECT", "name fields interfaces", s.Type("One")},
		{"INTERFACE", "name fields interfaces possibleTypes", s.Type("Named")},
		{"UNION", "name possibleTypes", s.Type("Any")},
		{"ENUM", "name enumValues", s.Type("Hue")},
		{"INPUT_OBJECT", "name inputFields isOneOf", s.Type("In")},
		{"SCALAR", "name specifiedByURL", s.Type("Link")},
		{"SCALAR", "name", s.Type("Raw")},
		{"LIST", "ofType", list},
		{"NON_NULL", "ofType", list.OfType()},
	} {
		t.Run(test.kind, func(t *testing.T) {
			var applies []string
			for _, member := range []struct {
				name string
				is   bool
			}{
				{"name", test.typ.Name() != nil},
				{"specifiedByURL", test.typ.SpecifiedByURL() != nil},
				{"fields", test.typ.Fields(true) != nil},
				{"interfaces", test.typ.Interfaces() != nil},
				{"possibleTypes", test.typ.PossibleTypes() != nil},
				{"enumValues", test.typ.EnumValues(true) != nil},
				{"inputFields", test.typ.InputFields(true) != nil},
				{"ofType", test.typ.OfType() != nil},
				{"isOneOf", test.typ.IsOneOf() != nil},
			} {
				if member.is {
					applies = append(applies, member.name)
				}
			}
			if got := strings.Join(applies, " "); got != test.applies || test.typ.Kind() != test.kind {
				t.Errorf("not null for %s: got %s, want %s", test.typ.Kind(), got, test.applies)
			}
		})
	}
	t.Run("a oneOf input", func(t *testing.T) {
		if !*s.Type("Which").IsOneOf() || *s.Type("In").IsOneOf() {
			t.Error("isOneOf is wrong")
		}
	})
}

func TestSchemaHasDescriptionsRootsAndDirectives(t *testing.T) {
	s := introspected()
	if or(s.Description()) != "A schema." || or(s.QueryType().Name()) != "Root" ||
		s.MutationType() != nil || s.SubscriptionType() != nil || s.Type("None") != nil {
		t.Error("description or root types are wrong")
	}
	if or(s.Type("Root").Description()) != "The root." || s.Type("One").Description() != nil {
		t.Error("a description is wrong")
	}
	var directives []string
	for _, d := range s.Directives() {
		if d.IsRepeatable() {
			directives = append(directives, d.Name()+" "+strings.Join(d.Locations(), "|")+" "+or(d.Description()))
		}
	}
	if diff := cmp.Diff([]string{"tag FIELD|OBJECT -"}, directives); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
