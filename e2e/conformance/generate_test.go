package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// Most of generator's documents are valid. Both implementations must reject the others.
type generator struct {
	*rand.Rand
	schema *ast.Schema
	pool   map[string][]string

	document  *document
	operation *operation
	names     int
}

func newGenerator(seed, number uint64, schema *ast.Schema, pool map[string][]string) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, number)), schema: schema, pool: pool}
}

func (g *generator) chance(n int) bool { return g.IntN(n) == 0 }

func oneOf[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

func (g *generator) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

func (g *generator) valid() *document {
	d := &document{variables: map[string]string{}}
	g.document = d
	n := 1
	if g.chance(6) {
		n = 2 + g.IntN(2)
	}
	for i := range n {
		o := g.newOperation(n > 1)
		if i == 0 && (n > 1 || o.name != "" && g.chance(4)) {
			d.operationName = o.name
		}
	}
	return d
}

// Only the first operation, which is executed, has values of variables.
func (g *generator) newOperation(named bool) *operation {
	o := &operation{kind: ast.Query}
	switch g.IntN(8) {
	case 0:
		o.kind = ast.Mutation
	case 1:
		if g.chance(2) {
			o.kind = ast.Subscription
		}
	}
	if named || g.chance(3) {
		o.name = g.name(oneOf(g, "Op", "on", "query", "fragment", "_", "true", "null", "Über"[2:]))
	}
	g.operation = o
	g.document.operations = append(g.document.operations, o)
	parent := g.root(o.kind)
	keys := scope{}
	switch {
	case o.kind == ast.Subscription:
		o.set = []*selection{g.field(parent, 3, keys)}
		o.set[0].directives = nil
	case o.kind == ast.Query && g.chance(12):
		o.set = g.introspection()
	default:
		o.set = g.set(parent, 1+g.IntN(4), keys)
	}
	return o
}

func (g *generator) root(kind ast.Operation) *ast.Definition {
	switch kind {
	case ast.Mutation:
		return g.schema.Mutation
	case ast.Subscription:
		return g.schema.Subscription
	}
	return g.schema.Query
}

type scope map[string]*scopedField

type scopedField struct {
	of    *ast.Definition
	field *selection
	below scope
}

func (g *generator) set(parent *ast.Definition, depth int, keys scope) []*selection {
	var set []*selection
	for range 1 + g.IntN(4) {
		s := g.field(parent, depth, keys)
		if s == nil {
			continue
		}
		switch g.IntN(12) {
		case 0:
			s = &selection{parent: parent, inline: true, set: []*selection{s}, directives: g.conditions(3)}
		case 1:
			s = &selection{
				parent:     parent,
				inline:     true,
				on:         parent.Name,
				set:        []*selection{s},
				directives: g.conditions(3),
			}
		case 2:
			s = g.fragment(parent, []*selection{s})
		case 3:
			if parent.Kind == ast.Object && len(parent.Interfaces) > 0 {
				s = g.inInterface(parent, s, keys)
			}
		}
		set = append(set, s)
	}
	if parent.IsAbstractType() {
		for range 1 + g.IntN(3) {
			of := g.schema.PossibleTypes[parent.Name][g.IntN(len(g.schema.PossibleTypes[parent.Name]))]
			inner := g.set(of, depth, keys)
			s := &selection{parent: parent, inline: true, on: of.Name, set: inner, directives: g.conditions(5)}
			if g.chance(4) {
				s = g.fragment(of, inner)
				s.parent = parent
			}
			set = append(set, s)
		}
	}
	if len(set) == 0 {
		set = []*selection{typename(parent)}
	}
	return set
}

func (g *generator) inInterface(parent *ast.Definition, s *selection, keys scope) *selection {
	of := g.schema.Types[parent.Interfaces[0]]
	inner := &selection{parent: of, inline: true, on: parent.Name, set: []*selection{s}}
	set := []*selection{inner}
	if f := g.field(of, 0, keys); f != nil {
		set = append(set, f)
	}
	return &selection{parent: parent, inline: true, on: of.Name, set: set, directives: g.conditions(4)}
}

func typename(parent *ast.Definition) *selection {
	return &selection{
		parent:     parent,
		field:      "__typename",
		definition: &ast.FieldDefinition{Name: "__typename", Type: ast.NonNullNamedType("String", nil)},
	}
}

func (g *generator) fragment(parent *ast.Definition, set []*selection) *selection {
	f := &fragment{name: g.name(oneOf(g, "F", "fragment", "type", "_", "a")), on: parent.Name, set: set}
	g.document.fragments = append(g.document.fragments, f)
	return &selection{parent: parent, spread: f.name, directives: g.conditions(3)}
}

func (g *generator) field(parent *ast.Definition, depth int, keys scope) *selection {
	if g.chance(12) && parent.Name != "Subscription" {
		s := typename(parent)
		g.key(s, keys)
		return s
	}
	var choice []*ast.FieldDefinition
	for _, f := range parent.Fields {
		if !strings.HasPrefix(f.Name, "__") && (depth > 0 || g.schema.Types[f.Type.Name()].IsLeafType()) {
			choice = append(choice, f)
		}
	}
	if len(choice) == 0 {
		return nil
	}
	definition := oneOf(g, choice...)
	s := &selection{parent: parent, field: definition.Name, definition: definition, directives: g.conditions(12)}
	s.arguments = g.arguments(definition.Arguments, s)
	at := g.key(s, keys)
	if of := g.schema.Types[definition.Type.Name()]; !of.IsLeafType() {
		s.set = g.set(of, depth-1, at.below)
	}
	return s
}

func (g *generator) key(s *selection, keys scope) *scopedField {
	if g.chance(10) {
		s.alias = oneOf(g, g.name("a"), "on", "query", "true", "null", "__typename", "type", s.field)
		if s.alias == "__typename" && !g.chance(10) {
			s.alias = ""
		}
	}
	at, used := keys[s.responseKey()]
	if used && at.of == s.parent && at.field.field == s.field && g.chance(3) {
		s.arguments = at.field.arguments
		if g.chance(3) {
			s.arguments = slices.Clone(s.arguments)
			g.Shuffle(
				len(s.arguments),
				func(i, j int) { s.arguments[i], s.arguments[j] = s.arguments[j], s.arguments[i] },
			)
		}
		return at
	}
	if used {
		s.alias = g.name("a")
	}
	at = &scopedField{s.parent, s, scope{}}
	keys[s.responseKey()] = at
	return at
}

func (g *generator) conditions(n int) []*directive {
	if !g.chance(n) {
		return nil
	}
	definition := g.schema.Directives["skip"].Arguments[0]
	all := []*directive{{name: oneOf(g, "skip", "include")}}
	if g.chance(6) {
		all = []*directive{{name: "skip"}, {name: "include"}}
	}
	for _, d := range all {
		d.arguments = []*argument{{"if", g.argument(definition, nil), definition}}
	}
	return all
}

func (g *generator) arguments(definitions ast.ArgumentDefinitionList, of *selection) (all []*argument) {
	for _, a := range definitions {
		paging := a.Name == "last" || a.Name == "before"
		if a.Type.NonNull && a.DefaultValue == nil || !paging && g.chance(3) || paging && g.chance(12) {
			all = append(all, &argument{a.Name, g.argument(a, of), a})
		}
	}
	return all
}

func (g *generator) introspection() []*selection {
	query := g.schema.Query
	if g.chance(2) {
		of := &selection{parent: query, field: "__schema", definition: g.schema.Query.Fields.ForName("__schema")}
		of.set = g.set(g.schema.Types["__Schema"], 1+g.IntN(3), scope{})
		return []*selection{of}
	}
	definition := g.schema.Query.Fields.ForName("__type")
	of := &selection{
		parent:     query,
		field:      "__type",
		definition: definition,
		arguments:  []*argument{{"name", g.argument(definition.Arguments[0], nil), definition.Arguments[0]}},
	}
	of.set = g.set(g.schema.Types["__Type"], 1+g.IntN(3), scope{})
	if g.chance(3) {
		of.set = append(of.set, g.nested(1+g.IntN(5)))
	}
	return []*selection{of, typename(query)}
}

func (g *generator) nested(depth int) *selection {
	of := g.schema.Types["__Type"]
	set := []*selection{{parent: of, field: "name", definition: of.Fields.ForName("name")}}
	for range depth {
		field := g.schema.Types["__Field"]
		typ := &selection{parent: field, field: "type", definition: field.Fields.ForName("type"), set: set}
		fields := &selection{parent: of, field: "fields", definition: of.Fields.ForName("fields"), set: []*selection{typ}}
		fields.alias = g.name("a")
		set = []*selection{fields}
	}
	return set[0]
}
