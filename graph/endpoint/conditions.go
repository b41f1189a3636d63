package endpoint

import (
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// checkConditions rejects null as the condition of @skip, @include and @defer: see docs/SPEC.md.
// Validation allows it for a variable with a default, and gqlgen would panic.
func checkConditions(op *graphql.OperationContext) *gqlerror.Error {
	for _, v := range op.Operation.VariableDefinitions {
		if value, given := op.Variables[v.Variable]; given && value == nil && v.Type.NamedType == "Boolean" &&
			usesCondition(op.Operation.SelectionSet, v.Variable, map[*ast.FragmentDefinition]bool{}) {
			err := gqlerror.ErrorPosf(v.Position, "$%s is the condition of a directive and can't be null: "+
				"pass true or false, or leave it out", v.Variable)
			errcode.Set(err, errcode.ValidationFailed)
			return err
		}
	}
	return nil
}

// usesCondition reports whether variable is the condition of a directive in set, except in visited
// fragments.
func usesCondition(set ast.SelectionSet, variable string, visited map[*ast.FragmentDefinition]bool) bool {
	for _, s := range set {
		var directives ast.DirectiveList
		var below ast.SelectionSet
		switch s := s.(type) {
		case *ast.Field:
			directives, below = s.Directives, s.SelectionSet
		case *ast.InlineFragment:
			directives, below = s.Directives, s.SelectionSet
		case *ast.FragmentSpread:
			if directives = s.Directives; !visited[s.Definition] {
				visited[s.Definition] = true
				below = s.Definition.SelectionSet
			}
		}
		isCondition := func(d *ast.Directive) bool {
			arg := d.Arguments.ForName("if")
			return arg != nil && arg.Value.Kind == ast.Variable && arg.Value.Raw == variable
		}
		if slices.ContainsFunc(directives, isCondition) || usesCondition(below, variable, visited) {
			return true
		}
	}
	return false
}
