package e2e

import (
	"context"

	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers"
)

// holey are resolvers that leave out of their answers whatever may be nil in Go, also what the schema says is always there.
type holey struct {
	*resolvers.Resolver
	known
}

func (h holey) Query() exec.QueryResolver           { return holeyQuery{h.Resolver.Query()} }
func (h holey) User() exec.UserResolver             { return holeyUser{h.Resolver.User()} }
func (h holey) Twit() exec.TwitResolver             { return holeyTwit{h.Resolver.Twit()} }
func (h holey) Comment() exec.CommentResolver       { return holeyComment{h.Resolver.Comment()} }
func (h holey) Role() exec.RoleResolver             { return holeyRole{h.Resolver.Role()} }
func (h holey) Department() exec.DepartmentResolver { return holeyDepartment{h.Resolver.Department()} }
func (h holey) Game() exec.GameResolver             { return holeyGame{h.Resolver.Game()} }

var _ exec.ResolverRoot = holey{}

type (
	holeyQuery      struct{ exec.QueryResolver }
	holeyUser       struct{ exec.UserResolver }
	holeyTwit       struct{ exec.TwitResolver }
	holeyComment    struct{ exec.CommentResolver }
	holeyRole       struct{ exec.RoleResolver }
	holeyDepartment struct{ exec.DepartmentResolver }
	holeyGame       struct{ exec.GameResolver }
)

func (h holeyQuery) Nodes(ctx context.Context, ids []*tables.ID) ([]model.Node, error) {
	nodes, err := h.QueryResolver.Nodes(ctx, ids)
	if w := whimsOf(ctx); len(ids) > 0 && w.hit(w.holes, "nodes", ids[0].Key) {
		return nil, loaders.Errors{nil, hbase.ErrCorrupt} // not a batch: an error like any other
	}
	of := make([]tables.ID, len(ids))
	for i, id := range ids {
		of[i] = *id
	}
	return hole(ctx, "nodes", of, nodes, err)
}

func (h holeyQuery) Node(ctx context.Context, id tables.ID) (model.Node, error) {
	answer, err := h.QueryResolver.Node(ctx, id)
	return hole(ctx, "node", id, answer, err)
}

func (h holeyQuery) Viewer(ctx context.Context) (*tables.User, error) {
	answer, err := h.QueryResolver.Viewer(ctx)
	return hole(ctx, "viewer", nil, answer, err)
}

func (h holeyQuery) Department(ctx context.Context, code string) (*tables.Department, error) {
	answer, err := h.QueryResolver.Department(ctx, code)
	return hole(ctx, "department", code, answer, err)
}

func (h holeyQuery) TopDepartments(ctx context.Context, first *int, after *string, last *int, before *string) (*model.DepartmentConnection, error) {
	answer, err := h.QueryResolver.TopDepartments(ctx, first, after, last, before)
	return hole(ctx, "topDepartments", nil, answer, err)
}

func (h holeyQuery) Game(ctx context.Context, code string) (*tables.Game, error) {
	answer, err := h.QueryResolver.Game(ctx, code)
	return hole(ctx, "game", code, answer, err)
}

func (h holeyQuery) Games(ctx context.Context, first *int, after *string, last *int, before *string) (*model.GameConnection, error) {
	answer, err := h.QueryResolver.Games(ctx, first, after, last, before)
	return hole(ctx, "games", nil, answer, err)
}

func (h holeyQuery) Role(ctx context.Context, code string) (*tables.Role, error) {
	answer, err := h.QueryResolver.Role(ctx, code)
	return hole(ctx, "role", code, answer, err)
}

func (h holeyQuery) Roles(ctx context.Context, first *int, after *string, last *int, before *string) (*model.RoleConnection, error) {
	answer, err := h.QueryResolver.Roles(ctx, first, after, last, before)
	return hole(ctx, "roles", nil, answer, err)
}

func (h holeyQuery) Twit(ctx context.Context, id tables.ID) (*tables.Twit, error) {
	answer, err := h.QueryResolver.Twit(ctx, id)
	return hole(ctx, "twit", id, answer, err)
}

func (h holeyQuery) User(ctx context.Context, username string) (*tables.User, error) {
	answer, err := h.QueryResolver.User(ctx, username)
	return hole(ctx, "user", username, answer, err)
}

func (h holeyQuery) Users(ctx context.Context, first *int, after *string, last *int, before *string) (*model.UserConnection, error) {
	answer, err := h.QueryResolver.Users(ctx, first, after, last, before)
	return hole(ctx, "users", nil, answer, err)
}
