package conformance

import "slices"

var argumentBreaks = []mutation{
	tree("5.4.1", "an argument that the field lacks", of(isField, func(g *generator, d *document, s *selection) bool {
		s.arguments = append(
			slices.Clone(s.arguments),
			&argument{
				oneOf(g, "nothing", "First", "if", "id", "input"),
				&value{text: oneOf(g, "1", `"a"`, "null", "{a:1}")}, nil,
			},
		)
		return true
	})),
	tree(
		"5.4.1", "an argument that the directive lacks",
		of(
			func(s *selection) bool { return len(s.directives) > 0 },
			func(g *generator, d *document, s *selection) bool {
				s.directives[0].arguments = append(
					s.directives[0].arguments,
					&argument{oneOf(g, "unless", "If", "label"), &value{text: "true"}, nil},
				)
				return true
			},
		),
	),
	tree("5.4.2", "an argument twice", of(hasArguments, func(g *generator, d *document, s *selection) bool {
		a := oneOf(g, s.arguments...)
		s.arguments = append(slices.Clone(s.arguments), a)
		if g.chance(3) && a.definition != nil {
			s.arguments[len(s.arguments)-1] = &argument{a.name, g.literal(a.definition.Type, "", 0), a.definition}
		}
		return true
	})),
	tree(
		"5.4.2", "a directive's argument twice",
		of(
			func(s *selection) bool { return len(s.directives) > 0 },
			func(g *generator, d *document, s *selection) bool {
				of := s.directives[0]
				of.arguments = append(slices.Clone(of.arguments), of.arguments[0])
				return true
			},
		),
	),
	tree("5.4.3", "no argument where one is required", of(func(s *selection) bool {
		return hasArguments(s) &&
			slices.ContainsFunc(
				s.arguments,
				func(a *argument) bool { return a.definition != nil && a.definition.Type.NonNull },
			)
	}, func(g *generator, d *document, s *selection) bool {
		s.arguments = slices.DeleteFunc(
			slices.Clone(s.arguments),
			func(a *argument) bool { return a.definition != nil && a.definition.Type.NonNull },
		)
		return true
	})),
	tree("5.4.3", "no argument of a directive", of(isField, func(g *generator, d *document, s *selection) bool {
		s.directives = []*directive{{name: oneOf(g, "skip", "include")}}
		return true
	})),
	tree(
		"5.4.3", "null for an argument that is required",
		of(hasArguments, func(g *generator, d *document, s *selection) bool {
			a := *s.arguments[0]
			a.value = &value{text: "null"}
			s.arguments = append([]*argument{&a}, s.arguments[1:]...)
			return a.definition == nil || a.definition.Type.NonNull
		}),
	),
}
