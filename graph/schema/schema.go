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
	formatter.NewFormatter(&text, formatter.WithIndent("  ")).FormatSchema(schema)
	return text.String()
}
