package oracle

import (
	"fmt"
	"maps"
	"time"
)

// call is the resolving of one field.
type call struct {
	*Oracle
	viewer Viewer
	parent any
	args   map[string]any
}

func (c *call) text(arg string) string { return c.args[arg].(string) }

type resolver func(c *call) (any, error)

// of makes a resolver of what a parent alone tells.
func of[T any](f func(T) any) resolver {
	return func(c *call) (any, error) { return f(c.parent.(T)), nil }
}

// by makes a resolver of what depends on the call too.
func by[T any](f func(*call, T) any) resolver {
	return func(c *call) (any, error) { return f(c, c.parent.(T)), nil }
}

// paged makes a resolver of a connection to things of a noun.
func paged[T any](noun string, f func(*call, T) list) resolver {
	return func(c *call) (any, error) {
		page, err := f(c, c.parent.(T)).page(noun, c.args)
		if err != nil {
			return nil, err
		}
		return page, nil
	}
}

// fields says how each field of each type is answered.
var fields = map[string]resolver{}

func init() {
	for _, some := range []map[string]resolver{queryFields, userFields, roleFields, departmentFields, twitFields, gameFields, pageFields} {
		maps.Copy(fields, some)
	}
	for _, noun := range []string{"User", "Role", "Department", "Game"} {
		fields[noun+".version"] = func(*call) (any, error) { return "0", nil } // nothing changed since it was imported
	}
	for _, noun := range []string{"User", "Role", "Department", "Twit", "Comment", "Game"} {
		fields[noun+"Connection.nodes"] = of(func(c *connection) any { return elements(c.entries, func(e edge) any { return e.node }) })
		fields[noun+"Connection.edges"] = of(func(c *connection) any { return elements(c.entries, func(e edge) any { return e }) })
		fields[noun+"Connection.pageInfo"] = of(func(c *connection) any { return c.info })
		fields[noun+"Connection.totalCount"] = of(func(c *connection) any { return deref(c.total) })
		fields[noun+"Edge.cursor"] = of(func(e edge) any { return e.cursor })
		fields[noun+"Edge.node"] = of(func(e edge) any { return e.node })
	}
}

var pageFields = map[string]resolver{
	"PageInfo.hasNextPage":     of(func(p pageInfo) any { return p.next }),
	"PageInfo.hasPreviousPage": of(func(p pageInfo) any { return p.previous }),
	"PageInfo.startCursor":     of(func(p pageInfo) any { return deref(p.start) }),
	"PageInfo.endCursor":       of(func(p pageInfo) any { return deref(p.end) }),
	"UserEdge.followedAt":      of(func(e edge) any { return instant(e.followedAt) }),
	"GameEdge.day":             of(func(e edge) any { return deref(e.day) }),
	"GameEdge.count":           of(func(e edge) any { return deref(e.count) }),
	"DepartmentEdge.depth":     of(func(e edge) any { return deref(e.depth) }),
}

// typeOf is the name of an object's type.
func typeOf(value any) string {
	switch v := value.(type) {
	case *User:
		return "User"
	case *Role:
		return "Role"
	case *Department:
		return "Department"
	case *Twit:
		return "Twit"
	case *Comment:
		return "Comment"
	case *Game:
		return "Game"
	case *connection:
		return v.noun + "Connection"
	case edge:
		return v.noun + "Edge"
	case pageInfo:
		return "PageInfo"
	case dayPlays:
		return "DayPlays"
	}
	panic(fmt.Sprintf("oracle: a %T is no object", value))
}

func elements[T any](list []T, f func(T) any) []any {
	out := make([]any, len(list))
	for i := range list {
		out[i] = f(list[i])
	}
	return out
}

// deref is what p points to, and the nil of an answer if it is nil.
func deref[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// object is p, and the nil of an answer if it is nil.
func object[T any](p *T) any {
	if p == nil {
		return nil
	}
	return p
}

func instant(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func id(noun, key string) Ref { return Ref{"id", noun, key} }
