package e2e

import (
	"context"

	"twibase/graph/model"
	"twibase/hbase/tables"
)

// Each of these leaves holes in what the resolver of the same name answers.

func (h holeyUser) Email(ctx context.Context, parents []*tables.User) ([]*string, error) {
	return holes(ctx, "email", parents, func(parents []*tables.User) ([]*string, error) { return h.UserResolver.Email(ctx, parents) })
}

func (h holeyUser) Followers(ctx context.Context, parents []*tables.User, first *int, after *string, last *int, before *string) ([]*model.UserConnection, error) {
	return holes(ctx, "followers", parents, func(parents []*tables.User) ([]*model.UserConnection, error) {
		return h.UserResolver.Followers(ctx, parents, first, after, last, before)
	})
}

func (h holeyUser) Following(ctx context.Context, parents []*tables.User, first *int, after *string, last *int, before *string) ([]*model.UserConnection, error) {
	return holes(ctx, "following", parents, func(parents []*tables.User) ([]*model.UserConnection, error) {
		return h.UserResolver.Following(ctx, parents, first, after, last, before)
	})
}

func (h holeyUser) IsFollowing(ctx context.Context, parents []*tables.User, username string) ([]*bool, error) {
	return holes(ctx, "isFollowing", parents, func(parents []*tables.User) ([]*bool, error) {
		return h.UserResolver.IsFollowing(ctx, parents, username)
	})
}

func (h holeyUser) ViewerFollows(ctx context.Context, parents []*tables.User) ([]*bool, error) {
	return holes(ctx, "viewerFollows", parents, func(parents []*tables.User) ([]*bool, error) { return h.UserResolver.ViewerFollows(ctx, parents) })
}

func (h holeyUser) Twits(ctx context.Context, parents []*tables.User, first *int, after *string, last *int, before *string) ([]*model.TwitConnection, error) {
	return holes(ctx, "twits", parents, func(parents []*tables.User) ([]*model.TwitConnection, error) {
		return h.UserResolver.Twits(ctx, parents, first, after, last, before)
	})
}

func (h holeyUser) TwitCount(ctx context.Context, parents []*tables.User) ([]*int, error) {
	return holes(ctx, "twitCount", parents, func(parents []*tables.User) ([]*int, error) { return h.UserResolver.TwitCount(ctx, parents) })
}

func (h holeyUser) Album(ctx context.Context, parents []*tables.User, first *int, after *string, last *int, before *string) ([]*model.TwitConnection, error) {
	return holes(ctx, "album", parents, func(parents []*tables.User) ([]*model.TwitConnection, error) {
		return h.UserResolver.Album(ctx, parents, first, after, last, before)
	})
}

func (h holeyUser) LikedTwits(ctx context.Context, parents []*tables.User, first *int, after *string, last *int, before *string) ([]*model.TwitConnection, error) {
	return holes(ctx, "likedTwits", parents, func(parents []*tables.User) ([]*model.TwitConnection, error) {
		return h.UserResolver.LikedTwits(ctx, parents, first, after, last, before)
	})
}

func (h holeyUser) Timeline(ctx context.Context, parents []*tables.User, first *int, after *string, last *int, before *string) ([]*model.TwitConnection, error) {
	return holes(ctx, "timeline", parents, func(parents []*tables.User) ([]*model.TwitConnection, error) {
		return h.UserResolver.Timeline(ctx, parents, first, after, last, before)
	})
}

func (h holeyUser) Roles(ctx context.Context, parents []*tables.User, first *int, after *string, last *int, before *string) ([]*model.RoleConnection, error) {
	return holes(ctx, "roles", parents, func(parents []*tables.User) ([]*model.RoleConnection, error) {
		return h.UserResolver.Roles(ctx, parents, first, after, last, before)
	})
}

func (h holeyUser) HasRole(ctx context.Context, parents []*tables.User, code string) ([]*bool, error) {
	return holes(ctx, "hasRole", parents, func(parents []*tables.User) ([]*bool, error) { return h.UserResolver.HasRole(ctx, parents, code) })
}

func (h holeyUser) Games(ctx context.Context, parents []*tables.User, first *int, after *string, last *int, before *string) ([]*model.GameConnection, error) {
	return holes(ctx, "games", parents, func(parents []*tables.User) ([]*model.GameConnection, error) {
		return h.UserResolver.Games(ctx, parents, first, after, last, before)
	})
}

func (h holeyUser) HasPlayed(ctx context.Context, parents []*tables.User, code string) ([]*bool, error) {
	return holes(ctx, "hasPlayed", parents, func(parents []*tables.User) ([]*bool, error) { return h.UserResolver.HasPlayed(ctx, parents, code) })
}

func (h holeyTwit) Author(ctx context.Context, parents []*tables.Twit) ([]*tables.User, error) {
	return holes(ctx, "author", parents, func(parents []*tables.Twit) ([]*tables.User, error) { return h.TwitResolver.Author(ctx, parents) })
}

func (h holeyTwit) Comments(ctx context.Context, parents []*tables.Twit, first *int, after *string, last *int, before *string) ([]*model.CommentConnection, error) {
	return holes(ctx, "comments", parents, func(parents []*tables.Twit) ([]*model.CommentConnection, error) {
		return h.TwitResolver.Comments(ctx, parents, first, after, last, before)
	})
}

