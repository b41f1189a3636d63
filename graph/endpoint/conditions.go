package endpoint

import (
	"slices"

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
		if value, given := op.Variables[v.Variable]; given && value == nil && v.Type.NamedType == "Boolean" &&
			decides(op.Operation.SelectionSet, v.Variable, map[*ast.FragmentDefinition]bool{}) {
			err := gqlerror.ErrorPosf(v.Position, "$%s is the condition of a directive and can't be null: pass true or false, or leave it out", v.Variable)
			errcode.Set(err, errcode.ValidationFailed)
			return err
		}
	}
	return nil
}

// decides reports whether a condition in a selection set, or in the fragments that it spreads, is the variable. It adds
// these fragments to spread.
func decides(set ast.SelectionSet, variable string, spread map[*ast.FragmentDefinition]bool) bool {
	for _, s := range set {
		var directives ast.DirectiveList
		var below ast.SelectionSet
		switch s := s.(type) {
		case *ast.Field:
			directives, below = s.Directives, s.SelectionSet
		case *ast.InlineFragment:
			directives, below = s.Directives, s.SelectionSet
		case *ast.FragmentSpread:
			if directives = s.Directives; !spread[s.Definition] {
				spread[s.Definition] = true
				below = s.Definition.SelectionSet
			}
		}
		isCondition := func(d *ast.Directive) bool {
			arg := d.Arguments.ForName("if")
			return arg != nil && arg.Value.Kind == ast.Variable && arg.Value.Raw == variable
		}
		if slices.ContainsFunc(directives, isCondition) || decides(below, variable, spread) {
			return true
		}
	}
	return false
}
