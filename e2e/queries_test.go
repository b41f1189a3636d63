package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// queries makes random queries over any schema, without predictable responses.
type queries struct {
	*rand.Rand
	schema *ast.Schema
	pool   map[string][]string
	// narrow queries have few fields, but long pages and cursors: in a large query, reads that are
	// planned but not sent hide reads that are sent but not planned.
	narrow bool

	variables   map[string]any
	definitions []string
	fragments   []fragment
	aliases     int
}

type fragment struct{ name, on, text string }

type scope map[string]*usedField

type usedField struct {
	call, typ string
	below     scope
}

func (q *queries) query() (text string, variables map[string]any) {
	return q.whole("query", func() string { return q.selection(q.schema.Query, scope{}, 2+q.IntN(q.either(6, 3)), 30) })
}

func (q *queries) operation() (text string, variables map[string]any) {
	switch q.IntN(20) {
	case 0, 1, 2:
		return q.whole("mutation", func() string { return q.selection(q.schema.Mutation, scope{}, 2+q.IntN(4), 10) })
	case 3, 4:
		return q.whole("subscription", func() string {
			size, field := 1, q.schema.Subscription.Fields[q.IntN(len(q.schema.Subscription.Fields))]
			return "{" + q.word("", "", "a:") + field.Name + q.arguments(field, 5, &size) +
				q.selection(q.schema.Types[field.Type.Name()], scope{}, 1+q.IntN(4), 10) + "}"
		})
	}
	return q.query()
}

func (q *queries) whole(kind string, selection func() string) (text string, variables map[string]any) {
	q.variables, q.definitions, q.fragments, q.aliases = map[string]any{}, nil, nil, 0
	body := selection()
	text = kind
	if len(q.definitions) > 0 {
		text += "(" + strings.Join(q.definitions, ",") + ")"
	}
	text += body
	for _, f := range q.fragments {
		text += " fragment " + f.name + " on " + f.on + f.text
	}
	return text, q.variables
}

func (q *queries) chance(n int) bool { return q.IntN(n) == 0 }

func (q *queries) either(usual, narrow int) int {
	if q.narrow {
		return narrow
	}
	return usual
}

func (q *queries) word(words ...string) string { return words[q.IntN(len(words))] }

// objects is about the number of objects of each branch.
func (q *queries) selection(on *ast.Definition, names scope, depth, objects int) string {
	var parts []string
	for range 1 + q.IntN(q.either(5, 2)) {
		part := ""
		switch {
		case q.chance(9):
			part = "__typename"
		case depth > 0 && (q.chance(6) || on.IsAbstractType() && q.chance(2)):
			part = q.fragment(on, names, depth-1, objects)
		default:
			part = q.field(on, names, depth, objects)
		}
		if part != "" {
			parts = append(parts, part)
		}
	}
	if parts == nil {
		parts = []string{"__typename"}
	}
	return "{" + strings.Join(parts, " ") + "}"
}

func (q *queries) fragment(on *ast.Definition, names scope, depth, objects int) string {
	types := append([]*ast.Definition{on, on}, q.schema.GetPossibleTypes(on)...)
	if !on.IsAbstractType() {
		types = append(types, q.schema.GetImplements(on)...)
	}
	within := types[q.IntN(len(types))]
	switch q.IntN(4) {
	case 0:
		for _, f := range q.fragments {
			if f.on == within.Name && f.text != "" {
				return "..." + f.name + q.directives()
			}
		}
	case 1:
		at := len(q.fragments)
		q.fragments = append(q.fragments, fragment{name: fmt.Sprint("F", at), on: within.Name})
		q.fragments[at].text = q.selection(within, names, depth, objects)
		return "..." + q.fragments[at].name + q.directives()
	case 2:
		if within == on {
			return "..." + q.directives() + q.selection(on, names, depth, objects)
		}
	}
	return "...on " + within.Name + q.directives() + q.selection(within, names, depth, objects)
}

func (q *queries) directives() string {
	text := ""
	for _, name := range []string{"include", "skip"} {
		if q.chance(5) {
			value := q.chance(4) == (name == "skip")
			given := strconv.FormatBool(value)
			switch q.IntN(3) {
			case 0:
				given = q.variable("Boolean!", value)
			case 1:
				given = q.optional("Boolean", strconv.FormatBool(value), !value)
			}
			text += "@" + name + "(if:" + given + ")"
		}
	}
	return text
}

func (q *queries) variable(typ string, value any) string {
	name := fmt.Sprint("v", len(q.definitions))
	q.variables[name] = value
	q.definitions = append(q.definitions, "$"+name+":"+typ)
	return "$" + name
}

func (q *queries) optional(typ, standard string, value any) string {
	ref := q.variable(typ+"="+standard, value)
	if q.chance(2) {
		delete(q.variables, ref[1:])
	}
	return ref
}

