package conformance

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

func (g *generator) anyFragment(d *document) *fragment {
	if len(d.fragments) == 0 {
		o := d.operations[0]
		o.set = []*selection{g.fragment(g.root(o.kind), o.set)}
		o.set[0].directives = nil
	}
	return oneOf(g, d.fragments...)
}

func inside(
	change func(g *generator, d *document, parent *ast.Definition) *selection,
) func(*generator, *document) bool {
	return of(isComposite, func(g *generator, d *document, s *selection) bool {
		more := change(g, d, g.typeOf(s))
		if more == nil {
			return false
		}
		g.insert(&s.set, more)
		return true
	})
}

var fragmentBreaks = []mutation{
	tree("5.5.1.1", "two fragments of one name", func(g *generator, d *document) bool {
		f := *g.anyFragment(d)
		f.set = []*selection{typename(nil)}
		d.fragments = append(d.fragments, &f)
		return true
	}),
	tree("5.5.1.2", "a fragment on a type that does not exist", func(g *generator, d *document) bool {
		g.anyFragment(d).on = oneOf(g, "Nothing", "user", "__User", "on")
		return true
	}),
	tree(
		"5.5.1.2", "an inline fragment on a type that does not exist",
		inside(func(g *generator, d *document, parent *ast.Definition) *selection {
			return &selection{
				parent: parent,
				inline: true,
				on:     oneOf(g, "Nothing", "Users", "__Nothing"),
				set:    []*selection{typename(parent)},
			}
		}),
	),
	tree("5.5.1.3", "a fragment on a type without fields", func(g *generator, d *document) bool {
		g.anyFragment(d).on = oneOf(g, "Int", "Visibility", "PostTwitInput", "DateTime", "__TypeKind")
		return true
	}),
	tree(
		"5.5.1.3", "an inline fragment on a type without fields",
		inside(func(g *generator, d *document, parent *ast.Definition) *selection {
			return &selection{
				parent: parent,
				inline: true,
				on:     oneOf(g, "String", "Visibility", "LogInInput", "URL"),
				set:    []*selection{typename(parent)},
			}
		}),
	),
	tree("5.5.1.4", "a fragment that is not used", func(g *generator, d *document) bool {
		of := g.schema.Types[oneOf(g, "User", "Twit", "Node", "Query", "UserConnection")]
		f := &fragment{name: g.name("F"), on: of.Name, set: []*selection{typename(of)}}
		if g.chance(3) { // by itself, or by another unused one
			other := &fragment{name: g.name("F"), on: of.Name, set: []*selection{{spread: f.name}}}
			d.fragments = append(d.fragments, other)
		}
		d.fragments = append(d.fragments, f)
		return true
	}),
	tree(
		"5.5.2.1", "a spread of a fragment that does not exist",
		inside(func(g *generator, d *document, parent *ast.Definition) *selection {
			return &selection{parent: parent, spread: oneOf(g, "Nothing", "f1", "query", "null")}
		}),
	),
	tree("5.5.2.2", "a fragment that spreads itself", func(g *generator, d *document) bool {
		f := g.anyFragment(d)
		if g.chance(2) {
			f.set = append(slices.Clone(f.set), &selection{spread: f.name})
			return true
		}
		other := &fragment{name: g.name("F"), on: f.on, set: []*selection{{spread: f.name}}}
		f.set = append(slices.Clone(f.set), &selection{inline: true, set: []*selection{{spread: other.name}}})
		d.fragments = append(d.fragments, other)
		return true
	}),
	tree(
		"5.5.2.3", "an inline fragment that never applies",
		inside(func(g *generator, d *document, parent *ast.Definition) *selection {
			on := oneOf(g, "User", "Twit", "PageInfo", "Query", "UserConnection", "UserError", "__Type")
			return &selection{parent: parent, inline: true, on: on, set: []*selection{g.leaf(g.schema.Types[on])}}
		}),
	),
	tree(
		"5.5.2.3", "a fragment that never applies",
		inside(func(g *generator, d *document, parent *ast.Definition) *selection {
			of := g.schema.Types[oneOf(g, "User", "Twit", "PageInfo", "Query", "UserConnection", "Mutation", "Node")]
			s := g.fragment(of, []*selection{g.leaf(of)})
			s.parent = parent
			return s
		}),
	),
}
