package resolvers

import (
	"context"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	"twibase/graph/auth"
	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
)

var userCosts = costs{
	"Mutation.createUser": changeCost(show(loaders.Users, "CreateUserPayload", "user", "User")),
	"Mutation.updateUser": changeCost(show(loaders.Users, "UpdateUserPayload", "user", "User")),
	"Mutation.deleteUser": changeCost(show(loaders.Users, "DeleteUserPayload", "user", "User")),
	"Mutation.follow":     changeCost(show(loaders.Users, "FollowPayload", "user", "User")),
	"Mutation.unfollow":   changeCost(show(loaders.Users, "UnfollowPayload", "user", "User")),
	"Query.user":          rootCost(loaders.Users, "User", "username", tables.CheckUsername),
	"Query.users":         scanCost(relay.AllUsers, "User", loaders.Users),
	"User.email":          func(q *inquiry) error { q.adminCost(q.Begin(), another); return nil },
	"User.followers":      followers.cost,
	"User.following":      following.cost,
	"User.isFollowing":    questionCost("username", tables.CheckUsername, loaders.Users.Exists, loaders.Related, loaders.Follows("", "")),
	"User.viewerFollows":  viewerFollowsCost,
	"User.hasRole":        questionCost("code", tables.CheckCode, loaders.Roles.Exists, loaders.Related, loaders.Has("", "")),
	"User.hasPlayed":      questionCost("code", tables.CheckCode, loaders.Games.Exists, loaders.HasPlayed, loaders.Play{}),
	"User.roles":          userRoles.cost,
	"User.games":          userGames.cost,
	"User.twits":          postsCost(relay.Twits, loaders.Twits, "twitCount"),
	"User.album":          postsCost(relay.Album, loaders.Albums, "albumCount"),
	"User.twitCount": func(q *inquiry) error {
		q.seeCost(settled(q.Begin()), q.Parents, byViewer, 1, "")
		return nil
	},
	"User.timeline": timelineCost,
}

// The lists of users.
var (
	followers = edge[tables.Follow, tables.User]{relay.Followers, "User", loaders.Followers, loaders.Users, followed}
	following = edge[tables.Follow, tables.User]{relay.Following, "User", loaders.Following, loaders.Users, followed}
	userRoles = edge[string, tables.Role]{relay.UserRoles, "Role", loaders.UserRoles, loaders.Roles, self}
	userGames = edge[tables.UserGame, tables.Game]{relay.UserGames, "Game", loaders.UserGames, loaders.Games,
		func(g tables.UserGame) string { return g.Code }}
)

func followed(f tables.Follow) string { return f.Username }

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
	return new(userConnection(page, nil)), nil
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
	viewer, may, err := permit(ctx, action, permission.About{})
	if err != nil {
		return nil, nil, err
	}
	return written(ctx, may, loaders.Users, payload, "user", "User", func(ctx context.Context) (string, error) {
		return norm.NFC.String(username), write(ctx, viewer.Username, username)
	})
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
	return follows(ctx, followers, objs, pageArgs{first, after, last, before})
}

// Following is the batch resolver for the following field.
func (r *userResolver) Following(ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string) ([]*model.UserConnection, error) {
	return follows(ctx, following, objs, pageArgs{first, after, last, before})
}

