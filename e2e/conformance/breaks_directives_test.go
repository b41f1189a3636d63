package conformance

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

func (g *generator) anyDirectives(d *document) (*[]*directive, ast.DirectiveLocation) {
	type directivesAt struct {
		at *[]*directive
		is ast.DirectiveLocation
	}
	var all []directivesAt
	d.walk(func(_ *[]*selection, s *selection) {
		location := ast.LocationField
		if s.inline {
			location = ast.LocationInlineFragment
		} else if s.spread != "" {
			location = ast.LocationFragmentSpread
		}
		all = append(all, directivesAt{&s.directives, location})
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
		*at = append(
			slices.Clone(*at),
			&directive{name: oneOf(g, "nothing", "Skip", "if", "client", "connection", "goField")},
		)
		return true
	}),
	tree("5.7.2", "a directive of another location", func(g *generator, d *document) bool {
		wrong := oneOf(
			g,
			condition("skip", "false"),
			condition("include", "true"),
			&directive{name: "deprecated"}, &directive{name: "oneOf"},
			&directive{"specifiedBy", []*argument{{"url", &value{text: `"https://example.org"`}, nil}}},
		)
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
