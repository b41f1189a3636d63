// Package schema has the GraphQL schema, one file for each noun. Fields that it lacks are not visible to clients.
package schema

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
)

// SDL writes a whole schema as one document, without extensions, for the tools of clients.
func SDL(schema *ast.Schema) string {
	var text strings.Builder
	f := formatter.NewFormatter(&text, formatter.WithIndent("  "))
	// FormatSchema leaves out the description of the schema: docs/UPSTREAM.md.
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
