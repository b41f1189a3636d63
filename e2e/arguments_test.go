package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"twibase/e2e/dataset"
	"twibase/e2e/oracle"
)

var hostileNames = []string{"", " ", "ghost", "hub ", "HUB", "a\x00b", "\x00", "../..", "e\u0301", "\u202ehub", "🙂",
	"'; DROP TABLE users", "\xff",
	strings.Repeat("a", 65), strings.Repeat("a", 201), strings.Repeat("長", 5000), "\n", "u00001\x00u00002", "%00", "*"}

// hostileIDs are invalid, also as cursors. Longer ids are rejected before execution.
var hostileIDs = []string{"", "?", "VQ", "VXUwMDAwMQ==", "VXUwMDAwMQ\n", "enUwMDAwMQ", "VWEAYg", "VABh", "Q////w",
	"AAAA", "_____w", "f", "null",
	strings.Repeat("A", 512), strings.Repeat("é", 200)}

var hostileCursors = append(hostileIDs, strings.Repeat("A", 513), strings.Repeat("é", 300))

func (g *generator) users() []string {
	return append([]string{dataset.Hub, dataset.Special, dataset.Admin, dataset.Nobody},
		g.keys("users", g.oracle.Users)...)
}

func (g *generator) keys(name string, objects any) []string {
	if g.sorted == nil {
		g.sorted = map[string][]string{}
	}
	if g.sorted[name] == nil {
		switch objects := objects.(type) {
		case map[string]*oracle.User:
			g.sorted[name] = sortedKeys(objects)
		case map[string]*oracle.Role:
			g.sorted[name] = sortedKeys(objects)
		case map[string]*oracle.Department:
			g.sorted[name] = sortedKeys(objects)
		case map[string]*oracle.Game:
			g.sorted[name] = sortedKeys(objects)
		case map[string]*oracle.Twit:
			g.sorted[name] = sortedKeys(objects)
		}
	}
	return g.sorted[name]
}

func (g *generator) name(names []string) string {
	if g.chance(12) {
		return oneOf(g, hostileNames)
	}
	return oneOf(g, names)
}

func (g *generator) arguments(p parent, field *ast.FieldDefinition, below *parent) string {
	var all []string
	add := func(name, value string) { all = append(all, name+":"+value) }
	if strings.HasSuffix(field.Type.Name(), "Connection") {
		if field.Arguments.ForName("query") != nil && g.chance(2) {
			p.found = true
			add("query", g.text(g.beginning(g.name(g.users()))))
		}
		g.page(p, field, below, add)
	}
	for _, arg := range field.Arguments {
		switch arg.Name {
		case "username":
			name := g.name(g.users())
			below.owner, below.known = name, true
			add(arg.Name, g.text(name))
		case "code":
			code := g.name(g.codes(field.Name))
			below.owner, below.known = code, true
			add(arg.Name, g.text(code))
		case "id":
			id := g.id()
			if ref, ok := id.(oracle.Ref); ok {
				below.owner, below.known = ref.Key, true
			}
			add(arg.Name, g.variable("ID!", id))
		case "ids":
			ids := []any{}
			for range g.IntN(6) {
				ids = append(ids, g.id())
			}
			below.budget /= 5
			add(arg.Name, g.variable("[ID!]!", ids))
		case "maxDepth":
			if g.chance(2) {
				add(arg.Name, g.number(g.IntN(6)-g.IntN(20)/19))
			}
		case "since", "until":
			if g.chance(5) {
				posted := g.oracle.Twits[oneOf(g, g.keys("twits", g.oracle.Twits))].PostedAt
				at := posted.Add(time.Duration(g.IntN(5)-2) * 500 * time.Microsecond)
				add(arg.Name, g.variable("DateTime", at.Format(time.RFC3339Nano)))
			}
		case "orderBy":
			if !g.forward && g.chance(3) {
				add(arg.Name, g.variable("TwitOrder", oneOf(g, []string{"NEWEST_FIRST", "OLDEST_FIRST"})))
			}
		case "from":
			from, to := g.day(), g.day()
			if from > to && !g.chance(20) {
				from, to = to, from
			}
			add("from", g.date(from))
			add("to", g.date(to))
		}
	}
	if all == nil {
		return ""
	}
	return "(" + strings.Join(all, ",") + ")"
}

