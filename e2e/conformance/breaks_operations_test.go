package conformance

import "github.com/vektah/gqlparser/v2/ast"

var documentBreaks = []mutation{
	tree("5.1.1", "a definition of the type system", func(g *generator, d *document) bool {
		d.extra = oneOf(
			g,
			`type Extra { a: Int }`, `extend type Query { extra: Int }`, `scalar Extra`,
			`directive @extra on FIELD`, `schema { query: Query }`, `enum Extra { A }`,
			`input Extra { a: Int }`, `union Extra = User`, `"described" interface Extra { a: Int }`,
			`extend schema @extra`,
		)
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
		d.operations = append(
			d.operations,
			&operation{kind: oneOf(g, ast.Query, o.kind), name: o.name, set: []*selection{typename(g.schema.Query)}},
		)
		return true
	}),
	tree("5.2.3.1", "an anonymous operation that is not alone", func(g *generator, d *document) bool {
		if oneOf(g, d.operations...).name = ""; len(d.operations) == 1 {
			d.operations = append(
				d.operations,
				&operation{kind: ast.Query, name: g.name("Op"), set: []*selection{typename(g.schema.Query)}},
			)
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
			o.set = []*selection{
				{parent: g.schema.Subscription, inline: true, set: o.set, directives: g.conditions(1)},
			}
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
