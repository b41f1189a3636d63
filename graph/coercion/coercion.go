// Package coercion coerces input values by sections 3.5 to 3.12, 6.1.2 and 6.4.1 of the GraphQL
// specification.
//
//	when                  what                                          function
//	validation            literals of a document                        Inputs.Literal
//	before execution      values of variables                           Inputs.Variables
//	execution             arguments: null variables, defaults           Arguments
//
// Coerced values have the types that gqlgen's generated code takes: int64 for Int, float64 for
// Float, string for String, ID and enums, bool, []any and map[string]any. Other scalars keep the
// decoded value of the JSON or the literal.
package coercion

import (
	"errors"
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
)

// Inputs coerces input values, and is safe for concurrent use.
type Inputs struct {
	Schema *ast.Schema
	// Scalars check decoded JSON of custom scalars, and of built-in scalars with bounds.
	Scalars map[string]func(value any) error
	// Suggest adds "did you mean" to the errors for unknown names.
	Suggest bool
}

func (in *Inputs) unknown(what, name string, known []string) error {
	message := fmt.Sprintf("%s %q", what, name)
	if in.Suggest {
		message += "." + suggest(name, known)
	}
	return errors.New(message)
}

// maxSuggestLength bounds the quadratic time of suggestions.
const maxSuggestLength = 40

const maxSuggestions = 5

func suggest(name string, options []string) string {
	if len(name) > maxSuggestLength {
		return ""
	}
	similar := core.SuggestionList(name, options)
	if len(similar) == 0 {
		return ""
	}
	return " Did you mean " + core.QuotedOrList(similar[:min(len(similar), maxSuggestions)]...) + "?"
}

func (in *Inputs) unknownValue(def *ast.Definition, name string) error {
	names := make([]string, len(def.EnumValues))
	for i, v := range def.EnumValues {
		names[i] = v.Name
	}
	return in.unknown("the enum "+def.Name+" has no value", name, names)
}

func (in *Inputs) unknownField(def *ast.Definition, name string) error {
	names := make([]string, len(def.Fields))
	for i, f := range def.Fields {
		names[i] = f.Name
	}
	return in.unknown("the input "+def.Name+" has no field", name, names)
}

var (
	errNull   = errors.New("it can't be null")
	errObject = errors.New("it must be an object")
	errOneOf  = errors.New("exactly one of its fields must be given, and not as null")
)

func missing(field *ast.FieldDefinition) error {
	return fmt.Errorf("the field %s of the type %s is required", field.Name, field.Type)
}

func isOneOf(def *ast.Definition) bool { return def.Directives.ForName("oneOf") != nil }

func mustBe(scalar string) error {
	switch scalar {
	case "Int":
		return errors.New("it must be a whole number from -2147483648 to 2147483647")
	case "Float":
		return errors.New("it must be a number")
	case "Boolean":
		return errors.New("it must be true or false")
	case "ID":
		return errors.New("it must be a string or a whole number")
	}
	return errors.New("it must be a string")
}
