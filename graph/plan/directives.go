package plan

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// directives returns what the directives of an operation, and of the fragments of its document, mean for its execution:
//   - conditions are the variables on which @skip and @include depend, sorted;
//   - final is whether there is @defer or @stream. Both have no effect: everything is in one response. It has the extension
//     is_final; without it Relay waits for further responses, and drops the deferred parts.
func directives(doc *ast.QueryDocument, op *ast.OperationDefinition) (conditions []string, final bool) {
	add := func(list ast.DirectiveList) {
		for _, d := range list {
			switch d.Name {
			case "defer", "stream":
				final = true
			case "skip", "include":
				arg := d.Arguments.ForName("if")
				if arg != nil && arg.Value.Kind == ast.Variable && !slices.Contains(conditions, arg.Value.Raw) {
					conditions = append(conditions, arg.Value.Raw)
				}
			}
		}
	}
	var walk func(ast.SelectionSet)
	walk = func(set ast.SelectionSet) {
		for _, s := range set {
			switch s := s.(type) {
			case *ast.Field:
				add(s.Directives)
				walk(s.SelectionSet)
			case *ast.InlineFragment:
				add(s.Directives)
				walk(s.SelectionSet)
			case *ast.FragmentSpread:
				add(s.Directives)
			}
		}
	}
	walk(op.SelectionSet)
	for _, f := range doc.Fragments {
		walk(f.SelectionSet)
	}
	slices.SortFunc(conditions, strings.Compare)
	return conditions, final
}
