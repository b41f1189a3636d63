package e2e

import (
	"context"
	"time"

	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers"
)

// faultyResolvers applies the request's fault plan to results, also in non-null fields.
type faultyResolvers struct {
	*resolvers.Resolver
	known
}

func (h faultyResolvers) Query() exec.QueryResolver     { return faultyQuery{h.Resolver.Query()} }
func (h faultyResolvers) User() exec.UserResolver       { return faultyUser{h.Resolver.User()} }
func (h faultyResolvers) Twit() exec.TwitResolver       { return faultyTwit{h.Resolver.Twit()} }
func (h faultyResolvers) Comment() exec.CommentResolver { return faultyComment{h.Resolver.Comment()} }
func (h faultyResolvers) Role() exec.RoleResolver       { return faultyRole{h.Resolver.Role()} }
func (h faultyResolvers) Department() exec.DepartmentResolver {
	return faultyDepartment{h.Resolver.Department()}
}
func (h faultyResolvers) Game() exec.GameResolver { return faultyGame{h.Resolver.Game()} }

var _ exec.ResolverRoot = faultyResolvers{}

type (
	faultyQuery      struct{ exec.QueryResolver }
	faultyUser       struct{ exec.UserResolver }
	faultyTwit       struct{ exec.TwitResolver }
	faultyComment    struct{ exec.CommentResolver }
	faultyRole       struct{ exec.RoleResolver }
	faultyDepartment struct{ exec.DepartmentResolver }
	faultyGame       struct{ exec.GameResolver }
)

func (h faultyQuery) Nodes(ctx context.Context, ids []*tables.ID) ([]model.Node, error) {
	nodes, err := h.QueryResolver.Nodes(ctx, ids)
	if p := faultPlanOf(ctx); len(ids) > 0 && p.applies(p.missing, "nodes", ids[0].Key) {
		return nil, loaders.Errors{nil, hbase.ErrCorrupt} // an error of the whole field: nodes is not a batch
	}
	values := make([]tables.ID, len(ids))
	for i, id := range ids {
		values[i] = *id
	}
	return removeFrom(ctx, "nodes", values, nodes, err)
}

func (h faultyQuery) Node(ctx context.Context, id tables.ID) (model.Node, error) {
	answer, err := h.QueryResolver.Node(ctx, id)
	return removeFrom(ctx, "node", id, answer, err)
}

func (h faultyQuery) Viewer(ctx context.Context) (*tables.User, error) {
	answer, err := h.QueryResolver.Viewer(ctx)
	return removeFrom(ctx, "viewer", nil, answer, err)
}

func (h faultyQuery) Department(ctx context.Context, code string) (*tables.Department, error) {
	answer, err := h.QueryResolver.Department(ctx, code)
	return removeFrom(ctx, "department", code, answer, err)
}

func (h faultyQuery) TopDepartments(
	ctx context.Context, first *int, after *string, last *int, before *string,
) (*model.DepartmentConnection, error) {
	answer, err := h.QueryResolver.TopDepartments(ctx, first, after, last, before)
	return removeFrom(ctx, "topDepartments", nil, answer, err)
}

func (h faultyQuery) Game(ctx context.Context, code string) (*tables.Game, error) {
	answer, err := h.QueryResolver.Game(ctx, code)
	return removeFrom(ctx, "game", code, answer, err)
}

func (h faultyQuery) Games(
	ctx context.Context, first *int, after *string, last *int, before *string,
) (*model.GameConnection, error) {
	answer, err := h.QueryResolver.Games(ctx, first, after, last, before)
	return removeFrom(ctx, "games", nil, answer, err)
}

func (h faultyQuery) Role(ctx context.Context, code string) (*tables.Role, error) {
	answer, err := h.QueryResolver.Role(ctx, code)
	return removeFrom(ctx, "role", code, answer, err)
}

func (h faultyQuery) Roles(
	ctx context.Context, first *int, after *string, last *int, before *string,
) (*model.RoleConnection, error) {
	answer, err := h.QueryResolver.Roles(ctx, first, after, last, before)
	return removeFrom(ctx, "roles", nil, answer, err)
}

