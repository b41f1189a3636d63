package validation

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"
)

// valuesOfCorrectType is section 5.6.1 for literals of every type, custom scalars included: gqlparser's rule accepts
// objects and lists where a scalar or an enum is expected, and every literal for a custom scalar.
func (v *Validator) valuesOfCorrectType(observers *core.Events, addError core.AddErrFunc) {
	problems, checked := 0, map[*ast.Value]bool{}
	report := func(at *ast.Position, problem func() error) {
		if problems++; problems > maxProblems {
			return
		}
		err := problem()
		addError(core.Message("%s", err), core.At(at), func(e *gqlerror.Error) { e.Err = err })
	}
	check := func(given ast.ArgumentList, defs ast.ArgumentDefinitionList) {
		for _, a := range given {
			if def := defs.ForName(a.Name); def != nil && !checked[a.Value] {
				checked[a.Value] = true
				v.inputs.Literal(def.Type, a.Value, report)
			}
		}
	}
	observers.OnVariable(func(_ *core.Walker, variable *ast.VariableDefinition) {
		if variable.DefaultValue != nil {
			v.inputs.Literal(variable.Type, variable.DefaultValue, report)
		}
	})
	observers.OnField(func(_ *core.Walker, field *ast.Field) {
		if field.Definition != nil {
			check(field.Arguments, field.Definition.Arguments)
		}
	})
	observers.OnDirective(func(_ *core.Walker, directive *ast.Directive) {
		if directive.Definition != nil {
			check(directive.Arguments, directive.Definition.Arguments)
		}
	})
}
