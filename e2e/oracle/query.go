package oracle

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

var queryFields = map[string]resolver{
	"Query.user":       func(c *call) (any, error) { return object(c.Users[c.text("username")]), nil },
	"Query.role":       func(c *call) (any, error) { return object(c.Roles[c.text("code")]), nil },
	"Query.department": func(c *call) (any, error) { return object(c.Departments[c.text("code")]), nil },
	"Query.game":       func(c *call) (any, error) { return object(c.Games[c.text("code")]), nil },
	"Query.viewer":     func(c *call) (any, error) { return object(c.Users[c.viewer.Username]), nil },
	"Query.node":       func(c *call) (any, error) { return c.node(c.args["id"]) },
	"Query.nodes":      func(c *call) (any, error) { return c.nodes(c.args["ids"].([]any)) },
	"Query.twit": func(c *call) (any, error) {
		found, err := c.node(c.args["id"])
		if _, ok := found.(*Twit); !ok {
			return nil, err
		}
		return found, err
	},
	"Query.users": func(c *call) (any, error) {
		if text, _ := c.args["query"].(string); text != "" {
			return foundUsers(c)
		}
		return allUsers(c)
	},
	"Query.roles": root("Role", func(m *Model, key string) any { return m.Roles[key] }),
	"Query.games": root("Game", func(m *Model, key string) any { return m.Games[key] }),
	"Query.topDepartments": paged("Department", func(c *call, _ query) list {
		return subDepartments("", c.top)
	}),
}

var allUsers = root("User", func(m *Model, key string) any { return m.Users[key] })

var foundUsers = paged("User", func(c *call, _ query) list {
	// The test data have no other accents.
	folded := func(s string) string {
		return strings.NewReplacer("\u0301", "").Replace(strings.ToLower(norm.NFKD.String(s)))
	}
	l := list{kind: "Query.User found"}
	for name, user := range c.Users {
		if strings.HasPrefix(folded(name), folded(c.text("query"))) {
			l.entries = append(l.entries, entry{key: folded(name) + "\x00" + name, node: user})
		}
	}
	slices.SortFunc(l.entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	return l
})

func (c *call) node(id any) (any, error) {
	ref, ok := id.(Ref)
	if !ok {
		if len(id.(string)) > maxLength {
			return nil, errLimitExceeded
		}
		return nil, nil
	}
	if ref.Kind != "id" {
		return nil, nil
	}
	switch ref.Owner {
	case "User":
		return object(c.Users[ref.Key]), nil
	case "Role":
		return object(c.Roles[ref.Key]), nil
	case "Department":
		return object(c.Departments[ref.Key]), nil
	case "Game":
		return object(c.Games[ref.Key]), nil
	case "Twit":
		if t := c.Twits[ref.Key]; c.seesTwit(t) {
			return t, nil
		}
	case "Comment":
		if comment := c.commentOf(ref.Key); c.seesComment(comment) {
			return comment, nil
		}
	}
	return nil, nil
}

func (c *call) nodes(ids []any) (any, error) {
	for _, id := range ids {
		if text, ok := id.(string); ok && len(text) > maxLength {
			return nil, errLimitExceeded
		}
	}
	if len(ids) > maxPage {
		return nil, errLimitExceeded
	}
	found := make([]any, len(ids))
	for i, id := range ids {
		found[i], _ = c.node(id)
	}
	return found, nil
}

func root(noun string, find func(*Model, string) any) resolver {
	return paged(noun, func(c *call, _ query) list {
		return c.cached("Query", noun, func() list {
			order, ok := c.roots[noun]
			if !ok {
				panic("oracle: call LearnRoot first for " + noun)
			}
			l := list{kind: "Query." + noun}
			for i, key := range order {
				l.entries = append(l.entries, entry{key: fmt.Sprintf("%09d", i), node: find(c.Model, key)})
			}
			return l
		})
	})
}

func (o *Oracle) cached(kind, owner string, build func() list) list {
	l, ok := o.lists[[2]string{kind, owner}]
	if !ok {
		l = build()
		o.lists[[2]string{kind, owner}] = l
	}
	return l
}
