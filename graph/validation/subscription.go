package validation

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
)

// singleRootField is section 5.2.4.1: a subscription has one root field, not one of introspection, and no
// @skip or @include around it. gqlparser's rule counts names instead of response keys, and ignores the directives.
func singleRootField(observers *core.Events, addError core.AddErrFunc) {
	observers.OnOperation(func(_ *core.Walker, operation *ast.OperationDefinition) {
		if operation.Operation != ast.Subscription {
			return
		}
		name := "Anonymous Subscription"
		if operation.Name != "" {
			name = `Subscription "` + operation.Name + `"`
		}
		root := rootFields{key: "", spread: map[string]bool{}}
		root.collect(operation.SelectionSet, func(message string, at *ast.Position) {
			addError(core.Message("%s %s", name, message), core.At(at))
		})
	})
}

// rootFields collects the root fields of a subscription.
type rootFields struct {
	key    string // the response key of the first field
	spread map[string]bool
}

func (r *rootFields) collect(set ast.SelectionSet, refuse func(message string, at *ast.Position)) {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			conditional(s.Directives, refuse)
			if r.key == "" {
				r.key = s.Alias
			} else if s.Alias != r.key {
				refuse("must select only one top level field.", s.Position)
			}
			if strings.HasPrefix(s.Name, "__") {
				refuse("must not select an introspection top level field.", s.Position)
			}
		case *ast.InlineFragment:
			conditional(s.Directives, refuse)
			r.collect(s.SelectionSet, refuse)
		case *ast.FragmentSpread:
			conditional(s.Directives, refuse)
			if s.Definition != nil && !r.spread[s.Name] {
				r.spread[s.Name] = true
				r.collect(s.Definition.SelectionSet, refuse)
			}
		}
	}
}

// conditional refuses @skip and @include.
func conditional(list ast.DirectiveList, refuse func(message string, at *ast.Position)) {
	for _, d := range list {
		if d.Name == "skip" || d.Name == "include" {
			refuse("must not use @skip or @include in the top level selection.", d.Position)
		}
	}
}
