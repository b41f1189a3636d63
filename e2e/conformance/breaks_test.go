package conformance

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// breaks break the rules of the specification's chapter 5, Validation.
var breaks = slices.Concat(documentBreaks, fieldBreaks, argumentBreaks, fragmentBreaks, valueBreaks, directiveBreaks, variableBreaks)

// tree is a mutation of a document as a tree.
func tree(section, name string, change func(g *generator, d *document) bool) mutation {
	return mutation{section: section, name: name, tree: change}
}

// of is a change of one of the selections for which is holds.
func of(is func(s *selection) bool, change func(g *generator, d *document, s *selection) bool) func(*generator, *document) bool {
	return func(g *generator, d *document) bool {
		all := d.selections(is)
		return len(all) > 0 && change(g, d, oneOf(g, all...))
	}
}

func isField(s *selection) bool { return s.field != "" }

func isComposite(s *selection) bool { return s.field != "" && len(s.set) > 0 && s.definition != nil }

func isLeaf(s *selection) bool { return s.field != "" && len(s.set) == 0 }

func hasArguments(s *selection) bool { return len(s.arguments) > 0 }

// typeOf returns the type of what a selection selects from.
func (g *generator) typeOf(s *selection) *ast.Definition {
	switch {
	case s.inline && s.on != "":
		return g.schema.Types[s.on]
	case s.inline:
		return s.parent
	}
	return g.schema.Types[s.definition.Type.Name()]
}

// leaf returns a field of a type that needs no selection and no arguments.
func (g *generator) leaf(parent *ast.Definition) *selection {
	var all []*selection
	for _, f := range parent.Fields {
		if g.schema.Types[f.Type.Name()].IsLeafType() && len(f.Arguments) == 0 {
			all = append(all, &selection{parent: parent, field: f.Name, definition: f})
		}
	}
	if len(all) == 0 {
		return typename(parent)
	}
	return oneOf(g, all...)
}

// insert adds selections at a random place of a set.
func (g *generator) insert(set *[]*selection, more ...*selection) {
	at := g.IntN(len(*set) + 1)
	*set = slices.Insert(slices.Clone(*set), at, more...)
}

// subscribe replaces the document by a valid subscription.
func (g *generator) subscribe(d *document) *operation {
	*d = document{variables: map[string]string{}}
	g.document = d
	o := &operation{kind: ast.Subscription}
	g.operation, d.operations = o, []*operation{o}
	o.set = []*selection{g.field(g.schema.Subscription, 2, scope{})}
	o.set[0].directives = nil
	return o
}

