package endpoint

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"twibase/graph/limits"
)

// withoutSuggestions are the rules that would tell which names there are. That is for those who look for them, and takes time that grows with the square
// of a name. gqlgen's executor replaces the first and the last of them alone.
var withoutSuggestions = map[string]core.Rule{
	"FieldsOnCorrectType": rules.FieldsOnCorrectTypeRuleWithoutSuggestions,
	"KnownArgumentNames":  rules.KnownArgumentNamesRuleWithoutSuggestions,
	"KnownTypeNames":      rules.KnownTypeNamesRuleWithoutSuggestions,
	"ValuesOfCorrectType": rules.ValuesOfCorrectTypeRuleWithoutSuggestions,
	"ScalarLeafs":         rules.ScalarLeafsRuleWithoutSuggestions,
}

// validation returns GraphQL's own rules, one of them in a form of ours that takes linear time, and two for what would otherwise go wrong when it is executed.
func validation() *rules.Rules {
	all := rules.NewDefaultRules()
	for name, rule := range withoutSuggestions {
		all.ReplaceRule(name, rule.RuleFunc)
	}
	all.ReplaceRule("OverlappingFieldsCanBeMerged", fieldsMerge)
	all.AddRule("NumbersInRange", numbersInRange)
	all.AddRule("NoDefer", noDefer)
	return all
}

// productionRules are those of a server that tells nobody its schema.
func productionRules() *rules.Rules {
	all := validation()
	all.AddRule("NoIntrospection", noIntrospection)
	return all
}

// Invalid returns what is wrong with a document that a server is to trust, nil if nothing is: it would refuse it.
func Invalid(schema *ast.Schema, limits *limits.Limits, document string) error {
	if refusal := limits.Text(document); refusal != nil {
		return refusal
	}
	doc, err := parser.ParseQuery(&ast.Source{Input: document})
	if err != nil {
		return err
	}
	if errs := validator.ValidateWithRules(schema, doc, productionRules()); errs != nil {
		return errs
	}
	return nil
}

// noIntrospection refuses to tell the schema. What type something is of may still be asked.
func noIntrospection(observers *core.Events, addError core.AddErrFunc) {
	observers.OnField(func(_ *core.Walker, field *ast.Field) {
		if field.Name == "__schema" || field.Name == "__type" {
			addError(core.Message("this server does not tell its schema"), core.At(field.Position))
		}
	})
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
