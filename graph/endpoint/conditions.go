package endpoint

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// checkConditions refuses null for the argument if of @skip, @include and @defer. Validation allows it for a variable that
// has a default. By the letter of section 6.3.2 such a field is included; graphql-js fails its parent; gqlgen panics.
// A refusal before execution is the clearest of these: docs/SPEC.md lists it.
func checkConditions(op *graphql.OperationContext) *gqlerror.Error {
	for _, v := range op.Operation.VariableDefinitions {
		if value, given := op.Variables[v.Variable]; given && value == nil && v.Type.NamedType == "Boolean" && decides(op.Operation, v.Variable) {
			err := gqlerror.ErrorPosf(v.Position, "$%s is the condition of a directive and can't be null: pass true or false, or leave it out", v.Variable)
			errcode.Set(err, errcode.ValidationFailed)
			return err
		}
	}
	return nil
}

// decides reports whether a condition of an operation, or of the fragments that it spreads, is the variable.
func decides(op *ast.OperationDefinition, variable string) bool {
	asks := func(list ast.DirectiveList) bool {
		for _, d := range list {
			if arg := d.Arguments.ForName("if"); arg != nil && arg.Value.Kind == ast.Variable && arg.Value.Raw == variable {
				return true
			}
		}
		return false
	}
	spread := map[*ast.FragmentDefinition]bool{}
	var below func(ast.SelectionSet) bool
	below = func(set ast.SelectionSet) bool {
		for _, s := range set {
			var list ast.DirectiveList
			var under ast.SelectionSet
			switch s := s.(type) {
			case *ast.Field:
				list, under = s.Directives, s.SelectionSet
			case *ast.InlineFragment:
				list, under = s.Directives, s.SelectionSet
			case *ast.FragmentSpread:
				if list = s.Directives; !spread[s.Definition] {
					spread[s.Definition] = true
					under = s.Definition.SelectionSet
				}
			}
			if asks(list) || below(under) {
				return true
			}
		}
		return false
	}
	return below(op.SelectionSet)
}
