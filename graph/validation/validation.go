// Package validation validates documents by section 5 of the specification. It replaces rules of
// gqlparser that are wrong or not linear: see docs/UPSTREAM.md.
package validation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"twibase/graph/coercion"
)

// Validator is safe for concurrent use.
type Validator struct {
	inputs *coercion.Inputs
	hidden bool
}

// New returns a Validator. If hidden is true, it rejects introspection.
func New(inputs *coercion.Inputs, hidden bool) *Validator { return &Validator{inputs, hidden} }

// Validate returns the errors of a document. It sets the references to the schema, which execution
// needs.
func (v *Validator) Validate(doc *ast.QueryDocument) gqlerror.List {
	if len(doc.Operations) == 0 {
		err := gqlerror.Errorf("The document has no operation.")
		errcode.Set(err, errcode.ValidationFailed)
		return gqlerror.List{err}
	}
	all := validator.ValidateWithRules(v.inputs.Schema, doc, v.rules(false))
	if v.inputs.Suggest && len(all) > 0 && len(all) <= maxErrors {
		all = validator.ValidateWithRules(v.inputs.Schema, doc, v.rules(true))
	}
	seen := make(map[string]bool, len(all))
	return slices.DeleteFunc(all, func(err *gqlerror.Error) bool {
		errcode.Set(err, errcode.ValidationFailed)
		text := err.Error()
		repeated := seen[text]
		seen[text] = true
		return repeated
	})
}

// maxErrors is the maximum number of errors about values, and of errors with suggestions.
const maxErrors = 10

// rules returns new rules for each document, because they have state.
func (v *Validator) rules(suggest bool) *rules.Rules {
	all := rules.NewDefaultRules()
	replaced := map[string]core.RuleFunc{
		"OverlappingFieldsCanBeMerged": fieldsMerge,
		"ScalarLeafs":                  rules.ScalarLeafsRuleWithoutSuggestions.RuleFunc,
		"SingleFieldSubscriptions":     singleRootField,
		"ValuesOfCorrectType":          v.valuesOfCorrectType,
	}
	if !suggest {
		replaced["FieldsOnCorrectType"] = rules.FieldsOnCorrectTypeRuleWithoutSuggestions.RuleFunc
		replaced["KnownArgumentNames"] = rules.KnownArgumentNamesRuleWithoutSuggestions.RuleFunc
		replaced["KnownTypeNames"] = rules.KnownTypeNamesRuleWithoutSuggestions.RuleFunc
	}
	for name, rule := range replaced {
		all.ReplaceRule(name, rule)
	}
	if v.hidden {
		all.AddRule("NoIntrospection", noIntrospection)
	}
	return all
}

func noIntrospection(observers *core.Events, addError core.AddErrFunc) {
	observers.OnField(func(_ *core.Walker, field *ast.Field) {
		if field.Name == "__schema" || field.Name == "__type" {
			addError(core.Message("this server does not publish its schema"), core.At(field.Position))
		}
	})
}

// valuesOfCorrectType is section 5.6.1. gqlparser's rule accepts lists and objects for scalars.
func (v *Validator) valuesOfCorrectType(observers *core.Events, addError core.AddErrFunc) {
	reported, checked := 0, map[*ast.Value]bool{}
	report := func(at *ast.Position, err error) {
		if reported++; reported <= maxErrors {
			addError(core.Message("%s", err), core.At(at), func(e *gqlerror.Error) { e.Err = err })
		}
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

// singleRootField is section 5.2.4.1. gqlparser's rule counts names instead of response keys, and
// ignores directives.
func singleRootField(observers *core.Events, addError core.AddErrFunc) {
	observers.OnOperation(func(_ *core.Walker, operation *ast.OperationDefinition) {
		if operation.Operation == ast.Subscription {
			name := "Anonymous Subscription"
			if operation.Name != "" {
				name = `Subscription "` + operation.Name + `"`
			}
			root := rootFields{spread: map[string]bool{}, reject: func(message string, at *ast.Position) {
				addError(core.Message("%s %s", name, message), core.At(at))
			}}
			root.collect(operation.SelectionSet)
		}
	})
}

type rootFields struct {
	key    string
	spread map[string]bool
	reject func(message string, at *ast.Position)
}

func (r *rootFields) collect(set ast.SelectionSet) {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			r.unconditional(s.Directives)
			if r.key = cmp.Or(r.key, s.Alias); s.Alias != r.key {
				r.reject("must select only one top level field.", s.Position)
			}
			if strings.HasPrefix(s.Name, "__") {
				r.reject("must not select an introspection top level field.", s.Position)
			}
		case *ast.InlineFragment:
			r.unconditional(s.Directives)
			r.collect(s.SelectionSet)
		case *ast.FragmentSpread:
			r.unconditional(s.Directives)
			if s.Definition != nil && !r.spread[s.Name] {
				r.spread[s.Name] = true
				r.collect(s.Definition.SelectionSet)
			}
		}
	}
}

func (r *rootFields) unconditional(list ast.DirectiveList) {
	for _, d := range list {
		if d.Name == "skip" || d.Name == "include" {
			r.reject("must not use @skip or @include in the top level selection.", d.Position)
		}
	}
}
