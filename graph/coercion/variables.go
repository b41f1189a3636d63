package coercion

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

const maxErrors = 10

// Variables is CoerceVariableValues of section 6.1.2. given is decoded JSON with [json.Number]. The
// result lacks variables without value and default.
func (in *Inputs) Variables(op *ast.OperationDefinition, given map[string]any) (map[string]any, gqlerror.List) {
	coerced := make(map[string]any, len(op.VariableDefinitions))
	var errs gqlerror.List
	for _, def := range op.VariableDefinitions {
		c := variable{in: in, definition: def, errs: &errs}
		value, has := given[def.Variable]
		switch {
		case has:
			coerced[def.Variable] = c.value(def.Type, value, nil)
		case def.DefaultValue != nil:
			coerced[def.Variable], _ = literal(in.Schema, def.Type, def.DefaultValue, nil)
		case def.Type.NonNull:
			c.report(nil, fmt.Errorf("a value of the type %s is required", def.Type))
		}
	}
	return coerced, errs
}

type variable struct {
	in         *Inputs
	definition *ast.VariableDefinition
	errs       *gqlerror.List
}

func (c *variable) report(path ast.Path, cause error) {
	if c.full() {
		return
	}
	where := "$" + append(ast.Path{ast.PathName(c.definition.Variable)}, path...).String()
	err := gqlerror.ErrorPosf(c.definition.Position, "%s: %s", where, cause)
	err.Err = cause
	errcode.Set(err, errcode.ValidationFailed)
	*c.errs = append(*c.errs, err)
}

func (c *variable) full() bool { return len(*c.errs) >= maxErrors }

// value reports errors. After an error the result is meaningless.
func (c *variable) value(t *ast.Type, value any, path ast.Path) any {
	if c.full() {
		return nil
	}
	if value == nil {
		if t.NonNull {
			c.report(path, errNull)
		}
		return nil
	}
	if t.Elem != nil {
		list, ok := value.([]any)
		if !ok {
			return []any{c.value(t.Elem, value, path)}
		}
		coerced := make([]any, len(list))
		for i, element := range list {
			coerced[i] = c.value(t.Elem, element, below(path, ast.PathIndex(i)))
		}
		return coerced
	}
	def := c.in.Schema.Types[t.NamedType]
	var err error
	switch def.Kind {
	case ast.InputObject:
		return c.object(def, value, path)
	case ast.Enum:
		if name, ok := value.(string); !ok {
			err = errors.New("a value of the enum " + def.Name + " must be a string")
		} else if def.EnumValues.ForName(name) == nil {
			err = c.in.unknownValue(def, name)
		}
	default:
		value, err = c.in.scalar(def.Name, value)
	}
	if err != nil {
		c.report(path, err)
	}
	return value
}

func (c *variable) object(def *ast.Definition, value any, path ast.Path) any {
	given, ok := value.(map[string]any)
	if !ok {
		c.report(path, errObject)
		return nil
	}
	coerced := make(map[string]any, len(def.Fields))
	for _, field := range def.Fields {
		value, has := given[field.Name]
		switch {
		case has:
			coerced[field.Name] = c.value(field.Type, value, below(path, ast.PathName(field.Name)))
		case field.DefaultValue != nil:
			coerced[field.Name], _ = literal(c.in.Schema, field.Type, field.DefaultValue, nil)
		case field.Type.NonNull:
			c.report(path, missing(field))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if def.Fields.ForName(name) == nil {
			c.report(path, c.in.unknownField(def, name))
		}
	}
	if isOneOf(def) && !oneValue(given) {
		c.report(path, errOneOf)
	}
	return coerced
}

func oneValue(object map[string]any) bool {
	for _, value := range object {
		return len(object) == 1 && value != nil
	}
	return false
}

func (in *Inputs) scalar(name string, value any) (any, error) {
	coerced, err := builtIn(name, value)
	if check := in.Scalars[name]; err == nil && check != nil {
		err = check(coerced)
	}
	return coerced, err
}

// builtIn coerces built-in scalars, and returns other values unchanged. As in graphql-js, 5.0 and
// 5e0 are Ints.
func builtIn(name string, value any) (any, error) {
	number, isNumber := value.(json.Number)
	_, isString := value.(string)
	ok := true
	switch name {
	case "Int":
		if ok = isNumber; ok {
			return intOf(number)
		}
	case "Float":
		f, err := number.Float64()
		if ok = isNumber && err == nil; ok {
			return f, nil
		}
	case "String":
		ok = isString
	case "Boolean":
		_, ok = value.(bool)
	case "ID":
		if isNumber {
			return idOf(number)
		}
		ok = isString
	}
	if !ok {
		return nil, mustBe(name)
	}
	return value, nil
}

func intOf(number json.Number) (any, error) {
	if n, err := strconv.ParseInt(string(number), 10, 32); err == nil {
		return n, nil
	}
	f, err := number.Float64()
	if err != nil || f != math.Trunc(f) || f < math.MinInt32 || f > math.MaxInt32 {
		return nil, mustBe("Int")
	}
	return int64(f), nil
}

// idOf keeps all digits of a number without a fraction or exponent.
func idOf(number json.Number) (any, error) {
	if !strings.ContainsAny(string(number), ".eE") {
		return string(number), nil
	}
	f, err := number.Float64()
	if err != nil || f != math.Trunc(f) {
		return nil, mustBe("ID")
	}
	return strconv.FormatFloat(f, 'f', -1, 64), nil
}

func below(path ast.Path, step ast.PathElement) ast.Path {
	return append(path[:len(path):len(path)], step)
}
