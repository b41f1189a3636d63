package coercion

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// Literal checks that a literal of a document is a value of a type: section 5.6.1. It reports each invalid part,
// with its position. problem makes the error when called, since its message may take long to make. Variables inside
// the literal are checked by other rules and by [Arguments].
func (in *Inputs) Literal(t *ast.Type, value *ast.Value, report func(at *ast.Position, problem func() error)) {
	if value.Kind == ast.Variable {
		return
	}
	if value.Kind == ast.NullValue {
		if t.NonNull {
			report(value.Position, func() error {
				return fmt.Errorf("expected a value of the type %s, found null", t)
			})
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
		if value.Kind != ast.EnumValue || def.EnumValues.ForName(value.Raw) == nil {
			report(value.Position, func() error { return in.wrongEnum(def, value) })
		}
	case ast.Scalar:
		if problem := in.scalarLiteral(def.Name, value); problem != nil {
			report(value.Position, func() error { return wrong(t.String(), value, problem) })
		}
	}
}

func (in *Inputs) objectLiteral(def *ast.Definition, value *ast.Value, report func(*ast.Position, func() error)) {
	if value.Kind != ast.ObjectValue {
		report(value.Position, func() error { return wrong(def.Name, value, errObject) })
		return
	}
	for _, field := range def.Fields {
		if required(field) && value.Children.ForName(field.Name) == nil {
			report(value.Position, func() error { return missing(field) })
		}
	}
	for _, given := range value.Children {
		if field := def.Fields.ForName(given.Name); field != nil {
			in.Literal(field.Type, given.Value, report)
		} else {
			report(given.Position, func() error { return in.unknownField(def, given.Name) })
		}
	}
	if isOneOf(def) && (len(value.Children) != 1 || value.Children[0].Value.Kind == ast.NullValue) {
		report(value.Position, func() error { return errOneOf })
	}
}

// wrong returns the error for a literal that is not a value of a type.
func wrong(of string, value *ast.Value, because error) error {
	return fmt.Errorf("expected a value of the type %s, found %s: %w", of, show(value), because)
}

func (in *Inputs) wrongEnum(def *ast.Definition, value *ast.Value) error {
	if value.Kind != ast.EnumValue {
		return fmt.Errorf("expected a value of the enum %s, found %s", def.Name, show(value))
	}
	return in.unknownValue(def, value.Raw)
}

// scalarLiteral checks a literal of a scalar. The syntax decides: 5.0 is not an Int, and 5 is not a String.
func (in *Inputs) scalarLiteral(name string, value *ast.Value) error {
	kinds, builtIn := map[string][]ast.ValueKind{
		"Int":     {ast.IntValue},
		"Float":   {ast.IntValue, ast.FloatValue},
		"String":  {ast.StringValue, ast.BlockValue},
		"Boolean": {ast.BooleanValue},
		"ID":      {ast.StringValue, ast.BlockValue, ast.IntValue},
	}[name]
	if !builtIn {
		if value.Kind == ast.EnumValue {
			return mustBe(name)
		}
		return in.further(name, untyped(value))
	}
	for _, kind := range kinds {
		if value.Kind == kind {
			_, err := in.scalar(name, untyped(value))
			return err
		}
	}
	return mustBe(name)
}

// maxShown bounds the bytes of a literal that an error repeats.
const maxShown = 40

func show(value *ast.Value) string {
	text := value.String()
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "…"
}

// untyped returns a literal in the types that JSON decodes to. Variables inside a custom scalar become null.
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

// typed returns the value of a scalar's or an enum's literal that is known to be valid.
func typed(scalar string, value *ast.Value) any {
	switch {
	case scalar == "Int" && value.Kind == ast.IntValue:
		n, _ := strconv.ParseInt(value.Raw, 10, 32)
		return n
	case scalar == "Float":
		f, _ := strconv.ParseFloat(value.Raw, 64)
		return f
	case scalar == "ID":
		return value.Raw
	}
	return untyped(value)
}
