// Package introspection implements __schema and __type by the specification of September 2025. It
// replaces gqlgen's package: see docs/UPSTREAM.md. Named types and directives are sorted, and other
// lists keep their order. Pointers are nil where the specification requires null.
package introspection

import (
	"maps"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

type Schema struct{ schema *ast.Schema }

func Of(schema *ast.Schema) *Schema { return &Schema{schema} }

func (s *Schema) Description() *string { return text(s.schema.Description) }

func (s *Schema) Types() []Type {
	types := make([]Type, 0, len(s.schema.Types))
	for _, name := range slices.Sorted(maps.Keys(s.schema.Types)) {
		types = append(types, *s.Type(name))
	}
	return types
}

// Type may be nil.
func (s *Schema) Type(name string) *Type { return named(s.schema, s.schema.Types[name]) }

func (s *Schema) QueryType() *Type { return named(s.schema, s.schema.Query) }

func (s *Schema) MutationType() *Type { return named(s.schema, s.schema.Mutation) }

func (s *Schema) SubscriptionType() *Type { return named(s.schema, s.schema.Subscription) }

func (s *Schema) Directives() []Directive {
	directives := make([]Directive, 0, len(s.schema.Directives))
	for _, name := range slices.Sorted(maps.Keys(s.schema.Directives)) {
		directives = append(directives, Directive{s.schema, s.schema.Directives[name]})
	}
	return directives
}

type Directive struct {
	schema     *ast.Schema
	definition *ast.DirectiveDefinition
}

func (d *Directive) Name() string { return d.definition.Name }

func (d *Directive) Description() *string { return text(d.definition.Description) }

func (d *Directive) IsRepeatable() bool { return d.definition.IsRepeatable }

func (d *Directive) Locations() []string {
	locations := make([]string, len(d.definition.Locations))
	for i, l := range d.definition.Locations {
		locations[i] = string(l)
	}
	return locations
}

func (d *Directive) Args(includeDeprecated bool) []InputValue {
	return arguments(d.schema, d.definition.Arguments, includeDeprecated)
}
