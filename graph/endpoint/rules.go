package endpoint

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// validation returns GraphQL's own rules, and two for what would otherwise go wrong when it is executed.
func validation() *rules.Rules {
	all := rules.NewDefaultRules()
	all.AddRule("NumbersInRange", numbersInRange)
	all.AddRule("NoDefer", noDefer)
	return all
}

// numbersInRange refuses literals that fit into no number, over which gqlparser panics when it reads arguments. Its own rules know the
// range of an Int, but not what a scalar of ours takes.
func numbersInRange(observers *core.Events, addError core.AddErrFunc) {
	observers.OnValue(func(_ *core.Walker, value *ast.Value) {
		if value.Kind != ast.IntValue && value.Kind != ast.FloatValue || value.Definition != nil && value.Definition.Name == "Int" {
			return
		}
		if _, err := value.Value(nil); err != nil {
			addError(core.Message("the number is out of range"), core.At(value.Position))
		}
	})
}

// noDefer refuses @defer, which gqlparser puts into every schema: an answer in parts needs a transport that sends parts.
func noDefer(observers *core.Events, addError core.AddErrFunc) {
	observers.OnDirective(func(_ *core.Walker, directive *ast.Directive) {
		if directive.Name == "defer" {
			addError(core.Message("@defer is not supported here"), core.At(directive.Position))
		}
	})
}