func (h holeyTwit) Likes(ctx context.Context, parents []*tables.Twit, first *int, after *string, last *int, before *string) ([]*model.UserConnection, error) {
	return holes(ctx, "likes", parents, func(parents []*tables.Twit) ([]*model.UserConnection, error) {
		return h.TwitResolver.Likes(ctx, parents, first, after, last, before)
	})
}

func (h holeyTwit) LikeCount(ctx context.Context, parents []*tables.Twit) ([]*int, error) {
	return holes(ctx, "likeCount", parents, func(parents []*tables.Twit) ([]*int, error) { return h.TwitResolver.LikeCount(ctx, parents) })
}

func (h holeyTwit) ViewerLikes(ctx context.Context, parents []*tables.Twit) ([]*bool, error) {
	return holes(ctx, "viewerLikes", parents, func(parents []*tables.Twit) ([]*bool, error) { return h.TwitResolver.ViewerLikes(ctx, parents) })
}

func (h holeyTwit) CommentCount(ctx context.Context, parents []*tables.Twit) ([]*int, error) {
	return holes(ctx, "commentCount", parents, func(parents []*tables.Twit) ([]*int, error) { return h.TwitResolver.CommentCount(ctx, parents) })
}

func (h holeyComment) Twit(ctx context.Context, parents []*tables.Comment) ([]*tables.Twit, error) {
	return holes(ctx, "twit", parents, func(parents []*tables.Comment) ([]*tables.Twit, error) { return h.CommentResolver.Twit(ctx, parents) })
}

func (h holeyComment) Author(ctx context.Context, parents []*tables.Comment) ([]*tables.User, error) {
	return holes(ctx, "author", parents, func(parents []*tables.Comment) ([]*tables.User, error) { return h.CommentResolver.Author(ctx, parents) })
}

func (h holeyRole) Department(ctx context.Context, parents []*tables.Role) ([]*tables.Department, error) {
	return holes(ctx, "department", parents, func(parents []*tables.Role) ([]*tables.Department, error) {
		return h.RoleResolver.Department(ctx, parents)
	})
}

func (h holeyRole) Users(ctx context.Context, parents []*tables.Role, first *int, after *string, last *int, before *string) ([]*model.UserConnection, error) {
	return holes(ctx, "users", parents, func(parents []*tables.Role) ([]*model.UserConnection, error) {
		return h.RoleResolver.Users(ctx, parents, first, after, last, before)
	})
}

func (h holeyDepartment) Parent(ctx context.Context, parents []*tables.Department) ([]*tables.Department, error) {
	return holes(ctx, "parent", parents, func(parents []*tables.Department) ([]*tables.Department, error) {
		return h.DepartmentResolver.Parent(ctx, parents)
	})
}

func (h holeyDepartment) Ancestors(ctx context.Context, parents []*tables.Department) ([][]*tables.Department, error) {
	return holes(ctx, "ancestors", parents, func(parents []*tables.Department) ([][]*tables.Department, error) {
		return h.DepartmentResolver.Ancestors(ctx, parents)
	})
}

func (h holeyDepartment) SubDepartments(ctx context.Context, parents []*tables.Department, first *int, after *string, last *int, before *string) ([]*model.DepartmentConnection, error) {
	return holes(ctx, "subDepartments", parents, func(parents []*tables.Department) ([]*model.DepartmentConnection, error) {
		return h.DepartmentResolver.SubDepartments(ctx, parents, first, after, last, before)
	})
}

func (h holeyDepartment) Descendants(ctx context.Context, parents []*tables.Department, maxDepth *int, first *int, after *string, last *int, before *string) ([]*model.DepartmentConnection, error) {
	return holes(ctx, "descendants", parents, func(parents []*tables.Department) ([]*model.DepartmentConnection, error) {
		return h.DepartmentResolver.Descendants(ctx, parents, maxDepth, first, after, last, before)
	})
}

func (h holeyDepartment) Roles(ctx context.Context, parents []*tables.Department, first *int, after *string, last *int, before *string) ([]*model.RoleConnection, error) {
	return holes(ctx, "roles", parents, func(parents []*tables.Department) ([]*model.RoleConnection, error) {
		return h.DepartmentResolver.Roles(ctx, parents, first, after, last, before)
	})
}

func (h holeyGame) Players(ctx context.Context, parents []*tables.Game, first *int, after *string, last *int, before *string) ([]*model.UserConnection, error) {
	return holes(ctx, "players", parents, func(parents []*tables.Game) ([]*model.UserConnection, error) {
		return h.GameResolver.Players(ctx, parents, first, after, last, before)
	})
}

func (h holeyGame) IsPlayed(ctx context.Context, parents []*tables.Game) ([]*bool, error) {
	return holes(ctx, "isPlayed", parents, func(parents []*tables.Game) ([]*bool, error) { return h.GameResolver.IsPlayed(ctx, parents) })
}

func (h holeyGame) Plays(ctx context.Context, parents []*tables.Game, from string, to string) ([][]*tables.DayCount, error) {
	return holes(ctx, "plays", parents, func(parents []*tables.Game) ([][]*tables.DayCount, error) {
		return h.GameResolver.Plays(ctx, parents, from, to)
	})
}
