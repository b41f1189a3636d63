// Package schema holds the GraphQL schema, a file for each noun. What is not in it is not visible.
package schema

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
)

// SDL writes a whole schema as one document that stands by itself, without extensions, for the tools of clients.
func SDL(schema *ast.Schema) string {
	var text strings.Builder
	f := formatter.NewFormatter(&text, formatter.WithIndent("  "))
	if schema.Description != "" { // FormatSchema would leave it out: docs/UPSTREAM.md
		f.FormatSchemaDocument(&ast.SchemaDocument{Schema: ast.SchemaDefinitionList{entry(schema)}})
	}
	f.FormatSchema(schema)
	return text.String()
}

// entry returns the definition that names the root types and describes the schema.
func entry(schema *ast.Schema) *ast.SchemaDefinition {
	definition := &ast.SchemaDefinition{Description: schema.Description}
	for _, root := range []struct {
		operation  ast.Operation
		definition *ast.Definition
	}{{ast.Query, schema.Query}, {ast.Mutation, schema.Mutation}, {ast.Subscription, schema.Subscription}} {
		if root.definition != nil {
			definition.OperationTypes = append(definition.OperationTypes,
				&ast.OperationTypeDefinition{Operation: root.operation, Type: root.definition.Name})
		}
	}
	return definition
}
