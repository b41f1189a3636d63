package conformance

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

func anyVariable(
	change func(g *generator, d *document, o *operation, v *variable) bool,
) func(*generator, *document) bool {
	return func(g *generator, d *document) bool {
		o := d.operations[0]
		return len(o.variables) > 0 && change(g, d, o, oneOf(g, o.variables...))
	}
}

var variableBreaks = []mutation{
	tree(
		"5.8.1", "two variables of one name",
		anyVariable(func(g *generator, d *document, o *operation, v *variable) bool {
			again := *v
			if g.chance(3) {
				again.typ = "Int"
			}
			o.variables = append(o.variables, &again)
			return true
		}),
	),
	tree(
		"5.8.2", "a variable of a type that is no input",
		anyVariable(func(g *generator, d *document, o *operation, v *variable) bool {
			v.typ = oneOf(g, "User", "[User!]!", "Node", "Nothing", "string", "UserConnection!", "__Type", "__Schema")
			return true
		}),
	),
	tree(
		"5.8.3", "a variable that is not defined",
		anyVariable(func(g *generator, d *document, o *operation, v *variable) bool {
			o.variables = slices.DeleteFunc(o.variables, func(other *variable) bool { return other == v })
			return true
		}),
	),
	tree(
		"5.8.3", "a variable that one of two operations lacks",
		anyVariable(func(g *generator, d *document, o *operation, v *variable) bool {
			if o.name == "" {
				o.name = "First"
			}
			d.operationName = o.name
			other := *o
			other.name = g.name("Op")
			other.variables = slices.DeleteFunc(
				slices.Clone(o.variables),
				func(each *variable) bool { return each == v },
			)
			d.operations = append(d.operations, &other)
			return true
		}),
	),
	tree(
		"5.8.3", "a variable that is not defined, in a list, an object or a directive",
		func(g *generator, d *document) bool {
			s := oneOf(g, d.selections(isField)...)
			if g.chance(2) {
				s.directives = []*directive{condition("skip", "$undefined")}
				return true
			}
			input := g.inputObject(d)
			if len(input.fields) > 0 {
				oneOf(g, input.fields...).value = oneOf(
					g,
					&value{text: "$undefined"},
					&value{list: true, items: []*value{{text: "$undefined"}}},
				)
			}
			return true
		},
	),
	tree("5.8.4", "a variable that is not used", func(g *generator, d *document) bool {
		o := oneOf(g, d.operations...)
		v := &variable{name: g.name("unused"), typ: oneOf(g, "Int", "String", "[ID!]", "PostTwitInput", "Boolean")}
		o.variables = append(o.variables, v)
		return true
	}),
	tree(
		"5.8.5", "a variable of another type",
		anyVariable(func(g *generator, d *document, o *operation, v *variable) bool {
			v.typ, v.initial = oneOf(
				g,
				"Int", "Int!", "String", "String!", "ID", "ID!", "[ID!]!", "[ID]", "[[ID!]!]!", "Boolean",
				"Boolean!", "Date!", "URL", "Visibility", "PostTwitInput!", "DateTime",
			), nil
			delete(d.variables, v.name)
			return true
		}),
	),
	tree(
		"5.8.5", "a variable that may be null where nothing may",
		anyVariable(func(g *generator, d *document, o *operation, v *variable) bool {
			n := len(v.typ)
			if v.typ[n-1] != '!' {
				return false
			}
			v.typ = v.typ[:n-1]
			v.initial = oneOf(g, nil, nil, &value{text: "null"})
			return true
		}),
	),
	tree("5.8.5", "a variable within a list of another nullability", func(g *generator, d *document) bool {
		*d = document{variables: map[string]string{}}
		o := &operation{
			kind: ast.Query,
			variables: []*variable{
				{name: "v", typ: oneOf(g, "ID", "ID!", "[ID]", "[ID!]", "[ID!]!", "[[ID!]!]", "String!", "[ID]!")},
			},
		}
		d.operations = []*operation{o}
		s := &selection{
			parent:     g.schema.Query,
			field:      "nodes",
			definition: g.schema.Query.Fields.ForName("nodes"),
			set:        []*selection{typename(nil)},
		}
		s.arguments = []*argument{
			{"ids", oneOf(g, &value{text: "$v"}, &value{list: true, items: []*value{{text: "$v"}}}), nil},
		}
		o.set = []*selection{s}
		if g.chance(3) {
			o.variables[0].initial = &value{text: oneOf(g, "null", `"a"`, `["a"]`, "[]", "[null]", "{}")}
		}
		if !g.chance(3) {
			d.variables["v"] = oneOf(g, "null", `"a"`, `["a"]`, "[]", "[null]", "1", `[["a"]]`)
		}
		return true
	}),
}
