package resolvers

import (
	"context"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	"twibase/graph/auth"
	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/graph/permission"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
)

// User is the resolver for the user field.
func (r *queryResolver) User(ctx context.Context, username string) (*tables.User, error) {
	return rootObject(ctx, loaders.Users, "User", username, tables.CheckUsername)
}

// Users is the resolver for the users field.
func (r *queryResolver) Users(ctx context.Context, first *int, after *string, last *int, before *string) (*model.UserConnection, error) {
	page, err := scanned(ctx, relay.AllUsers, "User", loaders.Users, pageArgs{first, after, last, before})
	if err != nil {
		return nil, err
	}
	return userConnection(page, nil), nil
}

// Follow is the resolver for the follow field.
func (r *mutationResolver) Follow(ctx context.Context, input model.FollowInput) (*model.FollowPayload, error) {
	errs, user, err := r.relate(ctx, permission.Follow, r.Writers.Follow, "FollowPayload", input.Username)
	if err != nil {
		return nil, err
	}
	return &model.FollowPayload{User: user, UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}, nil
}

// Unfollow is the resolver for the unfollow field.
func (r *mutationResolver) Unfollow(ctx context.Context, input model.UnfollowInput) (*model.UnfollowPayload, error) {
	errs, user, err := r.relate(ctx, permission.Unfollow, r.Writers.Unfollow, "UnfollowPayload", input.Username)
	if err != nil {
		return nil, err
	}
	return &model.UnfollowPayload{User: user, UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}, nil
}

// relate changes whether the viewer follows a user.
func (r *mutationResolver) relate(ctx context.Context, action permission.Action, write func(ctx context.Context, follower, username string) error, payload, username string) (
	[]*model.UserError, *tables.User, error) {
	viewer, err := permit(ctx, action, permission.About{})
	if err != nil {
		return nil, nil, err
	}
	errs, err := change(ctx, func() error { return write(ctx, viewer.Username, username) })
	if err != nil || len(errs) > 0 {
		return errs, nil, err
	}
	user, err := changed(ctx, loaders.Users, payload, "user", "User", norm.NFC.String(username))
	return errs, user, err
}

// Email is the batch resolver for the email field.
func (r *userResolver) Email(ctx context.Context, objs []*tables.User) ([]*string, error) {
	own, err := owned(ctx, permission.SeeEmail, usernames(objs))
	if slices.Contains(own, true) {
		loaders.Settle(ctx)
	}
	emails := make([]*string, len(objs))
	for i, user := range objs {
		if own[i] && user != nil {
			emails[i] = user.Email
		}
	}
	return emails, err
}

// Followers is the batch resolver for the followers field.
func (r *userResolver) Followers(ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string) ([]*model.UserConnection, error) {
	return follows(ctx, relay.Followers, loaders.Followers, objs, pageArgs{first, after, last, before})
}

// Following is the batch resolver for the following field.
func (r *userResolver) Following(ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string) ([]*model.UserConnection, error) {
	return follows(ctx, relay.Following, loaders.Following, objs, pageArgs{first, after, last, before})
}

func follows(ctx context.Context, kind relay.List, list loaders.List[tables.Follow], users []*tables.User, args pageArgs) ([]*model.UserConnection, error) {
	pages, err := edge[tables.Follow, tables.User]{kind, "User", list, loaders.Users,
		func(f tables.Follow) string { return f.Username }}.pages(ctx, usernames(users), args)
	return convert(pages, err, func(p *entries[tables.Follow, tables.User]) *model.UserConnection {
		return userConnection(p, func(f tables.Follow) *time.Time {
			if f.At.Equal(tables.Unknown) {
				return nil
			}
			return &f.At
		})
	})
}

// IsFollowing is the batch resolver for the isFollowing field.
func (r *userResolver) IsFollowing(ctx context.Context, objs []*tables.User, username string) ([]*bool, error) {
	return related(ctx, objs, tables.CheckUsername(username) == nil, func(name string) loaders.Relation {
		return loaders.Follows(name, username)
	})
}