func (h faultyQuery) Twit(ctx context.Context, id tables.ID) (*tables.Twit, error) {
	answer, err := h.QueryResolver.Twit(ctx, id)
	return removeFrom(ctx, "twit", id, answer, err)
}

func (h faultyQuery) User(ctx context.Context, username string) (*tables.User, error) {
	answer, err := h.QueryResolver.User(ctx, username)
	return removeFrom(ctx, "user", username, answer, err)
}

func (h faultyQuery) Users(
	ctx context.Context, query *string, first *int, after *string, last *int, before *string,
) (*model.UserConnection, error) {
	answer, err := h.QueryResolver.Users(ctx, query, first, after, last, before)
	return removeFrom(ctx, "users", nil, answer, err)
}

func (h faultyUser) Email(ctx context.Context, parents []*tables.User) ([]*string, error) {
	return removeFromEach(ctx, "email", parents, func(parents []*tables.User) ([]*string, error) {
		return h.UserResolver.Email(ctx, parents)
	})
}

func (h faultyUser) Followers(
	ctx context.Context, parents []*tables.User, first *int, after *string, last *int, before *string,
) ([]*model.UserConnection, error) {
	return removeFromEach(ctx, "followers", parents, func(parents []*tables.User) ([]*model.UserConnection, error) {
		return h.UserResolver.Followers(ctx, parents, first, after, last, before)
	})
}

func (h faultyUser) Following(
	ctx context.Context, parents []*tables.User, first *int, after *string, last *int, before *string,
) ([]*model.UserConnection, error) {
	return removeFromEach(ctx, "following", parents, func(parents []*tables.User) ([]*model.UserConnection, error) {
		return h.UserResolver.Following(ctx, parents, first, after, last, before)
	})
}

func (h faultyUser) IsFollowing(ctx context.Context, parents []*tables.User, username string) ([]*bool, error) {
	return removeFromEach(ctx, "isFollowing", parents, func(parents []*tables.User) ([]*bool, error) {
		return h.UserResolver.IsFollowing(ctx, parents, username)
	})
}

func (h faultyUser) ViewerFollows(ctx context.Context, parents []*tables.User) ([]*bool, error) {
	return removeFromEach(ctx, "viewerFollows", parents, func(parents []*tables.User) ([]*bool, error) {
		return h.UserResolver.ViewerFollows(ctx, parents)
	})
}

func (h faultyUser) Twits(
	ctx context.Context, parents []*tables.User,
	first *int, after *string, last *int, before *string, since, until *time.Time, order *model.TwitOrder,
) ([]*model.TwitConnection, error) {
	return removeFromEach(ctx, "twits", parents, func(parents []*tables.User) ([]*model.TwitConnection, error) {
		return h.UserResolver.Twits(ctx, parents, first, after, last, before, since, until, order)
	})
}

func (h faultyUser) TwitCount(ctx context.Context, parents []*tables.User) ([]*int, error) {
	return removeFromEach(ctx, "twitCount", parents, func(parents []*tables.User) ([]*int, error) {
		return h.UserResolver.TwitCount(ctx, parents)
	})
}

func (h faultyUser) Album(
	ctx context.Context, parents []*tables.User,
	first *int, after *string, last *int, before *string, since, until *time.Time, order *model.TwitOrder,
) ([]*model.TwitConnection, error) {
	return removeFromEach(ctx, "album", parents, func(parents []*tables.User) ([]*model.TwitConnection, error) {
		return h.UserResolver.Album(ctx, parents, first, after, last, before, since, until, order)
	})
}

func (h faultyUser) LikedTwits(
	ctx context.Context, parents []*tables.User, first *int, after *string, last *int, before *string,
) ([]*model.TwitConnection, error) {
	return removeFromEach(ctx, "likedTwits", parents, func(parents []*tables.User) ([]*model.TwitConnection, error) {
		return h.UserResolver.LikedTwits(ctx, parents, first, after, last, before)
	})
}

