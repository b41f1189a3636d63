// Package introspection implements __schema and __type by the specification of September 2025, in
// place of gqlgen's package: docs/UPSTREAM.md lists the differences. gqlgen's generated code calls
// the methods.
package introspection

import (
	"maps"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// Schema is GraphQL's __Schema.
type Schema struct{ schema *ast.Schema }

// Of returns the introspection of a schema.
func Of(schema *ast.Schema) *Schema { return &Schema{schema} }

// Description returns nil if the schema has no description.
func (s *Schema) Description() *string { return text(s.schema.Description) }

// Types returns all named types, also those of introspection, sorted by name.
func (s *Schema) Types() []Type {
	types := make([]Type, 0, len(s.schema.Types))
	for _, name := range slices.Sorted(maps.Keys(s.schema.Types)) {
		types = append(types, *s.Type(name))
	}
	return types
}

// Type returns the type with this name, or nil.
func (s *Schema) Type(name string) *Type { return named(s.schema, s.schema.Types[name]) }

// QueryType returns the root type of queries.
func (s *Schema) QueryType() *Type { return named(s.schema, s.schema.Query) }

// MutationType returns nil if the schema has no mutations.
func (s *Schema) MutationType() *Type { return named(s.schema, s.schema.Mutation) }

// SubscriptionType returns nil if the schema has no subscriptions.
func (s *Schema) SubscriptionType() *Type { return named(s.schema, s.schema.Subscription) }

// Directives returns all directives, sorted by name.
func (s *Schema) Directives() []Directive {
	directives := make([]Directive, 0, len(s.schema.Directives))
	for _, name := range slices.Sorted(maps.Keys(s.schema.Directives)) {
		directives = append(directives, Directive{s.schema, s.schema.Directives[name]})
	}
	return directives
}

// Directive is GraphQL's __Directive.
type Directive struct {
	schema     *ast.Schema
	definition *ast.DirectiveDefinition
}

// Name returns the name without the @.
func (d *Directive) Name() string { return d.definition.Name }

// Description returns nil if the directive has no description.
func (d *Directive) Description() *string { return text(d.definition.Description) }

// IsRepeatable reports whether one location may have the directive several times.
func (d *Directive) IsRepeatable() bool { return d.definition.IsRepeatable }

// Locations returns __DirectiveLocation values, such as FIELD, in the order of the definition.
func (d *Directive) Locations() []string {
	locations := make([]string, len(d.definition.Locations))
	for i, l := range d.definition.Locations {
		locations[i] = string(l)
	}
	return locations
}

// Args returns the arguments in the order of the definition.
func (d *Directive) Args(includeDeprecated bool) []InputValue {
	return arguments(d.schema, d.definition.Arguments, includeDeprecated)
}