// ViewerFollows is the batch resolver for the viewerFollows field.
func (r *userResolver) ViewerFollows(ctx context.Context, objs []*tables.User) ([]*bool, error) {
	viewer, known := auth.ViewerOf(ctx)
	return related(ctx, objs, known, func(name string) loaders.Relation {
		return loaders.Follows(viewer.Username, name)
	})
}

// HasRole is the batch resolver for the hasRole field.
func (r *userResolver) HasRole(ctx context.Context, objs []*tables.User, code string) ([]*bool, error) {
	return related(ctx, objs, tables.CheckCode(code) == nil, func(name string) loaders.Relation {
		return loaders.Has(name, code)
	})
}

// related answers a question about each user. If it can't be asked, the answer is no.
func related(ctx context.Context, users []*tables.User, askable bool, question func(username string) loaders.Relation) ([]*bool, error) {
	return questions(ctx, users, askable, loaders.Related, question)
}

// HasPlayed is the batch resolver for the hasPlayed field.
func (r *userResolver) HasPlayed(ctx context.Context, objs []*tables.User, code string) ([]*bool, error) {
	return questions(ctx, objs, tables.CheckCode(code) == nil, loaders.HasPlayed, func(name string) loaders.Play {
		return loaders.Play{Username: name, Game: code}
	})
}

func questions[K comparable](ctx context.Context, users []*tables.User, askable bool, loader loaders.Loader[K, bool], question func(username string) K) ([]*bool, error) {
	if !askable {
		return pointers(make([]bool, len(users))), nil
	}
	keys := make([]K, len(users))
	for i, name := range usernames(users) {
		keys[i] = question(name)
	}
	answers, err := loader.Load(ctx, keys)
	return pointers(answers), err
}

// Roles is the batch resolver for the roles field.
func (r *userResolver) Roles(ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string) ([]*model.RoleConnection, error) {
	pages, err := edge[string, tables.Role]{relay.UserRoles, "Role", loaders.UserRoles, loaders.Roles, self}.
		pages(ctx, usernames(objs), pageArgs{first, after, last, before})
	return convert(pages, err, roleConnection)
}

// Games is the batch resolver for the games field.
func (r *userResolver) Games(ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string) ([]*model.GameConnection, error) {
	pages, err := edge[tables.UserGame, tables.Game]{relay.UserGames, "Game", loaders.UserGames, loaders.Games,
		func(g tables.UserGame) string { return g.Code }}.pages(ctx, usernames(objs), pageArgs{first, after, last, before})
	return convert(pages, err, func(p *entries[tables.UserGame, tables.Game]) *model.GameConnection {
		return gameConnection(p, func(e *model.GameEdge, g tables.UserGame) { e.Day, e.Count = &g.Day, &g.Count })
	})
}

func usernames(users []*tables.User) []string {
	return keysOf(users, func(u *tables.User) string { return u.Username })
}

// self is the key of a list's member that is a key itself.
func self(key string) string { return key }

// pointers returns pointers to the values: what a read fills is nullable in the schema.
func pointers[T any](values []T) []*T {
	list := make([]*T, len(values))
	for i := range values {
		list[i] = &values[i]
	}
	return list
}

// userConnection makes a connection of a page. followedAt is nil where nobody follows.
func userConnection[E any](p *entries[E, tables.User], followedAt func(E) *time.Time) *model.UserConnection {
	c := &model.UserConnection{Nodes: p.all(), PageInfo: p.info, TotalCount: p.total, Edges: make([]*model.UserEdge, len(p.nodes))}
	for i, user := range p.nodes {
		c.Edges[i] = &model.UserEdge{Cursor: p.cursor(i), Node: user}
		if followedAt != nil {
			c.Edges[i].FollowedAt = followedAt(p.members[i])
		}
	}
	return c
}

// User returns exec.UserResolver implementation.
func (r *Resolver) User() exec.UserResolver { return &userResolver{r} }

type userResolver struct{ *Resolver }
