package conformance

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

func shape(name string, change func(g *generator, v *variable, values map[string]string) bool) mutation {
	return tree("6.1.2", name, func(g *generator, d *document) bool {
		o := d.operations[0]
		if len(d.operations) > 1 || len(o.variables) == 0 {
			return false
		}
		return change(g, oneOf(g, o.variables...), d.variables)
	})
}

func inputShape(name string, change func(g *generator, of *ast.Definition, members map[string]any) bool) mutation {
	return tree("6.1.2", name, func(g *generator, d *document) bool {
		input := g.inputObject(d)
		o := d.operations[0]
		for len(o.variables) > 0 { // the value must contain no variables
			input = g.inputObject(d)
			o = d.operations[0]
		}
		definition := o.set[0].definition.Arguments[0]
		o.variables = []*variable{{name: "input", typ: definition.Type.String()}}
		o.set[0].arguments[0].value = &value{text: "$input"}
		members := map[string]any{}
		if err := json.Unmarshal([]byte(input.json), &members); err != nil {
			panic(err)
		}
		if !change(g, g.schema.Types[definition.Type.Name()], members) {
			return false
		}
		text, err := json.Marshal(members)
		if err != nil {
			panic(err)
		}
		d.variables["input"] = string(text)
		return true
	})
}

var shapes = []mutation{
	shape("a value of another type", func(g *generator, v *variable, values map[string]string) bool {
		values[v.name] = oneOf(g, jsonValues...)
		return true
	}),
	shape("null", func(g *generator, v *variable, values map[string]string) bool {
		values[v.name] = "null"
		return true
	}),
	shape("no value", func(g *generator, v *variable, values map[string]string) bool {
		delete(values, v.name)
		return true
	}),
	shape("a value within a list", func(g *generator, v *variable, values map[string]string) bool {
		text, has := values[v.name]
		values[v.name] = "[" + text + "]"
		return has
	}),
	shape("a value that no variable has", func(g *generator, v *variable, values map[string]string) bool {
		values["unknown"] = oneOf(g, jsonValues...)
		if g.chance(2) {
			values[v.name] = oneOf(g, jsonValues...)
		}
		return true
	}),
	inputShape("a member of another type", func(g *generator, of *ast.Definition, members map[string]any) bool {
		members[oneOf(g, of.Fields...).Name] = json.RawMessage(oneOf(g, jsonValues...))
		return true
	}),
	inputShape(
		"a member that the input object lacks",
		func(g *generator, of *ast.Definition, members map[string]any) bool {
			members[oneOf(g, "__typename", "nothing", "Username", "")] = json.RawMessage(oneOf(g, `"a"`, "null", "1"))
			return true
		},
	),
	inputShape(
		"no member where one is required",
		func(g *generator, of *ast.Definition, members map[string]any) bool {
			if len(members) == 0 {
				return false
			}
			delete(members, oneOf(g, slices.Sorted(maps.Keys(members))...))
			return true
		},
	),
	inputShape("a list within a list", func(g *generator, of *ast.Definition, members map[string]any) bool {
		var lists []string
		for _, f := range of.Fields {
			if f.Type.Elem != nil {
				lists = append(lists, f.Name)
			}
		}
		if len(lists) == 0 {
			return false
		}
		members[oneOf(g, lists...)] = json.RawMessage(
			oneOf(
				g,
				`[[]]`, `[["https://example.org"]]`, `["https://example.org",null]`, `[1]`,
				`"https://example.org"`, `{}`, `[{}]`, `null`, `5`,
			),
		)
		return true
	}),
	tree(
		"6.4.1", "null for a non-null argument by a variable with a default",
		func(g *generator, d *document) bool {
			*d = document{variables: map[string]string{"v": oneOf(g, "null", "null", "null", `"a"`)}}
			if g.chance(4) {
				delete(d.variables, "v")
			}
			type at struct{ typ, initial, text string }
			chosen := oneOf(
				g,
				at{"String", `"x"`, `{user(username:$v){username}}`},
				at{"ID", `"x"`, `{node(id:$v){id}}`},
				at{"[ID!]", `["x"]`, `{nodes(ids:$v){id}}`},
				at{"ID", `"x"`, `{nodes(ids:[$v]){id}}`},
				at{
					"String", `"x"`, `{viewer{id} user(username:"hub"){isFollowing(username:$v) username}}`,
				},
				at{"Date", `"2014-01-01"`, `{games(first:1){nodes{plays(from:$v,to:"2015-01-01"){day} code}}}`},
				at{
					"Int", "1", `{users(first:$v){nodes{username}}}`,
				},
				at{"Boolean", "true", `{viewer@skip(if:$v){id} roles{totalCount}}`},
				at{"Boolean", "true", `{users(first:1){nodes{username@include(if:$v)id}}}`},
				at{
					"String", `"x"`, `{__type(name:$v){name}}`,
				},
				at{"Boolean", "false", `{__type(name:"User"){fields(includeDeprecated:$v){name}}}`},
				at{"String", `"x"`, `{users(first:2){nodes{hasRole(code:$v)username}}}`},
				at{"String", `"x"`, `{user(username:"hub"){hasPlayed(code:$v)hasRole(code:"admin")}}`},
			)
			d.operations = []*operation{
				{
					kind:      ast.Query,
					variables: []*variable{{name: "v", typ: chosen.typ, initial: &value{text: chosen.initial}}},
					text:      chosen.text,
				},
			}
			return true
		},
	),
}
