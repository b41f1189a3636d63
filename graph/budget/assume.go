package budget

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/relay"
)

// assume returns the values of variables. Open variables get arbitrary valid values, because fields
// declare the largest cost of open arguments.
func (c *Checker) assume(op *ast.OperationDefinition) (given map[string]any, open map[string]bool) {
	given, open = map[string]any{}, map[string]bool{}
	for i, def := range op.VariableDefinitions {
		if value, known := c.Variables[def.Variable]; known {
			given[def.Variable] = value
			continue
		}
		open[def.Variable] = true
		given[def.Variable] = c.value(def.Type, i)
	}
	return given, open
}

// value returns a value of variable i. An Int is the size of the largest page. A list has that
// length, or c.List if it is less.
func (c *Checker) value(t *ast.Type, i int) any {
	if t.Elem == nil {
		return c.single(c.Schema.Types[t.NamedType], i)
	}
	n := relay.MaxPage
	if c.List > 0 {
		n = min(n, c.List)
	}
	return slices.Repeat([]any{c.value(t.Elem, i)}, n)
}

func (c *Checker) single(def *ast.Definition, i int) any {
	switch {
	case def.Kind == ast.Enum:
		return def.EnumValues[0].Name
	case def.Kind == ast.InputObject:
		return c.object(def, i)
	}
	switch def.Name {
	case "Int", "Float":
		return json.Number(strconv.Itoa(relay.MaxPage))
	case "Boolean":
		return true
	case "ID":
		return ""
	case "Date":
		return "2000-01-01"
	case "DateTime":
		return "2000-01-01T00:00:00Z"
	case "URL":
		return "https://example.org/"
	}
	return "any" + strconv.Itoa(i) // a username or a code, different for each variable
}

func (c *Checker) object(def *ast.Definition, i int) map[string]any {
	object := map[string]any{}
	for _, field := range def.Fields {
		if field.Type.NonNull && field.DefaultValue == nil {
			object[field.Name] = c.element(field.Type, i)
		}
	}
	if def.Directives.ForName("oneOf") != nil {
		object[def.Fields[0].Name] = c.element(def.Fields[0].Type, i)
	}
	return object
}

func (c *Checker) element(t *ast.Type, i int) any {
	if t.Elem != nil {
		return []any{c.element(t.Elem, i)}
	}
	return c.single(c.Schema.Types[t.NamedType], i)
}

// dropConditions removes @skip and @include with open variables, because the bound of all fields is
// also a bound of some of them.
func (c *Checker) dropConditions(doc *ast.QueryDocument) {
	for _, op := range doc.Operations {
		c.dropIn(op.SelectionSet)
	}
	for _, fragment := range doc.Fragments {
		c.dropIn(fragment.SelectionSet)
	}
}

func (c *Checker) dropIn(set ast.SelectionSet) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			s.Directives = c.constant(s.Directives)
			c.dropIn(s.SelectionSet)
		case *ast.InlineFragment:
			s.Directives = c.constant(s.Directives)
			c.dropIn(s.SelectionSet)
		case *ast.FragmentSpread:
			s.Directives = c.constant(s.Directives)
		}
	}
}

func (c *Checker) constant(directives ast.DirectiveList) ast.DirectiveList {
	return slices.DeleteFunc(slices.Clone(directives), func(d *ast.Directive) bool {
		condition := d.Arguments.ForName("if")
		if d.Name != "skip" && d.Name != "include" || condition.Value.Kind != ast.Variable {
			return false
		}
		_, known := c.Variables[condition.Value.Raw]
		return !known
	})
}