func (h faultyUser) Timeline(
	ctx context.Context, parents []*tables.User, first *int, after *string, last *int, before *string,
) ([]*model.TwitConnection, error) {
	return removeFromEach(ctx, "timeline", parents, func(parents []*tables.User) ([]*model.TwitConnection, error) {
		return h.UserResolver.Timeline(ctx, parents, first, after, last, before)
	})
}

func (h faultyUser) Roles(
	ctx context.Context, parents []*tables.User, first *int, after *string, last *int, before *string,
) ([]*model.RoleConnection, error) {
	return removeFromEach(ctx, "roles", parents, func(parents []*tables.User) ([]*model.RoleConnection, error) {
		return h.UserResolver.Roles(ctx, parents, first, after, last, before)
	})
}

func (h faultyUser) HasRole(ctx context.Context, parents []*tables.User, code string) ([]*bool, error) {
	return removeFromEach(ctx, "hasRole", parents, func(parents []*tables.User) ([]*bool, error) {
		return h.UserResolver.HasRole(ctx, parents, code)
	})
}

func (h faultyUser) Games(
	ctx context.Context, parents []*tables.User, first *int, after *string, last *int, before *string,
) ([]*model.GameConnection, error) {
	return removeFromEach(ctx, "games", parents, func(parents []*tables.User) ([]*model.GameConnection, error) {
		return h.UserResolver.Games(ctx, parents, first, after, last, before)
	})
}

func (h faultyUser) HasPlayed(ctx context.Context, parents []*tables.User, code string) ([]*bool, error) {
	return removeFromEach(ctx, "hasPlayed", parents, func(parents []*tables.User) ([]*bool, error) {
		return h.UserResolver.HasPlayed(ctx, parents, code)
	})
}

func (h faultyTwit) Author(ctx context.Context, parents []*tables.Twit) ([]*tables.User, error) {
	return removeFromEach(ctx, "author", parents, func(parents []*tables.Twit) ([]*tables.User, error) {
		return h.TwitResolver.Author(ctx, parents)
	})
}

func (h faultyTwit) Comments(
	ctx context.Context, parents []*tables.Twit, first *int, after *string, last *int, before *string,
) ([]*model.CommentConnection, error) {
	return removeFromEach(ctx, "comments", parents, func(parents []*tables.Twit) ([]*model.CommentConnection, error) {
		return h.TwitResolver.Comments(ctx, parents, first, after, last, before)
	})
}

func (h faultyTwit) Likes(
	ctx context.Context, parents []*tables.Twit, first *int, after *string, last *int, before *string,
) ([]*model.UserConnection, error) {
	return removeFromEach(ctx, "likes", parents, func(parents []*tables.Twit) ([]*model.UserConnection, error) {
		return h.TwitResolver.Likes(ctx, parents, first, after, last, before)
	})
}

func (h faultyTwit) LikeCount(ctx context.Context, parents []*tables.Twit) ([]*int, error) {
	return removeFromEach(ctx, "likeCount", parents, func(parents []*tables.Twit) ([]*int, error) {
		return h.TwitResolver.LikeCount(ctx, parents)
	})
}

func (h faultyTwit) ViewerLikes(ctx context.Context, parents []*tables.Twit) ([]*bool, error) {
	return removeFromEach(ctx, "viewerLikes", parents, func(parents []*tables.Twit) ([]*bool, error) {
		return h.TwitResolver.ViewerLikes(ctx, parents)
	})
}

func (h faultyTwit) CommentCount(ctx context.Context, parents []*tables.Twit) ([]*int, error) {
	return removeFromEach(ctx, "commentCount", parents, func(parents []*tables.Twit) ([]*int, error) {
		return h.TwitResolver.CommentCount(ctx, parents)
	})
}

func (h faultyComment) Twit(ctx context.Context, parents []*tables.Comment) ([]*tables.Twit, error) {
	return removeFromEach(ctx, "twit", parents, func(parents []*tables.Comment) ([]*tables.Twit, error) {
		return h.CommentResolver.Twit(ctx, parents)
	})
}