var documentBreaks = []mutation{
	tree("5.1.1", "a definition of the type system", func(g *generator, d *document) bool {
		d.extra = oneOf(g, `type Extra { a: Int }`, `extend type Query { extra: Int }`, `scalar Extra`, `directive @extra on FIELD`, `schema { query: Query }`,
			`enum Extra { A }`, `input Extra { a: Int }`, `union Extra = User`, `"described" interface Extra { a: Int }`, `extend schema @extra`)
		return true
	}),
	tree("5.2.1", "a kind of operation that does not exist", func(g *generator, d *document) bool {
		d.operations[0].kind = ast.Operation(oneOf(g, "Query", "mutations", "subscribe", "fragments", "type"))
		return true
	}),
	tree("5.2.2.1", "two operations of one name", func(g *generator, d *document) bool {
		o := oneOf(g, d.operations...)
		if o.name == "" {
			o.name = "Same"
		}
		d.operations = append(d.operations, &operation{kind: oneOf(g, ast.Query, o.kind), name: o.name, set: []*selection{typename(g.schema.Query)}})
		return true
	}),
	tree("5.2.3.1", "an anonymous operation that is not alone", func(g *generator, d *document) bool {
		if oneOf(g, d.operations...).name = ""; len(d.operations) == 1 {
			d.operations = append(d.operations, &operation{kind: ast.Query, name: g.name("Op"), set: []*selection{typename(g.schema.Query)}})
		}
		return true
	}),
	tree("5.2.4.1", "a subscription of two root fields", func(g *generator, d *document) bool {
		o := g.subscribe(d)
		second := g.field(g.schema.Subscription, 1, scope{})
		second.alias, second.directives = g.name("a"), nil
		switch g.IntN(4) {
		case 0:
			second = &selection{parent: second.parent, inline: true, set: []*selection{second}}
		case 1:
			second = g.fragment(g.schema.Subscription, []*selection{second})
			second.directives = nil
		}
		g.insert(&o.set, second)
		return true
	}),
	tree("5.2.4.1", "a subscription of an introspection field", func(g *generator, d *document) bool {
		o := g.subscribe(d)
		s := typename(g.schema.Subscription)
		if g.chance(3) {
			s.alias = "a"
		}
		o.set = oneOf(g, []*selection{s}, []*selection{s}, append(o.set, s))
		if g.chance(3) {
			o.set = []*selection{g.fragment(g.schema.Subscription, o.set)}
			o.set[0].directives = nil
		}
		return true
	}),
	tree("5.2.4.1", "@skip or @include on the root field of a subscription", func(g *generator, d *document) bool {
		o := g.subscribe(d)
		switch g.IntN(3) {
		case 0:
			o.set[0].directives = g.conditions(1)
		case 1:
			o.set = []*selection{{parent: g.schema.Subscription, inline: true, set: o.set, directives: g.conditions(1)}}
		default:
			o.set = []*selection{g.fragment(g.schema.Subscription, o.set)}
			o.set[0].directives = g.conditions(1)
		}
		return true
	}),
	tree("6.1", "an operationName that names nothing", func(g *generator, d *document) bool {
		d.operationName = oneOf(g, "nothing", "Op", "query", " ")
		if len(d.operations) > 1 && g.chance(2) {
			d.operationName = ""
		}
		return true
	}),
}

var fieldBreaks = []mutation{
	tree("5.3.1", "a field that the type lacks", of(isField, func(g *generator, d *document, s *selection) bool {
		if s.field = oneOf(g, "nothing", s.field+"s", "__schema", "__type", "__nothing", "name", "username"); s.field == "name" {
			s.arguments = nil
		}
		return true
	})),
	tree("5.3.1", "a field of an object selected from its interface", of(func(s *selection) bool {
		return isComposite(s) && s.definition.Type.Name() == "Node"
	}, func(g *generator, d *document, s *selection) bool {
		g.insert(&s.set, &selection{parent: g.schema.Types["Node"], field: oneOf(g, "username", "name", "content", "code")})
		return true
	})),
	tree("5.3.2", "different fields of one response key", of(isComposite, func(g *generator, d *document, s *selection) bool {
		a, b := g.leaf(g.typeOf(s)), g.leaf(g.typeOf(s))
		a.alias, b.alias = "same", "same"
		if g.chance(2) {
			b = &selection{parent: b.parent, inline: true, on: b.parent.Name, set: []*selection{b}}
		}
		g.insert(&s.set, a)
		g.insert(&s.set, b)
		return a.field != b.field
	})),
	tree("5.3.2", "different arguments of one response key", of(func(s *selection) bool {
		return hasArguments(s) && s.definition != nil && !s.inline
	}, func(g *generator, d *document, s *selection) bool {
		other := *s
		other.directives = nil
		other.arguments = slices.Clone(s.arguments)
		at := g.IntN(len(other.arguments))
		a := *other.arguments[at]
		if other.arguments[at] = &a; a.definition != nil && !a.definition.Type.NonNull && g.chance(2) {
			other.arguments = slices.Delete(other.arguments, at, at+1)
		} else if a.definition != nil {
			a.value = g.literal(a.definition.Type, s.field+"."+a.name, 0)
		}
		changed := false
		d.walk(func(in *[]*selection, each *selection) {
			if each == s && !changed {
				changed = true
				g.insert(in, &other)
			}
		})
		return true
	})),
	tree("5.3.2", "fields of two objects with answers of different shapes", of(func(s *selection) bool {
		return isComposite(s) && s.definition.Type.Name() == "Node"
	}, func(g *generator, d *document, s *selection) bool {
		on := func(name, field string) *selection {
			of := g.schema.Types[name]
			f := &selection{parent: of, field: field, alias: "same", definition: of.Fields.ForName(field)}
			if inner := g.schema.Types[f.definition.Type.Name()]; !inner.IsLeafType() {
				f.set = []*selection{g.leaf(inner)}
			}
			return &selection{parent: g.schema.Types["Node"], inline: true, on: name, set: []*selection{f}}
		}
		g.insert(&s.set, on("User", oneOf(g, "username", "age", "createdAt", "twits", "followers")))
		g.insert(&s.set, on("Twit", oneOf(g, "content", "commentCount", "title", "author", "comments", "photoUrls")))
		return true
	})),
	tree("5.3.3", "a selection of a leaf", of(func(s *selection) bool { return isLeaf(s) && s.definition != nil }, func(g *generator, d *document, s *selection) bool {
		s.set = []*selection{{field: oneOf(g, "a", "__typename", "id")}}
		return true
	})),
	tree("5.3.3", "no selection of an object", of(isComposite, func(g *generator, d *document, s *selection) bool {
		s.set = nil
		s.emptySet = g.chance(6)
		return true
	})),
}

