package conformance

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// literals are values of every kind as they stand in documents: for a place of another type each of them is wrong.
var literals = []string{`1`, `-1`, `1.0`, `1e2`, `1.5`, `0`, `2147483647`, `2147483648`, `-2147483649`, `99999999999999999999`, `1e400`, `"1"`, `"true"`, `""`, `"PUBLIC"`, `"""block"""`, `true`, `false`,
	`null`, `PUBLIC`, `public`, `Public`, `NOTHING`, `[]`, `[[]]`, `[null]`, `[1]`, `["a"]`, `[["a"]]`, `{}`, `{a:1}`, `[{}]`, `{a:{}}`, `"2014-02-30"`, `"2014-12-25"`, `"1969-12-31"`, `"2014-1-1"`,
	`"https://example.org"`, `"ftp://example.org"`, `"/path"`, `"https://"`, `"example.org"`, `{username:"a"}`, `{__typename:"X"}`}

// dates and urls are texts that are right and wrong for scalars of the schema's own.
var (
	dates = []string{`2014-12-25`, `2016-02-29`, `2015-02-29`, `2000-02-29`, `1900-02-29`, `1970-01-01`, `1969-12-31`, `9999-12-31`, `10000-01-01`, `0000-01-01`, ` 2014-12-25`, `2014-12-25 `, `2014-12-25T00:00:00Z`, `2014-00-01`,
		`2014-13-01`, `2014-1-1`, `2014-01-32`, `2014-01-00`, `20141225`, `2014/12/25`, `-2014-12-25`, `+2014-12-25`, `14-12-25`, `２０１４-12-25`, `2014-12-25Z`, `today`, ``}
	urls = []string{`https://example.org`, `http://example.org/`, `HTTPS://example.org`, `https://example.org/a b`, `https://exa mple.org`, `https://example.org:80/a?b=c&d#e`, `https://:80`, `https://`, `https:///a`, `https://?a`, `https://#a`,
		`https://a:b@example.org`, `https://a@b@example.org`, `https://example.org:port`, `https://example.org:`, `https://example.org:99999`, `javascript:alert(1)`, `ftp://example.org`, `//example.org`, `/path`, `path`, `https:/example.org`, `https:example.org`,
		`https://小红.example/小红.jpg`, `https://example.org/%zz`, `https://example.org/%41`, `https://example.org?%zz`, `https://example.org?a=%41#`, `https://[::1]/`, `https://[::1`, `https://[zz]/`, `https://::1/`, "https://example.org/\n",
		` https://example.org`, `https://example.org `, `https://<a>/`, `https://example.org/<a>`, `https://example.org/"a"`, `https://example.org/\a`, `https://example.org\a`, `https://exa%41mple.org`, `https://127.0.0.1`, `https://a_b.org`, `https://.`, `data:,a`, ``}
)

// anyValue replaces one of the values for which is holds.
func anyValue(is func(v *value) bool, change func(g *generator, v *value) bool) func(*generator, *document) bool {
	return func(g *generator, d *document) bool {
		all := slices.DeleteFunc(d.values(), func(v *value) bool { return !is(v) })
		return len(all) > 0 && change(g, oneOf(g, all...))
	}
}

