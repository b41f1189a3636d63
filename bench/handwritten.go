package main

import (
	"twibase/graph/model"
	"twibase/graph/plan"
	"twibase/graph/relay"
	"twibase/graph/scalar"
	"twibase/hbase/tables"
)

func list[T any](b []byte, all []T, one func(b []byte, i int, t T) []byte) []byte {
	b = append(b, '[')
	for i, t := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = one(b, i, t)
	}
	return append(b, ']')
}

func (handwritten) text(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	return plan.AppendString(b, *s)
}

type handwritten struct{ *dataset }

type arguments struct {
	ids    []string
	viewer string
}

func (h handwritten) reference(b []byte, _ arguments) []byte { return h.people(b, 20, 20, 3) }

func (h handwritten) people(b []byte, users, followers, twits int) []byte {
	person := func(b []byte, u *tables.User) []byte {
		b = relay.AppendID(append(b, `{"id":`...), u.ID())
		return h.text(append(b, `,"name":`...), u.Name)
	}
	b = list(append(b, `{"users":{"nodes":`...), h.users[:users], func(b []byte, _ int, u *tables.User) []byte {
		all := h.followers[u.Username]
		b = append(person(b, u), `,"followers":{"nodes":`...)
		b = list(b, all.nodes[:all.first(followers)], func(b []byte, _ int, u *tables.User) []byte {
			all := h.twits[u.Username]
			b = append(person(b, u), `,"twits":{"nodes":`...)
			return append(list(b, all.nodes[:all.first(twits)], post), "}}"...)
		})
		return append(b, "}}"...)
	})
	return append(b, "}}"...)
}

// post is not inlined, because the id would then be allocated.
//
//go:noinline
func post(b []byte, _ int, t *tables.Twit) []byte {
	b = relay.AppendID(append(b, `{"id":`...), t.ID())
	return append(plan.AppendString(append(b, `,"content":`...), t.Content), '}')
}

func (h handwritten) deep(b []byte, _ arguments) []byte {
	const depth = 7
	u := h.user["u00007"]
	for level := 0; ; level++ {
		if level == 0 {
			b = append(b, `{"user":`...)
		}
		b = plan.AppendString(append(b, `{"username":`...), u.Username)
		b = h.text(append(b, `,"name":`...), u.Name)
		if level == depth {
			break
		}
		b = append(b, `,"followers":{"nodes":[`...)
		u = h.followers[u.Username].nodes[0]
	}
	b = plan.AppendString(append(b, `,"twits":{"nodes":[{"content":`...), h.twits[u.Username].nodes[0].Content)
	b = append(b, `}]}}`...)
	for range depth {
		b = append(b, `]}}`...)
	}
	return append(b, '}')
}

func (h handwritten) wide(b []byte, _ arguments) []byte {
	b = list(append(b, `{"users":{"nodes":`...), h.users[:100], func(b []byte, _ int, u *tables.User) []byte {
		b = relay.AppendID(append(b, `{"id":`...), u.ID())
		b = plan.AppendString(append(b, `,"username":`...), u.Username)
		b = h.text(append(b, `,"name":`...), u.Name)
		b = plan.AppendInt(append(b, `,"age":`...), *u.Age)
		b = h.text(append(b, `,"avatarUrl":`...), u.AvatarURL)
		return append(scalar.AppendDateTime(append(b, `,"createdAt":`...), *u.CreatedAt), '}')
	})
	return append(b, "}}"...)
}

func (h handwritten) aliases(b []byte, _ arguments) []byte {
	person := func(b []byte, u *tables.User) []byte {
		b = h.text(append(b, `{"name":`...), u.Name)
		return plan.AppendInt(append(b, `,"years":`...), *u.Age)
	}
	b = append(b, '{')
	for i := range aliasCount {
		if i > 0 {
			b = append(b, ',')
		}
		u := h.user[username(i*31%userCount)]
		b = append(plan.AppendInt(append(b, `"u`...), i), `":`...)
		b = append(person(b, u), `,"friends":{"nodes":`...)
		b = list(b, h.followers[u.Username].nodes[:2], func(b []byte, _ int, u *tables.User) []byte {
			return append(person(b, u), '}')
		})
		b = append(b, "}}"...)
	}
	return append(b, '}')
}

