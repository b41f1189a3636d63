package e2e

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"twibase/e2e/dataset"
	"twibase/e2e/oracle"
)

// The oracle can predict the responses to generator's queries.
type generator struct {
	*rand.Rand
	*fixture
	schema *ast.Schema
	// forward omits pages from the end: the end of a bucket shortens them, and the oracle does not
	// know where it is.
	forward bool
	sorted  map[string][]string

	variables   map[string]any
	definitions []string
	fragments   []string
	aliases     int
	aliased     bool // fields need aliases to avoid conflicts
}

type parent struct {
	typ   string
	owner string
	known bool
	found bool
	// depth is the number of remaining levels of objects, and budget their number at the lowest.
	depth, budget int
}

func (g *generator) query() (viewer oracle.Viewer, query string, variables map[string]any) {
	g.variables, g.definitions, g.fragments, g.aliases, g.aliased = map[string]any{}, nil, nil, 0, false
	body := g.selection(parent{typ: "Query", known: true, depth: 1 + g.IntN(4), budget: 120})
	query = "query"
	if len(g.definitions) > 0 {
		query += "(" + strings.Join(g.definitions, ",") + ")"
	}
	return g.viewer(), query + body + strings.Join(g.fragments, ""), g.variables
}

func (g *generator) viewer() oracle.Viewer {
	return oneOf(g, []oracle.Viewer{unauthenticated, unauthenticated, root, as(dataset.Admin),
		as(dataset.Hub), as(dataset.Special), as(oneOf(g, g.users())), as(oneOf(g, g.users())), as("ghost")})
}

func oneOf[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

func (g *generator) chance(n int) bool { return g.IntN(n) == 0 }

func (g *generator) variable(typ string, value any) string {
	name := fmt.Sprintf("v%d", len(g.variables))
	g.variables[name] = value
	g.definitions = append(g.definitions, "$"+name+":"+typ)
	return "$" + name
}

func (g *generator) selection(p parent) string {
	var direct []string
	for _, field := range g.fields(p) {
		switch g.IntN(9) {
		case 0:
			field = "...on " + p.typ + "{" + field + "}"
		case 1:
			field = "..." + g.condition() + "{" + field + "}"
		case 2:
			name := fmt.Sprintf("F%d", len(g.fragments))
			g.fragments = append(g.fragments, " fragment "+name+" on "+p.typ+"{"+field+"}")
			field = "..." + name + g.condition()
		}
		direct = append(direct, field)
	}
	return "{" + strings.Join(direct, " ") + "}"
}

func (g *generator) condition() string {
	if g.chance(2) {
		return ""
	}
	value := g.chance(2)
	text := fmt.Sprint(value)
	if g.chance(2) {
		text = g.variable("Boolean!", value)
	}
	return oneOf(g, []string{"@include", "@skip"}) + "(if:" + text + ")"
}

func (g *generator) fields(p parent) []string {
	if p.typ == "Node" {
		return g.nodeFields(p)
	}
	all := []string{}
	if g.chance(6) || p.depth == 0 {
		all = append(all, "__typename")
	}
	used, edges := map[string]bool{}, 0
	choice := g.schema.Types[p.typ].Fields
	for range 1 + g.IntN(6) {
		field := oneOf(g, choice)
		noun := g.isNoun(field.Type.Name())
		if strings.HasPrefix(field.Name, "__") || noun && (p.depth == 0 || p.budget == 0 || edges == 2) {
			continue
		}
		if noun {
			edges++
		}
		name := ""
		if g.aliased || used[field.Name] || g.chance(8) {
			g.aliases++
			name = fmt.Sprintf("a%d:", g.aliases)
		}
		used[field.Name] = true
		all = append(all, g.field(p, name, field, noun))
	}
	if len(all) == 0 {
		return []string{"__typename"}
	}
	return all
}

func (g *generator) isNoun(typ string) bool {
	return g.schema.Types[typ].Kind != ast.Scalar && g.schema.Types[typ].Kind != ast.Enum &&
		!strings.HasSuffix(typ, "Edge") && typ != "PageInfo" && typ != "DayPlays" || typ == "Node"
}

func (g *generator) field(p parent, alias string, field *ast.FieldDefinition, noun bool) string {
	typ := field.Type.Name()
	below := parent{typ: typ, depth: p.depth, budget: p.budget}
	page := strings.HasSuffix(p.typ, "Connection") || strings.HasSuffix(p.typ, "Edge")
	if noun && !page {
		below.depth--
	}
	text := alias + field.Name + g.arguments(p, field, &below)
	if g.schema.Types[typ].Kind == ast.Scalar || g.schema.Types[typ].Kind == ast.Enum {
		return text
	}
	if page {
		below.owner, below.known = p.owner, false
	}
	if field.Name == "ancestors" {
		below.budget /= 4
	}
	whole := text + g.selection(below)
	if g.chance(10) { // repeat the field, so that the selections are merged
		before := g.aliased
		g.aliased = true
		whole += " " + text + g.selection(below)
		g.aliased = before
	}
	return whole
}

func (g *generator) nodeFields(p parent) []string {
	all := []string{"__typename"}
	if g.chance(2) {
		all = append(all, "id")
	}
	before := g.aliased
	g.aliased = true
	for _, noun := range g.schema.GetPossibleTypes(g.schema.Types["Node"]) {
		if g.chance(2) {
			all = append(all, "...on "+noun.Name+g.selection(parent{typ: noun.Name, owner: p.owner, known: p.known,
				depth: p.depth, budget: p.budget}))
		}
	}
	g.aliased = before
	return all
}