func (h faultyComment) Author(ctx context.Context, parents []*tables.Comment) ([]*tables.User, error) {
	return removeFromEach(ctx, "author", parents, func(parents []*tables.Comment) ([]*tables.User, error) {
		return h.CommentResolver.Author(ctx, parents)
	})
}

func (h faultyRole) Department(ctx context.Context, parents []*tables.Role) ([]*tables.Department, error) {
	return removeFromEach(ctx, "department", parents, func(parents []*tables.Role) ([]*tables.Department, error) {
		return h.RoleResolver.Department(ctx, parents)
	})
}

func (h faultyRole) Users(
	ctx context.Context, parents []*tables.Role, first *int, after *string, last *int, before *string,
) ([]*model.UserConnection, error) {
	return removeFromEach(ctx, "users", parents, func(parents []*tables.Role) ([]*model.UserConnection, error) {
		return h.RoleResolver.Users(ctx, parents, first, after, last, before)
	})
}

func (h faultyDepartment) Parent(ctx context.Context, parents []*tables.Department) ([]*tables.Department, error) {
	return removeFromEach(ctx, "parent", parents, func(parents []*tables.Department) ([]*tables.Department, error) {
		return h.DepartmentResolver.Parent(ctx, parents)
	})
}

func (h faultyDepartment) Ancestors(ctx context.Context, parents []*tables.Department) ([][]*tables.Department, error) {
	return removeFromEach(ctx, "ancestors", parents, func(parents []*tables.Department) ([][]*tables.Department, error) {
		return h.DepartmentResolver.Ancestors(ctx, parents)
	})
}

func (h faultyDepartment) SubDepartments(
	ctx context.Context, parents []*tables.Department, first *int, after *string, last *int, before *string,
) ([]*model.DepartmentConnection, error) {
	return removeFromEach(ctx, "subDepartments", parents,
		func(parents []*tables.Department) ([]*model.DepartmentConnection, error) {
			return h.DepartmentResolver.SubDepartments(ctx, parents, first, after, last, before)
		})
}

func (h faultyDepartment) Descendants(
	ctx context.Context, parents []*tables.Department, maxDepth *int, first *int, after *string, last *int, before *string,
) ([]*model.DepartmentConnection, error) {
	return removeFromEach(ctx, "descendants", parents,
		func(parents []*tables.Department) ([]*model.DepartmentConnection, error) {
			return h.DepartmentResolver.Descendants(ctx, parents, maxDepth, first, after, last, before)
		})
}

func (h faultyDepartment) Roles(
	ctx context.Context, parents []*tables.Department, first *int, after *string, last *int, before *string,
) ([]*model.RoleConnection, error) {
	return removeFromEach(ctx, "roles", parents, func(parents []*tables.Department) ([]*model.RoleConnection, error) {
		return h.DepartmentResolver.Roles(ctx, parents, first, after, last, before)
	})
}

func (h faultyGame) Players(
	ctx context.Context, parents []*tables.Game, first *int, after *string, last *int, before *string,
) ([]*model.UserConnection, error) {
	return removeFromEach(ctx, "players", parents, func(parents []*tables.Game) ([]*model.UserConnection, error) {
		return h.GameResolver.Players(ctx, parents, first, after, last, before)
	})
}

func (h faultyGame) IsPlayed(ctx context.Context, parents []*tables.Game) ([]*bool, error) {
	return removeFromEach(ctx, "isPlayed", parents, func(parents []*tables.Game) ([]*bool, error) {
		return h.GameResolver.IsPlayed(ctx, parents)
	})
}

func (h faultyGame) Plays(
	ctx context.Context, parents []*tables.Game, from string, to string,
) ([][]*tables.DayCount, error) {
	return removeFromEach(ctx, "plays", parents, func(parents []*tables.Game) ([][]*tables.DayCount, error) {
		return h.GameResolver.Plays(ctx, parents, from, to)
	})
}
