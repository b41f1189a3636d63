package validation

import (
	"maps"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"

	"twibase/graph/suggest"
)

// names has the rules about names for one document. gqlparser's own take time quadratic in what the client sent
// to suggest names, and again for each operation that uses a fragment.
type names struct {
	suggest bool
	// suggested are the suggestions by the position of the name. Only the first few names get one.
	suggested map[*ast.Position]string
}

// similar returns the suggestion for the name at a position, or "" if there is none.
func (n *names) similar(at *ast.Position, name string, options func() []string) string {
	if !n.suggest {
		return ""
	}
	suggestion, known := n.suggested[at]
	if !known && len(n.suggested) < maxProblems {
		suggestion = suggest.Names(name, options())
		n.suggested[at] = suggestion
	}
	return suggestion
}

// knownFields is FieldsOnCorrectType: section 5.3.1.
func (n *names) knownFields(observers *core.Events, addError core.AddErrFunc) {
	observers.OnField(func(_ *core.Walker, field *ast.Field) {
		def := field.ObjectDefinition
		if def == nil || field.Definition != nil {
			return
		}
		similar := n.similar(field.Position, field.Name, func() (all []string) {
			for _, f := range def.Fields {
				all = append(all, f.Name)
			}
			return all
		})
		addError(core.Message("Cannot query field %q on type %q.%s", field.Name, def.Name, similar), core.At(field.Position))
	})
}

// knownArguments is KnownArgumentNames: section 5.4.1.
func (n *names) knownArguments(observers *core.Events, addError core.AddErrFunc) {
	check := func(where string, given ast.ArgumentList, defs ast.ArgumentDefinitionList) {
		for _, a := range given {
			if defs.ForName(a.Name) != nil {
				continue
			}
			similar := n.similar(a.Position, a.Name, func() (all []string) {
				for _, def := range defs {
					all = append(all, def.Name)
				}
				return all
			})
			addError(core.Message("Unknown argument %q on %s.%s", a.Name, where, similar), core.At(a.Position))
		}
	}
	observers.OnField(func(_ *core.Walker, field *ast.Field) {
		if field.Definition != nil && field.ObjectDefinition != nil {
			check(`field "`+field.ObjectDefinition.Name+"."+field.Name+`"`, field.Arguments, field.Definition.Arguments)
		}
	})
	observers.OnDirective(func(_ *core.Walker, directive *ast.Directive) {
		if directive.Definition != nil {
			check(`directive "@`+directive.Name+`"`, directive.Arguments, directive.Definition.Arguments)
		}
	})
}

// knownTypes is KnownTypeNames: sections 5.5.1.2 and 5.8.2.
func (n *names) knownTypes(observers *core.Events, addError core.AddErrFunc) {
	check := func(walker *core.Walker, name string, at *ast.Position) {
		if walker.Schema.Types[name] == nil {
			similar := n.similar(at, name, func() []string { return slices.Sorted(maps.Keys(walker.Schema.Types)) })
			addError(core.Message("Unknown type %q.%s", name, similar), core.At(at))
		}
	}
	observers.OnVariable(func(walker *core.Walker, variable *ast.VariableDefinition) {
		check(walker, variable.Type.Name(), variable.Position)
	})
	observers.OnInlineFragment(func(walker *core.Walker, fragment *ast.InlineFragment) {
		if fragment.TypeCondition != "" {
			check(walker, fragment.TypeCondition, fragment.Position)
		}
	})
	observers.OnFragment(func(walker *core.Walker, fragment *ast.FragmentDefinition) {
		check(walker, fragment.TypeCondition, fragment.Position)
	})
}
