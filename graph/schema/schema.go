// Package schema has the GraphQL schema, a file for each noun.
package schema

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
)

// SDL returns one document without extensions.
func SDL(schema *ast.Schema) string {
	var text strings.Builder
	f := formatter.NewFormatter(&text, formatter.WithIndent("  "))
	// FormatSchema omits the description of the schema: docs/UPSTREAM.md.
	f.FormatSchemaDocument(&ast.SchemaDocument{Schema: ast.SchemaDefinitionList{{
		Description: schema.Description,
		OperationTypes: ast.OperationTypeDefinitionList{
			{Operation: ast.Query, Type: schema.Query.Name},
			{Operation: ast.Mutation, Type: schema.Mutation.Name},
			{Operation: ast.Subscription, Type: schema.Subscription.Name},
		},
	}}})
	f.FormatSchema(schema)
	return text.String()
}

// Introspection lists only referenced built-in scalars.
var specified = []string{"Int", "Float", "String", "Boolean", "ID"}

// Conform replaces gqlparser's built-in definitions by those of the specification: see
// docs/UPSTREAM.md. It is idempotent.
func Conform(schema *ast.Schema) {
	deprecated := schema.Directives["deprecated"]
	deprecated.Arguments.ForName("reason").Type.NonNull = true
	deprecated.Locations = slices.DeleteFunc(deprecated.Locations, ofDirectives)
	locations := schema.Types["__DirectiveLocation"]
	locations.EnumValues = slices.DeleteFunc(locations.EnumValues, func(v *ast.EnumValueDefinition) bool {
		return ofDirectives(ast.DirectiveLocation(v.Name))
	})
	for _, name := range []string{"__Type", "__Field", "__Directive"} {
		for _, field := range schema.Types[name].Fields {
			if argument := field.Arguments.ForName("includeDeprecated"); argument != nil {
				argument.Type.NonNull = true
			}
		}
	}
	referenced := references(schema)
	for _, name := range specified {
		if !referenced[name] {
			delete(schema.Types, name)
			delete(schema.PossibleTypes, name)
		}
	}
}

func ofDirectives(location ast.DirectiveLocation) bool {
	return location == ast.LocationDirectiveDefinition
}

func references(schema *ast.Schema) map[string]bool {
	names := map[string]bool{}
	arguments := func(list ast.ArgumentDefinitionList) {
		for _, argument := range list {
			names[argument.Type.Name()] = true
		}
	}
	for _, definition := range schema.Types {
		for _, field := range definition.Fields {
			names[field.Type.Name()] = true
			arguments(field.Arguments)
		}
	}
	for _, directive := range schema.Directives {
		arguments(directive.Arguments)
	}
	return names
}
