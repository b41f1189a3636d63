package conformance

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

func anyValue(is func(v *value) bool, change func(g *generator, v *value) bool) func(*generator, *document) bool {
	return func(g *generator, d *document) bool {
		all := slices.DeleteFunc(d.values(), func(v *value) bool { return !is(v) })
		return len(all) > 0 && change(g, oneOf(g, all...))
	}
}

// inputObject replaces the document by a mutation. The returned literal is its input object,
// sometimes as a variable's default.
func (g *generator) inputObject(d *document) *value {
	*d = document{variables: map[string]string{}}
	g.document = d
	o := &operation{kind: ast.Mutation}
	g.operation, d.operations = o, []*operation{o}
	var fields []*ast.FieldDefinition
	for _, f := range g.schema.Mutation.Fields {
		if len(f.Arguments) == 1 && f.Arguments[0].Name == "input" {
			fields = append(fields, f)
		}
	}
	definition := oneOf(g, fields...)
	of := g.schema.Types[definition.Type.Name()]
	s := &selection{
		parent:     g.schema.Mutation,
		field:      definition.Name,
		definition: definition,
		set:        []*selection{g.leaf(of)},
	}
	input := g.literal(definition.Arguments[0].Type, s.field+".input", 8)
	s.arguments = []*argument{{"input", input, definition.Arguments[0]}}
	if o.set = []*selection{s}; g.chance(4) && len(o.variables) == 0 {
		v := &variable{name: "v", typ: definition.Arguments[0].Type.String(), initial: input}
		o.variables = []*variable{v}
		s.arguments[0].value = &value{text: "$v", typ: definition.Arguments[0].Type}
	}
	return input
}

var valueBreaks = []mutation{
	tree(
		"5.6.1", "a value of another type",
		anyValue(func(v *value) bool { return true }, func(g *generator, v *value) bool {
			*v = value{text: oneOf(g, literals...)}
			return true
		}),
	),
	tree("5.6.1", "a value of another type in an input object", func(g *generator, d *document) bool {
		input := g.inputObject(d)
		if len(input.fields) == 0 {
			return false
		}
		field := oneOf(g, input.fields...)
		field.value = &value{text: oneOf(g, literals...)}
		return true
	}),
	tree("5.6.1", "a value of another type at a random input position", func(g *generator, d *document) bool {
		*d = document{variables: map[string]string{}, operations: []*operation{{kind: ast.Query}}}
		g.document, g.operation = d, d.operations[0]
		s := g.field(g.schema.Query, 2, scope{})
		d.operations[0].set = []*selection{s}
		if s.definition == nil || len(s.definition.Arguments) == 0 {
			return false
		}
		a := oneOf(g, s.definition.Arguments...)
		s.arguments = slices.DeleteFunc(
			slices.Clone(s.arguments),
			func(other *argument) bool { return other.name == a.Name },
		)
		s.arguments = append(s.arguments, &argument{a.Name, &value{text: oneOf(g, literals...)}, a})
		return true
	}),
	tree(
		"5.6.1", "a list of another type",
		anyValue(func(v *value) bool { return v.list }, func(g *generator, v *value) bool {
			v.items = append(slices.Clone(v.items), &value{text: oneOf(g, literals...)})
			return true
		}),
	),
	tree(
		"5.6.1", "a scalar within a list",
		anyValue(
			func(v *value) bool { return !v.list && v.typ != nil && v.typ.Elem == nil },
			func(g *generator, v *value) bool {
				inner := *v
				*v = value{list: true, items: []*value{&inner}}
				return true
			},
		),
	),
	tree("5.6.2", "a field that the input object lacks", func(g *generator, d *document) bool {
		input := g.inputObject(d)
		input.fields = append(
			input.fields,
			&argument{
				oneOf(g, "nothing", "__typename", "Username", "id"),
				&value{text: oneOf(g, "1", `"a"`, "null")}, nil,
			},
		)
		return true
	}),
	tree("5.6.3", "a field of an input object twice", func(g *generator, d *document) bool {
		input := g.inputObject(d)
		if len(input.fields) == 0 {
			return false
		}
		input.fields = append(input.fields, oneOf(g, input.fields...))
		return true
	}),
	tree("5.6.4", "no field of an input object where one is required", func(g *generator, d *document) bool {
		input := g.inputObject(d)
		definition := g.schema.Types[input.typ.Name()]
		before := len(input.fields)
		input.fields = slices.DeleteFunc(
			input.fields,
			func(f *argument) bool { return definition.Fields.ForName(f.name).Type.NonNull },
		)
		return len(input.fields) < before
	}),
	tree("5.6.4", "null for a field of an input object that is required", func(g *generator, d *document) bool {
		input := g.inputObject(d)
		definition := g.schema.Types[input.typ.Name()]
		for _, f := range input.fields {
			if definition.Fields.ForName(f.name).Type.NonNull {
				f.value = &value{text: "null"}
				return true
			}
		}
		return false
	}),
}