const aliasCount = 30

func (h handwritten) nodes(b []byte, a arguments) []byte {
	b = list(append(b, `{"nodes":`...), a.ids, func(b []byte, _ int, text string) []byte {
		id, _ := relay.UnmarshalID(text)
		switch n := h.node(id).(type) {
		case *tables.User:
			b = relay.AppendID(append(b, `{"__typename":"User","id":`...), n.ID())
			b = append(h.text(append(b, `,"name":`...), n.Name), `,"twits":{"nodes":`...)
			b = list(b, h.twits[n.Username].nodes[:2], func(b []byte, _ int, t *tables.Twit) []byte {
				return append(plan.AppendString(append(b, `{"content":`...), t.Content), '}')
			})
			return append(b, "}}"...)
		case *tables.Twit:
			b = relay.AppendID(append(b, `{"__typename":"Twit","id":`...), n.ID())
			b = plan.AppendString(append(b, `,"content":`...), n.Content)
			return append(scalar.AppendDateTime(append(b, `,"postedAt":`...), n.PostedAt), '}')
		case *tables.Role:
			b = relay.AppendID(append(b, `{"__typename":"Role","id":`...), n.ID())
			return h.named(b, n.Code, n.Name)
		case *tables.Department:
			b = relay.AppendID(append(b, `{"__typename":"Department","id":`...), n.ID())
			return h.named(b, n.Code, n.Name)
		}
		return append(b, "null"...)
	})
	return append(b, '}')
}

func (h handwritten) named(b []byte, code string, name *string) []byte {
	b = plan.AppendString(append(b, `,"code":`...), code)
	return append(h.text(append(b, `,"name":`...), name), '}')
}

func (h handwritten) ids(b []byte, _ arguments) []byte {
	b = list(append(b, `{"users":{"nodes":`...), h.users[:50], func(b []byte, _ int, u *tables.User) []byte {
		b = append(relay.AppendID(append(b, `{"id":`...), u.ID()), `,"followers":{"nodes":`...)
		b = list(b, h.followers[u.Username].nodes[:50], func(b []byte, _ int, u *tables.User) []byte {
			return append(relay.AppendID(append(b, `{"id":`...), u.ID()), '}')
		})
		return append(b, "}}"...)
	})
	return append(b, "}}"...)
}

func (h handwritten) seen(b []byte, a arguments) []byte {
	b = append(b, `{"user":{"followers":{"nodes":`...)
	b = list(b, h.followers["u00042"].nodes[:20], func(b []byte, _ int, u *tables.User) []byte {
		b = append(plan.AppendString(append(b, `{"username":`...), u.Username), `,"twits":{"nodes":`...)
		b = list(b, h.twits[u.Username].nodes[:10], func(b []byte, _ int, t *tables.Twit) []byte {
			b = append(plan.AppendString(append(b, `{"content":`...), t.Content), `,"comments":{"nodes":[`...)
			n := 0
			for _, c := range h.comments[t] {
				if n == 5 || !h.sees(a.viewer, t, c) {
					continue
				}
				if n++; n > 1 {
					b = append(b, ',')
				}
				b = plan.AppendString(append(b, `{"content":`...), c.Content)
				b = scalar.AppendDateTime(append(b, `,"postedAt":`...), c.PostedAt)
				b = append(h.text(append(b, `,"author":{"name":`...), h.user[c.AuthorName].Name), "}}"...)
			}
			return append(b, "]}}"...)
		})
		return append(b, "}}"...)
	})
	return append(b, "}}}"...)
}

