package conformance

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

var breaks = slices.Concat(
	documentBreaks,
	fieldBreaks,
	argumentBreaks,
	fragmentBreaks,
	valueBreaks,
	directiveBreaks,
	variableBreaks,
)

func tree(section, name string, change func(g *generator, d *document) bool) mutation {
	return mutation{section: section, name: name, tree: change}
}

func of(
	is func(s *selection) bool,
	change func(g *generator, d *document, s *selection) bool,
) func(*generator, *document) bool {
	return func(g *generator, d *document) bool {
		all := d.selections(is)
		return len(all) > 0 && change(g, d, oneOf(g, all...))
	}
}

func isField(s *selection) bool { return s.field != "" }

func isComposite(s *selection) bool { return s.field != "" && len(s.set) > 0 && s.definition != nil }

func isLeaf(s *selection) bool { return s.field != "" && len(s.set) == 0 }

func hasArguments(s *selection) bool { return len(s.arguments) > 0 }

func (g *generator) typeOf(s *selection) *ast.Definition {
	switch {
	case s.inline && s.on != "":
		return g.schema.Types[s.on]
	case s.inline:
		return s.parent
	}
	return g.schema.Types[s.definition.Type.Name()]
}

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

func (g *generator) insert(set *[]*selection, more ...*selection) {
	at := g.IntN(len(*set) + 1)
	*set = slices.Insert(slices.Clone(*set), at, more...)
}

func (g *generator) subscribe(d *document) *operation {
	*d = document{variables: map[string]string{}}
	g.document = d
	o := &operation{kind: ast.Subscription}
	g.operation, d.operations = o, []*operation{o}
	o.set = []*selection{g.field(g.schema.Subscription, 2, scope{})}
	o.set[0].directives = nil
	return o
}
