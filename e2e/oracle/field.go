package oracle

import (
	"fmt"
	"maps"
	"time"
)

type call struct {
	*Oracle
	viewer Viewer
	parent any
	args   map[string]any
}

func (c *call) text(arg string) string { return c.args[arg].(string) }

type resolver func(c *call) (any, error)

func ofParent[T any](f func(T) any) resolver {
	return func(c *call) (any, error) { return f(c.parent.(T)), nil }
}

func ofCall[T any](f func(*call, T) any) resolver {
	return func(c *call) (any, error) { return f(c, c.parent.(T)), nil }
}

func paged[T any](noun string, f func(*call, T) list) resolver {
	return func(c *call) (any, error) {
		page, err := f(c, c.parent.(T)).page(noun, c.args)
		if err != nil {
			return nil, err
		}
		return page, nil
	}
}

var fields = map[string]resolver{}

func init() {
	for _, some := range []map[string]resolver{
		queryFields, userFields, roleFields, departmentFields, twitFields, gameFields, pageFields,
	} {
		maps.Copy(fields, some)
	}
	for _, noun := range []string{"User", "Role", "Department", "Game"} {
		fields[noun+".version"] = func(*call) (any, error) { return "0", nil }
	}
	for _, noun := range []string{"User", "Role", "Department", "Twit", "Comment", "Game"} {
		fields[noun+"Connection.nodes"] = ofParent(func(c *connection) any {
			return elements(c.entries, func(e edge) any {
				return e.node
			})
		})
		fields[noun+"Connection.edges"] = ofParent(func(c *connection) any {
			return elements(c.entries, func(e edge) any {
				return e
			})
		})
		fields[noun+"Connection.pageInfo"] = ofParent(func(c *connection) any { return c.info })
		fields[noun+"Connection.totalCount"] = ofParent(func(c *connection) any { return deref(c.total) })
		fields[noun+"Edge.cursor"] = ofParent(func(e edge) any { return e.cursor })
		fields[noun+"Edge.node"] = ofParent(func(e edge) any { return e.node })
	}
}

var pageFields = map[string]resolver{
	"PageInfo.hasNextPage":     ofParent(func(p pageInfo) any { return p.next }),
	"PageInfo.hasPreviousPage": ofParent(func(p pageInfo) any { return p.previous }),
	"PageInfo.startCursor":     ofParent(func(p pageInfo) any { return deref(p.start) }),
	"PageInfo.endCursor":       ofParent(func(p pageInfo) any { return deref(p.end) }),
	"UserEdge.followedAt":      ofParent(func(e edge) any { return instant(e.followedAt) }),
	"GameEdge.day":             ofParent(func(e edge) any { return deref(e.day) }),
	"GameEdge.count":           ofParent(func(e edge) any { return deref(e.count) }),
	"DepartmentEdge.depth":     ofParent(func(e edge) any { return deref(e.depth) }),
}

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
	panic(fmt.Sprintf("oracle: %T is not an object", value))
}

func elements[T any](list []T, f func(T) any) []any {
	out := make([]any, len(list))
	for i := range list {
		out[i] = f(list[i])
	}
	return out
}

func deref[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

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