var argumentBreaks = []mutation{
	tree("5.4.1", "an argument that the field lacks", of(isField, func(g *generator, d *document, s *selection) bool {
		s.arguments = append(slices.Clone(s.arguments), &argument{oneOf(g, "nothing", "First", "if", "id", "input"), &value{text: oneOf(g, "1", `"a"`, "null", "{a:1}")}, nil})
		return true
	})),
	tree("5.4.1", "an argument that the directive lacks", of(func(s *selection) bool { return len(s.directives) > 0 }, func(g *generator, d *document, s *selection) bool {
		s.directives[0].arguments = append(s.directives[0].arguments, &argument{oneOf(g, "unless", "If", "label"), &value{text: "true"}, nil})
		return true
	})),
	tree("5.4.2", "an argument twice", of(hasArguments, func(g *generator, d *document, s *selection) bool {
		a := oneOf(g, s.arguments...)
		s.arguments = append(slices.Clone(s.arguments), a)
		if g.chance(3) && a.definition != nil {
			s.arguments[len(s.arguments)-1] = &argument{a.name, g.literal(a.definition.Type, "", 0), a.definition}
		}
		return true
	})),
	tree("5.4.2", "a directive's argument twice", of(func(s *selection) bool { return len(s.directives) > 0 }, func(g *generator, d *document, s *selection) bool {
		of := s.directives[0]
		of.arguments = append(slices.Clone(of.arguments), of.arguments[0])
		return true
	})),
	tree("5.4.3", "no argument where one is required", of(func(s *selection) bool {
		return hasArguments(s) && slices.ContainsFunc(s.arguments, func(a *argument) bool { return a.definition != nil && a.definition.Type.NonNull })
	}, func(g *generator, d *document, s *selection) bool {
		s.arguments = slices.DeleteFunc(slices.Clone(s.arguments), func(a *argument) bool { return a.definition != nil && a.definition.Type.NonNull })
		return true
	})),
	tree("5.4.3", "no argument of a directive", of(isField, func(g *generator, d *document, s *selection) bool {
		s.directives = []*directive{{name: oneOf(g, "skip", "include")}}
		return true
	})),
	tree("5.4.3", "null for an argument that is required", of(hasArguments, func(g *generator, d *document, s *selection) bool {
		a := *s.arguments[0]
		a.value = &value{text: "null"}
		s.arguments = append([]*argument{&a}, s.arguments[1:]...)
		return a.definition == nil || a.definition.Type.NonNull
	})),
}