func (g *generator) codes(field string) []string {
	switch field {
	case "department":
		return g.keys("departments", g.oracle.Departments)
	case "game", "hasPlayed":
		return g.keys("games", g.oracle.Games)
	}
	return g.keys("roles", g.oracle.Roles)
}

func (g *generator) beginning(name string) string {
	if characters := []rune(name); len(characters) > 0 {
		name = string(characters[:1+g.IntN(min(6, len(characters)))])
	}
	return oneOf(g, []func(string) string{strings.ToUpper, strings.ToLower})(name)
}

func (g *generator) text(s string) string {
	if g.chance(2) {
		return g.variable("String!", s)
	}
	var quoted strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			quoted.WriteString(`\` + string(r))
		case r < ' ':
			fmt.Fprintf(&quoted, `\u%04x`, r)
		default:
			quoted.WriteRune(r)
		}
	}
	return `"` + quoted.String() + `"`
}

func (g *generator) number(n int) string {
	if g.chance(3) {
		return g.variable("Int", n)
	}
	return strconv.Itoa(n)
}

func (g *generator) day() string {
	return oneOf(g, []string{"1970-01-01", "2014-12-01", "2014-12-10", "2014-12-11", "2014-12-20", "2015-01-05",
		"9999-12-31"})
}

func (g *generator) date(day string) string {
	if g.chance(2) {
		return g.variable("Date!", day)
	}
	return `"` + day + `"`
}

func (g *generator) id() any {
	if seen := g.opaque.Seen["id"]; len(seen) > 0 && !g.chance(8) {
		noun := oneOf(g, []string{"User", "Role", "Department", "Game", "Twit", "Comment"})
		for range 50 {
			if ref := oneOf(g, seen); ref.Owner == noun {
				return ref
			}
		}
		return oneOf(g, seen)
	}
	return oneOf(g, hostileIDs)
}

func (g *generator) page(p parent, field *ast.FieldDefinition, below *parent, add func(name, value string)) {
	size, valid := g.IntN(8), !g.chance(15)
	if g.chance(8) {
		size = min(20, max(1, p.budget))
	}
	first := oneOf(g, []string{"first", "first", "last"})
	if g.forward {
		first = "first"
	}
	switch {
	case !valid && g.chance(2):
		switch g.IntN(3) {
		case 0:
			add(first, g.number(-1-g.IntN(3)))
		case 1:
			add(first, g.number(101+g.IntN(1000)))
		case 2:
			add("first", "1")
			add("last", "1")
		}
		return
	case p.budget >= 20 && g.chance(10):
		size = 20
	default:
		add(first, g.number(min(size, p.budget)))
	}
	below.budget = p.budget / max(1, size)
	cursors := []string{}
	if g.chance(3) {
		cursors = append(cursors, oneOf(g, []string{"after", "before"}))
	} else if g.chance(6) {
		cursors = []string{"after", "before"}
	}
	for _, name := range cursors {
		if cursor := g.cursor(p, field, valid); cursor != nil {
			add(name, g.variable("String", cursor))
			valid = true
		}
	}
}

// The cursor may be of another owner's list if the owner is unknown.
func (g *generator) cursor(p parent, field *ast.FieldDefinition, valid bool) any {
	kind := p.typ + "." + field.Name
	switch field.Name {
	case "topDepartments":
		kind = "Department.subDepartments"
	case "users", "roles", "games":
		if p.typ == "Query" {
			kind = "Query." + strings.TrimSuffix(field.Type.Name(), "Connection")
		}
		if p.found {
			kind += " found"
		}
	}
	if !valid {
		if g.chance(2) {
			return oneOf(g, hostileCursors)
		}
		for _, other := range sortedKeys(g.opaque.Seen) {
			if other != kind && g.chance(3) {
				return oneOf(g, g.opaque.Seen[other])
			}
		}
	}
	seen := g.opaque.Seen[kind]
	if p.known {
		var own []oracle.Ref
		for _, ref := range seen {
			if ref.Owner == p.owner {
				own = append(own, ref)
			}
		}
		if len(own) > 0 {
			return oneOf(g, own)
		}
	}
	// Cursors of descendants, and of comments of one time, do not fit another list.
	if len(seen) == 0 || field.Name == "descendants" || field.Name == "comments" {
		return nil
	}
	return oneOf(g, seen)
}
