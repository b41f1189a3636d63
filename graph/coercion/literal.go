package coercion

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// Literal checks a literal by section 5.6.1, and reports each invalid part. It skips variables.
func (in *Inputs) Literal(t *ast.Type, value *ast.Value, report func(at *ast.Position, err error)) {
	if value.Kind == ast.Variable {
		return
	}
	if value.Kind == ast.NullValue {
		if t.NonNull {
			report(value.Position, fmt.Errorf("expected a value of the type %s, found null", t))
		}
		return
	}
	if t.Elem != nil {
		if value.Kind != ast.ListValue {
			in.Literal(t.Elem, value, report)
			return
		}
		for _, element := range value.Children {
			in.Literal(t.Elem, element.Value, report)
		}
		return
	}
	def := in.Schema.Types[t.NamedType]
	if def == nil {
		return // KnownTypeNames reports it.
	}
	switch def.Kind {
	case ast.InputObject:
		in.objectLiteral(def, value, report)
	case ast.Enum:
		if value.Kind != ast.EnumValue {
			report(value.Position, fmt.Errorf("expected a value of the enum %s, found %s", def.Name, show(value)))
		} else if def.EnumValues.ForName(value.Raw) == nil {
			report(value.Position, in.unknownValue(def, value.Raw))
		}
	case ast.Scalar:
		if err := in.scalarLiteral(def.Name, value); err != nil {
			report(value.Position, wrong(t.String(), value, err))
		}
	}
}

func (in *Inputs) objectLiteral(def *ast.Definition, value *ast.Value, report func(*ast.Position, error)) {
	if value.Kind != ast.ObjectValue {
		report(value.Position, wrong(def.Name, value, errObject))
		return
	}
	for _, field := range def.Fields {
		if field.Type.NonNull && field.DefaultValue == nil && value.Children.ForName(field.Name) == nil {
			report(value.Position, missing(field))
		}
	}
	for _, given := range value.Children {
		if field := def.Fields.ForName(given.Name); field != nil {
			in.Literal(field.Type, given.Value, report)
		} else {
			report(given.Position, in.unknownField(def, given.Name))
		}
	}
	if isOneOf(def) && (len(value.Children) != 1 || value.Children[0].Value.Kind == ast.NullValue) {
		report(value.Position, errOneOf)
	}
}

func wrong(of string, value *ast.Value, because error) error {
	return fmt.Errorf("expected a value of the type %s, found %s: %w", of, show(value), because)
}

// scalarLiteral also checks the syntax: 5.0 is not an Int, and a name is not a String.
func (in *Inputs) scalarLiteral(name string, value *ast.Value) error {
	if value.Kind == ast.EnumValue || value.Kind == ast.FloatValue && (name == "Int" || name == "ID") {
		return mustBe(name)
	}
	_, err := in.scalar(name, untyped(value))
	return err
}

const maxShown = 40

func show(value *ast.Value) string {
	text := value.String()
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "…"
}

// untyped returns a literal like decoded JSON. Variables inside a custom scalar are null.
func untyped(value *ast.Value) any {
	switch value.Kind {
	case ast.IntValue, ast.FloatValue:
		return json.Number(value.Raw)
	case ast.StringValue, ast.BlockValue, ast.EnumValue:
		return value.Raw
	case ast.BooleanValue:
		return value.Raw == "true"
	case ast.ListValue:
		list := make([]any, len(value.Children))
		for i, element := range value.Children {
			list[i] = untyped(element.Value)
		}
		return list
	case ast.ObjectValue:
		object := make(map[string]any, len(value.Children))
		for _, field := range value.Children {
			object[field.Name] = untyped(field.Value)
		}
		return object
	}
	return nil
}
