package coercion

import (
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"
)

// Arguments is CoerceArgumentValues of section 6.4.1, for a field or a directive. The document and
// the variables must be valid. A null or absent variable in a non-null position is an error.
func Arguments(
	schema *ast.Schema, defs ast.ArgumentDefinitionList, given ast.ArgumentList, variables map[string]any,
) (map[string]any, error) {
	coerced := make(map[string]any, len(defs))
	for _, def := range defs {
		var value *ast.Value
		if a := given.ForName(def.Name); a != nil {
			value = a.Value
		}
		if err := set(coerced, schema, def.Name, def.Type, value, def.DefaultValue, variables); err != nil {
			return nil, fmt.Errorf("the argument %s: %w", def.Name, err)
		}
	}
	return coerced, nil
}

func set(
	coerced map[string]any, schema *ast.Schema, name string, t *ast.Type, given, byDefault *ast.Value,
	variables map[string]any,
) (err error) {
	switch {
	case given != nil && present(given, variables):
		coerced[name], err = literal(schema, t, given, variables)
	case byDefault != nil:
		coerced[name], err = literal(schema, t, byDefault, nil)
	case t.NonNull:
		err = fmt.Errorf("a value of the type %s is required", t)
	}
	return err
}

func present(value *ast.Value, variables map[string]any) bool {
	if value.Kind != ast.Variable {
		return true
	}
	_, has := variables[value.Raw]
	return has
}

func literal(schema *ast.Schema, t *ast.Type, value *ast.Value, variables map[string]any) (any, error) {
	if value.Kind == ast.Variable {
		v := variables[value.Raw]
		if v == nil && t.NonNull {
			return nil, fmt.Errorf("the variable $%s can't be null here", value.Raw)
		}
		return v, nil
	}
	if value.Kind == ast.NullValue {
		return nil, nil
	}
	if t.Elem != nil {
		return list(schema, t, value, variables)
	}
	if def := schema.Types[t.NamedType]; def.Kind == ast.InputObject {
		return object(schema, def, value, variables)
	}
	return builtIn(t.NamedType, untyped(value))
}

// list coerces a single value to a list of one.
func list(schema *ast.Schema, t *ast.Type, value *ast.Value, variables map[string]any) (any, error) {
	if value.Kind != ast.ListValue {
		element, err := literal(schema, t.Elem, value, variables)
		return []any{element}, err
	}
	elements := make([]any, len(value.Children))
	for i, child := range value.Children {
		var err error
		if elements[i], err = literal(schema, t.Elem, child.Value, variables); err != nil {
			return nil, err
		}
	}
	return elements, nil
}

func object(schema *ast.Schema, def *ast.Definition, value *ast.Value, variables map[string]any) (any, error) {
	fields := make(map[string]any, len(def.Fields))
	for _, field := range def.Fields {
		err := set(fields, schema, field.Name, field.Type, value.Children.ForName(field.Name), field.DefaultValue, variables)
		if err != nil {
			return nil, fmt.Errorf("the field %s: %w", field.Name, err)
		}
	}
	if isOneOf(def) && !oneValue(fields) {
		return nil, errOneOf
	}
	return fields, nil
}
