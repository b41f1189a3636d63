package conformance

import "slices"

var fieldBreaks = []mutation{
	tree("5.3.1", "a field that the type lacks", of(isField, func(g *generator, d *document, s *selection) bool {
		s.field = oneOf(g, "nothing", s.field+"s", "__schema", "__type", "__nothing", "name", "username")
		if s.field == "name" {
			s.arguments = nil
		}
		return true
	})),
	tree("5.3.1", "a field of an object selected from its interface", of(func(s *selection) bool {
		return isComposite(s) && s.definition.Type.Name() == "Node"
	}, func(g *generator, d *document, s *selection) bool {
		g.insert(
			&s.set,
			&selection{parent: g.schema.Types["Node"], field: oneOf(g, "username", "name", "content", "code")},
		)
		return true
	})),
	tree(
		"5.3.2", "different fields of one response key",
		of(isComposite, func(g *generator, d *document, s *selection) bool {
			a, b := g.leaf(g.typeOf(s)), g.leaf(g.typeOf(s))
			a.alias, b.alias = "same", "same"
			if g.chance(2) {
				b = &selection{parent: b.parent, inline: true, on: b.parent.Name, set: []*selection{b}}
			}
			g.insert(&s.set, a)
			g.insert(&s.set, b)
			return a.field != b.field
		}),
	),
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
	tree(
		"5.3.3", "a selection of a leaf",
		of(
			func(s *selection) bool { return isLeaf(s) && s.definition != nil },
			func(g *generator, d *document, s *selection) bool {
				s.set = []*selection{{field: oneOf(g, "a", "__typename", "id")}}
				return true
			},
		),
	),
	tree("5.3.3", "no selection of an object", of(isComposite, func(g *generator, d *document, s *selection) bool {
		s.set = nil
		s.emptySet = g.chance(6)
		return true
	})),
}
