package main

import (
	"context"
	"errors"
	"time"

	"twibase/graph/auth"
	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/hbase/tables"
)

type (
	root struct {
		exec.ResolverRoot
		*dataset
	}
	queryResolver struct {
		exec.QueryResolver
		*dataset
	}
	userResolver struct {
		exec.UserResolver
		*dataset
	}
	twitResolver struct {
		exec.TwitResolver
		*dataset
	}
	commentResolver struct {
		exec.CommentResolver
		*dataset
	}
	departmentResolver struct {
		exec.DepartmentResolver
		*dataset
	}
	roleResolver struct {
		exec.RoleResolver
		*dataset
	}
	gameResolver struct{ exec.GameResolver }
)

func (r root) Query() exec.QueryResolver           { return queryResolver{dataset: r.dataset} }
func (r root) User() exec.UserResolver             { return userResolver{dataset: r.dataset} }
func (r root) Twit() exec.TwitResolver             { return twitResolver{dataset: r.dataset} }
func (r root) Comment() exec.CommentResolver       { return commentResolver{dataset: r.dataset} }
func (r root) Department() exec.DepartmentResolver { return departmentResolver{dataset: r.dataset} }
func (r root) Role() exec.RoleResolver             { return roleResolver{dataset: r.dataset} }
func (r root) Game() exec.GameResolver             { return gameResolver{} }

var errFirstOnly = errors.New("the resolvers of the benchmark support first only")

func firstPage(first *int, after *string, last *int, before *string) (int, error) {
	if first == nil || after != nil || last != nil || before != nil {
		return 0, errFirstOnly
	}
	return *first, nil
}

func (p *page[E, T]) info(to *model.PageInfo, size int) *model.PageInfo {
	n := p.first(size)
	if to.HasNextPage = n < len(p.nodes); n > 0 {
		to.StartCursor, to.EndCursor = &p.cursors[0], &p.cursors[n-1]
	}
	return to
}

func connect[P, C, E, T any](parents []*P, of func(*P) *page[E, T], fill func(*C, *page[E, T], *model.PageInfo)) []*C {
	all, connections, infos := make([]*C, len(parents)), make([]C, len(parents)), make([]model.PageInfo, len(parents))
	for i, p := range parents {
		all[i] = &connections[i]
		fill(all[i], of(p), &infos[i])
	}
	return all
}

func mapEach[P, T any](parents []P, of func(P) T) []T {
	all := make([]T, len(parents))
	for i, p := range parents {
		all[i] = of(p)
	}
	return all
}

func users[P any](parents []*P, size int, of func(*P) *page[model.UserEdge, tables.User]) []*model.UserConnection {
	return connect(parents, of, func(c *model.UserConnection, p *page[model.UserEdge, tables.User], info *model.PageInfo) {
		n := p.first(size)
		*c = model.UserConnection{Edges: p.edges[:n], Nodes: p.nodes[:n], PageInfo: p.info(info, size), TotalCount: &p.total}
	})
}

func (q queryResolver) User(_ context.Context, username string) (*tables.User, error) {
	return q.user[username], nil
}

func (q queryResolver) Users(
	_ context.Context, _ *string, first *int, after *string, last *int, before *string,
) (*model.UserConnection, error) {
	size, err := firstPage(first, after, last, before)
	return &model.UserConnection{Nodes: q.users[:min(size, len(q.users))]}, err
}

func (q queryResolver) Department(_ context.Context, code string) (*tables.Department, error) {
	return q.department[code], nil
}

func (q queryResolver) Nodes(_ context.Context, ids []*tables.ID) ([]model.Node, error) {
	return mapEach(ids, func(id *tables.ID) model.Node { return q.node(*id) }), nil
}

func (w *dataset) node(id tables.ID) model.Node {
	switch id.Noun {
	case tables.NounUser:
		return w.user[id.Key]
	case tables.NounTwit:
		return w.twit[id.Key]
	case tables.NounRole:
		return w.role[id.Key]
	default:
		return w.department[id.Key]
	}
}