func (q *queries) field(on *ast.Definition, names scope, depth, objects int) string {
	field := on.Fields[q.IntN(len(on.Fields))]
	typ := q.schema.Types[field.Type.Name()]
	introspection := strings.HasPrefix(field.Name, "__")
	if typ.IsCompositeType() && depth == 0 || introspection && !q.chance(4) {
		return ""
	}
	key, alias := field.Name, ""
	if q.chance(8) {
		key = q.word("a", "b", "id", "nodes", "_")
	}
	size, used := 1, names[key]
	if used != nil && q.chance(200) {
		used = nil
	} else if used != nil && (used.typ != field.Type.String() || strings.SplitN(used.call, "(", 2)[0] != field.Name) {
		q.aliases++
		key, used = fmt.Sprint("x", q.aliases), nil
	}
	if used == nil {
		used = &usedField{field.Name + q.arguments(field, objects, &size), field.Type.String(), scope{}}
		names[key] = used
	}
	if key != field.Name {
		alias = key + ":"
	}
	text := alias + used.call + q.directives()
	if typ.IsCompositeType() {
		if introspection {
			depth = min(depth, 4)
		}
		text += q.selection(typ, used.below, depth-1, max(1, objects/size))
	}
	return text
}

func (q *queries) arguments(field *ast.FieldDefinition, objects int, size *int) string {
	var all []string
	without := q.word("first", "last")
	for _, a := range field.Arguments {
		cursor := a.Name == "after" || a.Name == "before"
		if a.Name == without && !q.chance(40) || cursor && !q.chance(q.either(5, 2)) || !a.Type.NonNull &&
			a.Name != "first" && q.chance(2) {
			continue
		}
		all = append(all, a.Name+":"+q.argument(field.Name, a, objects, size))
	}
	if all == nil {
		return ""
	}
	return "(" + strings.Join(all, ",") + ")"
}

func (q *queries) argument(field string, a *ast.ArgumentDefinition, objects int, size *int) string {
	var value any
	kind := q.schema.Types[a.Type.Name()]
	switch {
	case kind.Kind == ast.InputObject:
		value = q.input(kind)
	case kind.Kind == ast.Enum:
		value = enum(kind.EnumValues[q.IntN(len(kind.EnumValues))].Name)
	case a.Type.Name() == "Int":
		n := q.IntN(2 + min(objects, 5))
		if q.chance(30) {
			n = []int{-1, 0, 100, 101, 1 << 30, -1 << 31}[q.IntN(6)]
		} else if q.narrow && objects >= 30 && q.chance(3) {
			n = 1 + q.IntN(100)
		}
		*size = max(1, min(n, 20))
		value = n
	case a.Type.Name() == "Boolean":
		value = q.chance(2)
	default:
		value = q.text(field, a.Name)
		if a.Type.Elem != nil {
			list := []any{}
			for range q.IntN(5) {
				list = append(list, q.text(field, a.Name))
			}
			value = list
		}
	}
	if !a.Type.NonNull && q.chance(20) {
		value = nil
	}
	switch {
	case q.chance(3):
		return q.variable(a.Type.String(), value)
	case q.chance(8) && !a.Type.NonNull:
		return q.optional(a.Type.String(), literal(value), value)
	}
	return literal(value)
}

type enum string

func (q *queries) input(of *ast.Definition) map[string]any {
	value := map[string]any{}
	for _, field := range of.Fields {
		if !field.Type.NonNull && q.chance(2) || q.chance(200) {
			continue
		}
		var one any
		switch field.Type.Name() {
		case "Int":
			one = q.IntN(5)
		case "Boolean":
			one = q.chance(2)
		case "URL":
			one = "https://example.org/" + strconv.Itoa(q.IntN(9))
		case "Visibility":
			one = enum(q.word("PUBLIC", "FOLLOWERS"))
		case "Date":
			one = q.text("", "day")
		default:
			one = q.text("", field.Name)
		}
		if field.Type.Elem != nil {
			one = []any{one, one}
		}
		if value[field.Name] = one; q.chance(200) {
			value[field.Name] = q.IntN(2)
		}
	}
	return value
}

func literal(value any) string {
	switch value := value.(type) {
	case enum:
		return string(value)
	case map[string]any:
		var fields []string
		for _, name := range sortedKeys(value) {
			fields = append(fields, name+":"+literal(value[name]))
		}
		return "{" + strings.Join(fields, ",") + "}"
	case []any:
		var elems []string
		for _, elem := range value {
			elems = append(elems, literal(elem))
		}
		return "[" + strings.Join(elems, ",") + "]"
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func (q *queries) text(field, argument string) string {
	switch {
	case q.chance(40):
		return hostileIDs[q.IntN(len(hostileIDs))]
	case q.chance(40):
		return hostileNames[q.IntN(len(hostileNames))]
	case q.chance(30):
		field, argument = "", q.word("username", "code", "id", "cursor", "day")
	}
	switch argument {
	case "query":
		if name := []rune(q.text(field, "username")); len(name) > 0 {
			return string(name[:1+q.IntN(min(4, len(name)))])
		}
	case "after", "before":
		argument = "cursor"
	case "ids":
		argument = "id"
	case "twitId":
		argument = "twit id"
	case "from", "to":
		argument = "day"
	case "since", "until":
		argument = "postedAt"
	}
	for _, name := range []string{field + " " + argument, argument} {
		if pool := q.pool[name]; len(pool) > 0 {
			return pool[q.IntN(len(pool))]
		}
	}
	return q.word("User", "Node", "Query", "Int", "Visibility", "__Type")
}