func (h handwritten) subtree(b []byte, _ arguments) []byte {
	b = append(h.text(append(b, `{"department":{"name":`...), h.department["0"].Name), `,"descendants":{"edges":`...)
	b = list(b, h.descendants["0"].edges[:60], func(b []byte, _ int, e *model.DepartmentEdge) []byte {
		b = plan.AppendInt(append(b, `{"depth":`...), *e.Depth)
		b = append(h.text(append(b, `,"node":{"name":`...), e.Node.Name), `,"roles":{"nodes":`...)
		b = list(b, h.roles[e.Node.Code].nodes, func(b []byte, _ int, r *tables.Role) []byte {
			b = append(h.text(append(b, `{"name":`...), r.Name), `,"users":{"nodes":`...)
			b = list(b, h.holders[r.Code].nodes, func(b []byte, _ int, u *tables.User) []byte {
				b = plan.AppendString(append(b, `{"username":`...), u.Username)
				return append(h.text(append(b, `,"name":`...), u.Name), '}')
			})
			return append(b, "}}"...)
		})
		return append(b, "}}}"...)
	})
	return append(b, "}}}"...)
}

func (h handwritten) page(b []byte, _ arguments) []byte {
	all := h.followers["u00011"]
	edges := all.edges[:all.first(100)]
	b = h.text(append(b, `{"user":{"name":`...), h.user["u00011"].Name)
	b = plan.AppendInt(append(b, `,"followers":{"totalCount":`...), len(all.nodes))
	b = plan.AppendBool(append(b, `,"pageInfo":{"hasNextPage":`...), len(edges) < len(all.nodes))
	b = plan.AppendString(append(b, `,"hasPreviousPage":false,"startCursor":`...), edges[0].Cursor)
	b = plan.AppendString(append(b, `,"endCursor":`...), edges[len(edges)-1].Cursor)
	b = list(append(b, `},"edges":`...), edges, func(b []byte, _ int, e *model.UserEdge) []byte {
		b = plan.AppendString(append(b, `{"cursor":`...), e.Cursor)
		b = scalar.AppendDateTime(append(b, `,"followedAt":`...), *e.FollowedAt)
		b = relay.AppendID(append(b, `,"node":{"id":`...), e.Node.ID())
		b = plan.AppendString(append(b, `,"username":`...), e.Node.Username)
		return append(h.text(append(b, `,"name":`...), e.Node.Name), "}}"...)
	})
	return append(b, "}}}"...)
}

func (h handwritten) posts(b []byte, _ arguments) []byte {
	b = list(append(b, `{"users":{"nodes":`...), h.users[:20], func(b []byte, _ int, u *tables.User) []byte {
		b = append(plan.AppendString(append(b, `{"username":`...), u.Username), `,"twits":{"edges":`...)
		b = list(b, h.twits[u.Username].edges[:5], func(b []byte, _ int, e *model.TwitEdge) []byte {
			t := e.Node
			b = plan.AppendString(append(b, `{"cursor":`...), e.Cursor)
			b = relay.AppendID(append(b, `,"node":{"id":`...), t.ID())
			b = h.text(append(b, `,"title":`...), t.Title)
			b = plan.AppendString(append(b, `,"content":`...), t.Content)
			b = list(append(b, `,"photoUrls":`...), t.PhotoURLs, func(b []byte, _ int, url string) []byte {
				return plan.AppendString(b, url)
			})
			b = t.Visibility.AppendGQL(append(b, `,"visibility":`...))
			return append(scalar.AppendDateTime(append(b, `,"postedAt":`...), t.PostedAt), "}}"...)
		})
		return append(b, "}}"...)
	})
	return append(b, "}}"...)
}

func (h handwritten) one(b []byte, _ arguments) []byte {
	u := h.user["u00042"]
	b = relay.AppendID(append(b, `{"user":{"id":`...), u.ID())
	b = plan.AppendString(append(b, `,"username":`...), u.Username)
	b = h.text(append(b, `,"name":`...), u.Name)
	b = plan.AppendInt(append(b, `,"age":`...), *u.Age)
	return append(scalar.AppendDateTime(append(b, `,"createdAt":`...), *u.CreatedAt), "}}"...)
}
