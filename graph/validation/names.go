package validation

import (
	"maps"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"

	"twibase/graph/suggest"
)

// The rules about names. gqlparser's own suggest names in time that grows with the square of what the client sent.

// similar returns the suggestion for a name, or "" if this validator suggests none.
func (v *Validator) similar(name string, options []string) string {
	if !v.inputs.Suggest {
		return ""
	}
	return suggest.Names(name, options)
}

// knownFields is FieldsOnCorrectType: section 5.3.1.
func (v *Validator) knownFields(observers *core.Events, addError core.AddErrFunc) {
	observers.OnField(func(_ *core.Walker, field *ast.Field) {
		def := field.ObjectDefinition
		if def == nil || field.Definition != nil {
			return
		}
		names := make([]string, len(def.Fields))
		for i, f := range def.Fields {
			names[i] = f.Name
		}
		addError(core.Message("Cannot query field %q on type %q.%s", field.Name, def.Name, v.similar(field.Name, names)),
			core.At(field.Position))
	})
}

// knownArguments is KnownArgumentNames: section 5.4.1.
func (v *Validator) knownArguments(observers *core.Events, addError core.AddErrFunc) {
	check := func(where string, given ast.ArgumentList, defs ast.ArgumentDefinitionList) {
		for _, a := range given {
			if defs.ForName(a.Name) != nil {
				continue
			}
			names := make([]string, len(defs))
			for i, def := range defs {
				names[i] = def.Name
			}
			addError(core.Message("Unknown argument %q on %s.%s", a.Name, where, v.similar(a.Name, names)), core.At(a.Position))
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
func (v *Validator) knownTypes(observers *core.Events, addError core.AddErrFunc) {
	check := func(walker *core.Walker, name string, at *ast.Position) {
		if walker.Schema.Types[name] == nil {
			names := slices.Sorted(maps.Keys(walker.Schema.Types))
			addError(core.Message("Unknown type %q.%s", name, v.similar(name, names)), core.At(at))
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