func follows(ctx context.Context, e edge[tables.Follow, tables.User], users []*tables.User, args pageArgs) ([]*model.UserConnection, error) {
	pages, err := e.pages(ctx, usernames(users), args)
	return convert(pages, err, func(p *entries[tables.Follow, tables.User]) model.UserConnection {
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
	return questions(ctx, objs, tables.CheckUsername(username) == nil, loaders.Users.Exists, username, loaders.Related, func(name string) loaders.Relation {
		return loaders.Follows(name, username)
	})
}

// ViewerFollows is the batch resolver for the viewerFollows field.
func (r *userResolver) ViewerFollows(ctx context.Context, objs []*tables.User) ([]*bool, error) {
	viewer, known := auth.ViewerOf(ctx)
	return questions(ctx, objs, known, loaders.Users.Exists, viewer.Username, loaders.Related, func(name string) loaders.Relation {
		return loaders.Follows(viewer.Username, name)
	})
}

// HasRole is the batch resolver for the hasRole field.
func (r *userResolver) HasRole(ctx context.Context, objs []*tables.User, code string) ([]*bool, error) {
	return questions(ctx, objs, tables.CheckCode(code) == nil, loaders.Roles.Exists, code, loaders.Related, func(name string) loaders.Relation {
		return loaders.Has(name, code)
	})
}

// HasPlayed is the batch resolver for the hasPlayed field.
func (r *userResolver) HasPlayed(ctx context.Context, objs []*tables.User, code string) ([]*bool, error) {
	return questions(ctx, objs, tables.CheckCode(code) == nil, loaders.Games.Exists, code, loaders.HasPlayed, func(name string) loaders.Play {
		return loaders.Play{Username: name, Game: code}
	})
}

// questions answers a question about each user and another thing. If it can't be asked, or the thing is not there, the answer is no.
func questions[K comparable](ctx context.Context, users []*tables.User, askable bool, exists loaders.Loader[string, bool], other string,
	loader loaders.Loader[K, bool], question func(username string) K) ([]*bool, error) {
	if !askable {
		return pointers(make([]bool, len(users))), nil
	}
	keys := make([]K, len(users))
	for i, name := range usernames(users) {
		keys[i] = question(name)
	}
	existing := exists.Ask(ctx, []string{other})
	answers, err := loader.Load(ctx, keys)
	there, thereErr := existing()
	if !there[0] {
		clear(answers)
	}
	if thereErr = loaders.At(thereErr, 0); thereErr != nil {
		return pointers(answers), thereErr
	}
	return pointers(answers), err
}

// Roles is the batch resolver for the roles field.
func (r *userResolver) Roles(ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string) ([]*model.RoleConnection, error) {
	pages, err := userRoles.pages(ctx, usernames(objs), pageArgs{first, after, last, before})
	return convert(pages, err, roleConnection)
}

// Games is the batch resolver for the games field.
func (r *userResolver) Games(ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string) ([]*model.GameConnection, error) {
	pages, err := userGames.pages(ctx, usernames(objs), pageArgs{first, after, last, before})
	return convert(pages, err, func(p *entries[tables.UserGame, tables.Game]) model.GameConnection {
		return gameConnection(p, func(e *model.GameEdge, g tables.UserGame) { e.Day, e.Count = &g.Day, &g.Count })
	})
}

// questionCost is that of a resolver that answers with questions about each user and what an argument names.
func questionCost[K comparable](name string, check func(string) error, exists loaders.Loader[string, bool], loader loaders.Loader[K, bool], question K) func(*inquiry) error {
	return func(q *inquiry) error {
		if value := argument[string](q, name); check(value) == nil {
			q.existCost(q.Begin(), exists, value, 1, "")
			ask(q, q.Begin(), q.Parents, loader, question, name+" "+value, 1, "")
		}
		return nil
	}
}

func viewerFollowsCost(q *inquiry) error {
	if _, known := auth.ViewerOf(q.Ctx); known {
		q.existCost(q.Begin(), loaders.Users.Exists, theViewer, 1, "")
		ask(q, q.Begin(), q.Parents, loaders.Related, loaders.Follows("", ""), byViewer, 1, "")
	}
	return nil
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
func userConnection[E any](p *entries[E, tables.User], followedAt func(E) *time.Time) model.UserConnection {
	return model.UserConnection{Nodes: p.all(), PageInfo: p.info, TotalCount: p.total, Edges: edges(p, func(e *model.UserEdge, i int) {
		e.Cursor, e.Node = p.cursor(i), p.nodes[i]
		if followedAt != nil {
			e.FollowedAt = followedAt(p.members[i])
		}
	})}
}

// User returns exec.UserResolver implementation.
func (r *Resolver) User() exec.UserResolver { return &userResolver{r} }

type userResolver struct{ *Resolver }
