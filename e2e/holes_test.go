package e2e

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"

	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers"
)

// whims decide what goes wrong in a response: always the same for the same thing, whoever asks for it, how often and in what order.
type whims struct {
	seed uint64
	// faults and holes are out of how many rows one can't be read, and out of how many things one is not there; 0 is none.
	faults, holes uint64
}

type whimsKey struct{}

func whimsOf(ctx context.Context) whims {
	w, _ := ctx.Value(whimsKey{}).(whims)
	return w
}

// hit decides about a thing.
func (w whims) hit(share uint64, kind, name string) bool {
	if share == 0 {
		return false
	}
	h := fnv.New64a()
	fmt.Fprint(h, w.seed, kind, " ", name)
	return h.Sum64()>>7%share == 0
}

// store returns the store with its faults.
func (w whims) store(store hbase.Store) hbase.Store {
	if w.faults == 0 {
		return store
	}
	return hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
		switch {
		case w.hit(w.faults, op.Table, op.Row):
			return hbasetest.Fault{Err: hbase.ErrUnavailable}
		case w.hit(w.faults*2, "corrupt "+op.Table, op.Row):
			return hbasetest.Fault{Err: hbase.ErrCorrupt}
		}
		return hbasetest.Fault{}
	})
}

// holey are resolvers that leave out what the schema says is always there.
type holey struct {
	*resolvers.Resolver
	known
}

func (h holey) Query() exec.QueryResolver           { return holeyQuery{h.Resolver.Query()} }
func (h holey) User() exec.UserResolver             { return holeyUser{h.Resolver.User()} }
func (h holey) Department() exec.DepartmentResolver { return holeyDepartment{h.Resolver.Department()} }
func (h holey) Game() exec.GameResolver             { return holeyGame{h.Resolver.Game()} }

type (
	holeyQuery      struct{ exec.QueryResolver }
	holeyUser       struct{ exec.UserResolver }
	holeyDepartment struct{ exec.DepartmentResolver }
	holeyGame       struct{ exec.GameResolver }
)

// leaveOut puts nil in the place of some things of a list, by their names.
func leaveOut[T any](w whims, kind string, list []*T, name func(*T) string) []*T {
	list = slices.Clone(list)
	for i, thing := range list {
		if thing != nil && w.hit(w.holes, kind, name(thing)) {
			list[i] = nil
		}
	}
	return list
}

// parentName is the name of a parent, which gqlgen's executor takes for nil where a list of parents has a hole.
func parentName(u *tables.User) string {
	if u == nil {
		return ""
	}
	return u.Username
}

// userPage makes holes in a page of users.
func userPage(w whims, of string, c *model.UserConnection) *model.UserConnection {
	if c == nil || w.holes == 0 {
		return c
	}
	c.Edges = leaveOut(w, "edge", c.Edges, func(e *model.UserEdge) string { return of + e.Cursor })
	c.Nodes = leaveOut(w, "node", c.Nodes, func(u *tables.User) string { return u.Username })
	for _, edge := range c.Edges {
		if edge != nil && w.hit(w.holes, "edge's node", of+edge.Cursor) {
			edge.Node = nil
		}
	}
	switch {
	case w.hit(w.holes, "info", of):
		c.PageInfo = nil
	case w.hit(w.holes, "edges", of):
		c.Edges = nil
	case w.hit(w.holes, "all", of):
		return nil
	}
	return c
}

func (h holeyUser) Followers(ctx context.Context, users []*tables.User, first *int, after *string, last *int, before *string) ([]*model.UserConnection, error) {
	pages, err := h.UserResolver.Followers(ctx, users, first, after, last, before)
	for i, page := range pages {
		pages[i] = userPage(whimsOf(ctx), parentName(users[i]), page)
	}
	return pages, err
}

func (h holeyUser) Following(ctx context.Context, users []*tables.User, first *int, after *string, last *int, before *string) ([]*model.UserConnection, error) {
	pages, err := h.UserResolver.Following(ctx, users, first, after, last, before)
	for i, page := range pages {
		pages[i] = userPage(whimsOf(ctx), parentName(users[i]), page)
	}
	return pages, err
}

func (h holeyUser) Twits(ctx context.Context, users []*tables.User, first *int, after *string, last *int, before *string) ([]*model.TwitConnection, error) {
	pages, err := h.UserResolver.Twits(ctx, users, first, after, last, before)
	w := whimsOf(ctx)
	for i, page := range pages {
		if page != nil {
			page.Edges = leaveOut(w, "twit's edge", page.Edges, func(e *model.TwitEdge) string { return e.Cursor })
			page.Nodes = leaveOut(w, "twit", page.Nodes, func(t *tables.Twit) string { return t.Key().String() })
			if w.hit(w.holes, "twits' info", parentName(users[i])) {
				page.PageInfo = nil
			}
		}
	}
	return pages, err
}

func (h holeyDepartment) Ancestors(ctx context.Context, departments []*tables.Department) ([][]*tables.Department, error) {
	lists, err := h.DepartmentResolver.Ancestors(ctx, departments)
	for i := range lists {
		if lists[i] != nil {
			lists[i] = leaveOut(whimsOf(ctx), "ancestor", lists[i], func(d *tables.Department) string { return d.Code })
		}
	}
	return lists, err
}

func (h holeyGame) Plays(ctx context.Context, games []*tables.Game, from, to string) ([][]*tables.DayCount, error) {
	lists, err := h.GameResolver.Plays(ctx, games, from, to)
	for i := range lists {
		if lists[i] != nil {
			lists[i] = leaveOut(whimsOf(ctx), "day", lists[i], func(d *tables.DayCount) string { return d.Day })
		}
	}
	return lists, err
}

func (h holeyQuery) Node(ctx context.Context, id tables.ID) (model.Node, error) {
	node, err := h.QueryResolver.Node(ctx, id)
	return h.nilOfAType(ctx, node), err
}

func (h holeyQuery) Nodes(ctx context.Context, ids []*tables.ID) ([]model.Node, error) {
	w := whimsOf(ctx)
	nodes, err := h.QueryResolver.Nodes(ctx, ids)
	if len(ids) > 0 && w.hit(w.holes, "nodes", ids[0].Key) {
		return nil, loaders.Errors{nil, hbase.ErrCorrupt} // not a batch: an error like any other
	}
	for i, node := range nodes {
		nodes[i] = h.nilOfAType(ctx, node)
	}
	return nodes, err
}

// nilOfAType takes some users away and leaves their type.
func (h holeyQuery) nilOfAType(ctx context.Context, node model.Node) model.Node {
	if u, ok := node.(*tables.User); ok && whimsOf(ctx).hit(whimsOf(ctx).holes, "node", u.Username) {
		return (*tables.User)(nil)
	}
	return node
}

var _ exec.ResolverRoot = holey{}