func (o userResolver) Followers(
	_ context.Context, objs []*tables.User, first *int, after *string, last *int, before *string,
) ([]*model.UserConnection, error) {
	size, err := firstPage(first, after, last, before)
	return users(objs, size, func(u *tables.User) *page[model.UserEdge, tables.User] { return o.followers[u.Username] }),
		err
}

func (o userResolver) Twits(
	_ context.Context, objs []*tables.User,
	first *int, after *string, last *int, before *string, since, until *time.Time, _ *model.TwitOrder,
) ([]*model.TwitConnection, error) {
	size, err := firstPage(first, after, last, before)
	if since != nil || until != nil {
		err = errFirstOnly
	}
	of := func(u *tables.User) *page[model.TwitEdge, tables.Twit] { return o.twits[u.Username] }
	return connect(objs, of, func(c *model.TwitConnection, p *page[model.TwitEdge, tables.Twit], info *model.PageInfo) {
		n := p.first(size)
		*c = model.TwitConnection{Edges: p.edges[:n], Nodes: p.nodes[:n], PageInfo: p.info(info, size), TotalCount: &p.total}
	}), err
}

func (o twitResolver) Comments(
	ctx context.Context, objs []*tables.Twit, first *int, after *string, last *int, before *string,
) ([]*model.CommentConnection, error) {
	size, err := firstPage(first, after, last, before)
	viewer, _ := auth.ViewerOf(ctx)
	n := 0
	for _, t := range objs {
		n += min(len(o.comments[t]), size)
	}
	seen, connections := make([]*tables.Comment, 0, n), make([]model.CommentConnection, len(objs))
	all := make([]*model.CommentConnection, len(objs))
	for i, t := range objs {
		from := len(seen)
		for _, c := range o.comments[t] {
			if len(seen)-from < size && o.sees(viewer.Username, t, c) {
				seen = append(seen, c)
			}
		}
		all[i] = &connections[i]
		all[i].Nodes = seen[from:]
	}
	return all, err
}

func (w *dataset) sees(viewer string, t *tables.Twit, c *tables.Comment) bool {
	return viewer == c.AuthorName || viewer == t.AuthorName || w.follows[[2]string{viewer, c.AuthorName}]
}

func (o commentResolver) Author(_ context.Context, objs []*tables.Comment) ([]*tables.User, error) {
	return mapEach(objs, func(c *tables.Comment) *tables.User { return o.user[c.AuthorName] }), nil
}

func (o departmentResolver) Descendants(
	_ context.Context, objs []*tables.Department, _ *int, first *int, after *string, last *int, before *string,
) ([]*model.DepartmentConnection, error) {
	size, err := firstPage(first, after, last, before)
	of := func(d *tables.Department) *page[model.DepartmentEdge, tables.Department] {
		return o.descendants[d.Code]
	}
	return connect(objs, of, func(c *model.DepartmentConnection, p *page[model.DepartmentEdge, tables.Department],
		info *model.PageInfo) {
		n := p.first(size)
		*c = model.DepartmentConnection{Edges: p.edges[:n], Nodes: p.nodes[:n], PageInfo: p.info(info, size)}
	}), err
}

func (o departmentResolver) Roles(
	_ context.Context, objs []*tables.Department, first *int, after *string, last *int, before *string,
) ([]*model.RoleConnection, error) {
	size, err := firstPage(first, after, last, before)
	of := func(d *tables.Department) *page[model.RoleEdge, tables.Role] { return o.roles[d.Code] }
	return connect(objs, of, func(c *model.RoleConnection, p *page[model.RoleEdge, tables.Role], info *model.PageInfo) {
		n := p.first(size)
		*c = model.RoleConnection{Edges: p.edges[:n], Nodes: p.nodes[:n], PageInfo: p.info(info, size), TotalCount: &p.total}
	}), err
}

func (o roleResolver) Users(
	_ context.Context, objs []*tables.Role, first *int, after *string, last *int, before *string,
) ([]*model.UserConnection, error) {
	size, err := firstPage(first, after, last, before)
	return users(objs, size, func(r *tables.Role) *page[model.UserEdge, tables.User] { return o.holders[r.Code] }), err
}