// inputObject makes the document a mutation whose input is a literal, and returns that. Some are in a variable's default value.
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
	s := &selection{parent: g.schema.Mutation, field: definition.Name, definition: definition, set: []*selection{g.leaf(of)}}
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
	tree("5.6.1", "a value of another type", anyValue(func(v *value) bool { return true }, func(g *generator, v *value) bool {
		*v = value{text: oneOf(g, literals...)}
		return true
	})),
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
		s.arguments = slices.DeleteFunc(slices.Clone(s.arguments), func(other *argument) bool { return other.name == a.Name })
		s.arguments = append(s.arguments, &argument{a.Name, &value{text: oneOf(g, literals...)}, a})
		return true
	}),
	tree("5.6.1", "a text that is no Date or no URL", func(g *generator, d *document) bool {
		type position struct {
			kind      ast.Operation
			typ, text string
			contents  []string
		}
		at := oneOf(g, position{ast.Query, "Date!", `{games(first:1){nodes{plays(from:VALUE,to:"2015-01-01"){count}}}}`, dates}, position{ast.Mutation, "Date", `{recordPlay(input:{game:"a",day:VALUE}){count}}`, dates},
			position{ast.Mutation, "URL", `{createUser(input:{username:"a",name:"a",avatarUrl:VALUE}){clientMutationId}}`, urls}, position{ast.Mutation, "[URL!]", `{postTwit(input:{content:"a",photoUrls:VALUE}){clientMutationId}}`, urls},
			position{ast.Mutation, "URL!", `{postTwit(input:{content:"a",photoUrls:["https://example.org",VALUE]}){clientMutationId}}`, urls})
		content := oneOf(g, at.contents...)
		literal, o := strconv.Quote(content), &operation{kind: at.kind}
		*d = document{variables: map[string]string{}, operations: []*operation{o}}
		if g.chance(2) {
			o.variables = []*variable{{name: "v", typ: at.typ}}
			if d.variables["v"] = literal; g.chance(4) {
				o.variables[0].initial = &value{text: literal}
			}
			literal = "$v"
		}
		o.text = strings.Replace(at.text, "VALUE", literal, 1)
		return true
	}),
	tree("5.6.1", "a list of another type", anyValue(func(v *value) bool { return v.list }, func(g *generator, v *value) bool {
		v.items = append(slices.Clone(v.items), &value{text: oneOf(g, literals...)})
		return true
	})),
	tree("5.6.1", "a scalar within a list", anyValue(func(v *value) bool { return !v.list && v.typ != nil && v.typ.Elem == nil }, func(g *generator, v *value) bool {
		inner := *v
		*v = value{list: true, items: []*value{&inner}}
		return true
	})),
	tree("5.6.2", "a field that the input object lacks", func(g *generator, d *document) bool {
		input := g.inputObject(d)
		input.fields = append(input.fields, &argument{oneOf(g, "nothing", "__typename", "Username", "id"), &value{text: oneOf(g, "1", `"a"`, "null")}, nil})
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
		input.fields = slices.DeleteFunc(input.fields, func(f *argument) bool { return definition.Fields.ForName(f.name).Type.NonNull })
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

// anyDirectives returns a place of the document where directives stand, and where that is.
func (g *generator) anyDirectives(d *document) (*[]*directive, ast.DirectiveLocation) {
	type place struct {
		at *[]*directive
		is ast.DirectiveLocation
	}
	var all []place
	d.walk(func(_ *[]*selection, s *selection) {
		location := ast.LocationField
		if s.inline {
			location = ast.LocationInlineFragment
		} else if s.spread != "" {
			location = ast.LocationFragmentSpread
		}
		all = append(all, place{&s.directives, location})
	})
	chosen := oneOf(g, all...)
	return chosen.at, chosen.is
}

func condition(name, text string) *directive {
	return &directive{name, []*argument{{"if", &value{text: text}, nil}}}
}

var directiveBreaks = []mutation{
	tree("5.7.1", "a directive that does not exist", func(g *generator, d *document) bool {
		at, _ := g.anyDirectives(d)
		*at = append(slices.Clone(*at), &directive{name: oneOf(g, "nothing", "Skip", "if", "client", "connection", "goField")})
		return true
	}),
	tree("5.7.2", "a directive of another place", func(g *generator, d *document) bool {
		wrong := oneOf(g, condition("skip", "false"), condition("include", "true"), &directive{name: "deprecated"}, &directive{name: "oneOf"},
			&directive{"specifiedBy", []*argument{{"url", &value{text: `"https://example.org"`}, nil}}})
		switch o := oneOf(g, d.operations...); g.IntN(3) {
		case 0:
			o.directives = append(o.directives, wrong)
		case 1:
			f := g.anyFragment(d)
			f.directives = append(f.directives, wrong)
		default:
			if len(o.variables) == 0 {
				return false
			}
			v := oneOf(g, o.variables...)
			v.directives = append(v.directives, wrong)
		}
		return true
	}),
	tree("5.7.2", "a directive of the type system in a document", func(g *generator, d *document) bool {
		at, _ := g.anyDirectives(d)
		*at = append(slices.Clone(*at), &directive{name: oneOf(g, "deprecated", "oneOf")})
		return true
	}),
	tree("5.7.3", "a directive twice", func(g *generator, d *document) bool {
		at, _ := g.anyDirectives(d)
		name := oneOf(g, "skip", "include")
		*at = append(slices.Clone(*at), condition(name, "true"), condition(name, oneOf(g, "true", "false")))
		return true
	}),
}
