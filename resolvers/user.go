package resolvers

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"golang.org/x/text/unicode/norm"

	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

var userFields = fields{
	"Mutation.createUser": createUser,
	"Mutation.updateUser": updateUser,
	"Mutation.deleteUser": deleteUser,
	"Mutation.follow":     follow,
	"Mutation.unfollow":   unfollow,
	"Query.user":          user,
	"Query.users":         users,
	"User.email":          costFunc(emailCost),
	"User.followers":      followers,
	"User.following":      following,
	"User.isFollowing":    isFollowing,
	"User.viewerFollows":  viewerFollows,
	"User.hasRole":        hasRole,
	"User.hasPlayed":      hasPlayed,
	"User.roles":          userRoles,
	"User.games":          userGames,
	"User.twits":          userTwits,
	"User.album":          userAlbum,
	"User.twitCount":      costFunc(twitCountCost),
	"User.timeline":       userTimeline,
}

var (
	createUser = changes(permission.CreateUser, userPayload)
	updateUser = changes(permission.UpdateUser, userPayload)
	deleteUser = changes(permission.DeleteUser, userPayload)
	follow     = changes(permission.Follow, userPayload)
	unfollow   = changes(permission.Unfollow, userPayload)

	user      = lookup[tables.User]{loaders.Users, "username", tables.CheckUsername}
	users     = scanOf(relay.AllUsers, loaders.Users, userConnection[struct{}](nil))
	followers = connectionOf(relay.Followers, loaders.Followers, loaders.Users, followed, userConnection(followedAt))
	following = connectionOf(relay.Following, loaders.Following, loaders.Users, followed, userConnection(followedAt))
	userRoles = connectionOf(relay.UserRoles, loaders.UserRoles, loaders.Roles, self, roleConnection[string])
	userGames = connectionOf(relay.UserGames, loaders.UserGames, loaders.Games, played, gameConnection(playedOften))

	isFollowing = question[loaders.Relation]{
		"username", tables.CheckUsername, loaders.Users.Exists, loaders.Related, loaders.Follows,
	}
	hasRole       = question[loaders.Relation]{"code", tables.CheckCode, loaders.Roles.Exists, loaders.Related, loaders.Has}
	hasPlayed     = question[loaders.Play]{"code", tables.CheckCode, loaders.Games.Exists, loaders.HasPlayed, playOf}
	viewerFollows = viewerQuestion[loaders.Relation]{question[loaders.Relation]{
		exists: loaders.Users.Exists, related: loaders.Related, key: func(user, viewer string) loaders.Relation {
			return loaders.Follows(viewer, user)
		},
	}}
)

// What the members of lists refer to, and what their edges show.

func self(key string) string { return key }

func followed(f tables.Follow) string { return f.Username }

func followedAt(edge *model.UserEdge, f tables.Follow) {
	if !f.At.Equal(tables.Unknown) {
		edge.FollowedAt = &f.At
	}
}

func played(g tables.UserGame) string { return g.Code }

func playedOften(edge *model.GameEdge, g tables.UserGame) { edge.Day, edge.Count = &g.Day, &g.Count }

func playOf(username, game string) loaders.Play { return loaders.Play{Username: username, Game: game} }

// User is the resolver for the user field.
func (r *queryResolver) User(ctx context.Context, username string) (*tables.User, error) {
	return user.resolve(ctx, username)
}

// Users is the resolver for the users field.
func (r *queryResolver) Users(ctx context.Context, first *int, after *string, last *int, before *string) (*model.UserConnection, error) {
	return users.resolve(ctx, pageArgs{first, after, last, before})
}

// CreateUser is the resolver for the createUser field.
func (r *mutationResolver) CreateUser(ctx context.Context, input model.CreateUserInput) (*model.CreateUserPayload, error) {
	user := writers.NewUser{
		Username: input.Username, Name: input.Name, Email: input.Email.Value(), Age: input.Age.Value(),
		AvatarURL: input.AvatarURL.Value(),
	}
	c, err := createUser.write(ctx, permission.About{}, func(ctx context.Context, viewer string) (string, error) {
		return r.Writers.CreateUser(ctx, viewer, user, input.IdempotencyKey.Value())
	})
	return &model.CreateUserPayload{User: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value()}, err
}

// UpdateUser is the resolver for the updateUser field.
func (r *mutationResolver) UpdateUser(ctx context.Context, input model.UpdateUserInput) (*model.UpdateUserPayload, error) {
	c, err := update(ctx, updateUser, aboutUser(input.Username), r.Writers.UpdateUser, writers.UserChange{
		Username: input.Username, Name: given(input.Name), Email: given(input.Email), Age: given(input.Age),
		AvatarURL: given(input.AvatarURL), ExpectedVersion: input.ExpectedVersion.Value(),
	})
	return &model.UpdateUserPayload{User: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value()}, err
}

// DeleteUser is the resolver for the deleteUser field.
func (r *mutationResolver) DeleteUser(ctx context.Context, input model.DeleteUserInput) (*model.DeleteUserPayload, error) {
	c, err := deleteUser.delete(ctx, aboutUser(input.Username), input.Username, r.Writers.DeleteUser)
	return &model.DeleteUserPayload{
		User: c.object, DeletedID: c.deletedID, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value(),
	}, err
}

// aboutUser returns what an action on a user is about.
func aboutUser(username string) permission.About {
	return permission.About{Owner: norm.NFC.String(username)}
}

// given returns what an input says of an attribute: whether it is given, and its value.
func given[T any](value graphql.Omittable[*T]) writers.Change[T] {
	v, given := value.ValueOK()
	return writers.Change[T]{Given: given, Value: v}
}

// Follow is the resolver for the follow field.
func (r *mutationResolver) Follow(ctx context.Context, input model.FollowInput) (*model.FollowPayload, error) {
	c, err := follow.relate(ctx, r.Writers.Follow, input.Username)
	return &model.FollowPayload{User: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value()}, err
}

// Unfollow is the resolver for the unfollow field.
func (r *mutationResolver) Unfollow(ctx context.Context, input model.UnfollowInput) (*model.UnfollowPayload, error) {
	c, err := unfollow.relate(ctx, r.Writers.Unfollow, input.Username)
	return &model.UnfollowPayload{User: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value()}, err
}

// Email is the batch resolver for the email field.
func (r *userResolver) Email(ctx context.Context, objs []*tables.User) ([]*string, error) {
	own, err := owned(ctx, permission.SeeEmail, usernames(objs))
	if slices.Contains(own, true) {
		loaders.Await(ctx)
	}
	emails := make([]*string, len(objs))
	for i, user := range objs {
		if own[i] && user != nil {
			emails[i] = user.Email
		}
	}
	return emails, err
}

func emailCost(call *costCall) error {
	call.adminCost(call.Begin(), ifOtherUser)
	return nil
}

// Followers is the batch resolver for the followers field.
func (r *userResolver) Followers(
	ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string,
) ([]*model.UserConnection, error) {
	return followers.resolve(ctx, usernames(objs), pageArgs{first, after, last, before})
}

// Following is the batch resolver for the following field.
func (r *userResolver) Following(
	ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string,
) ([]*model.UserConnection, error) {
	return following.resolve(ctx, usernames(objs), pageArgs{first, after, last, before})
}

// Roles is the batch resolver for the roles field.
func (r *userResolver) Roles(
	ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string,
) ([]*model.RoleConnection, error) {
	return userRoles.resolve(ctx, usernames(objs), pageArgs{first, after, last, before})
}

// Games is the batch resolver for the games field.
func (r *userResolver) Games(
	ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string,
) ([]*model.GameConnection, error) {
	return userGames.resolve(ctx, usernames(objs), pageArgs{first, after, last, before})
}

// Twits is the batch resolver for the twits field.
func (r *userResolver) Twits(
	ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string,
) ([]*model.TwitConnection, error) {
	return userTwits.resolve(ctx, objs, pageArgs{first, after, last, before})
}

// Album is the batch resolver for the album field.
func (r *userResolver) Album(
	ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string,
) ([]*model.TwitConnection, error) {
	return userAlbum.resolve(ctx, objs, pageArgs{first, after, last, before})
}

// Timeline is the batch resolver for the timeline field.
func (r *userResolver) Timeline(
	ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string,
) ([]*model.TwitConnection, error) {
	return userTimeline.resolve(ctx, usernames(objs), pageArgs{first, after, last, before})
}

// IsFollowing is the batch resolver for the isFollowing field.
func (r *userResolver) IsFollowing(ctx context.Context, objs []*tables.User, username string) ([]*bool, error) {
	return isFollowing.resolve(ctx, usernames(objs), username)
}

// ViewerFollows is the batch resolver for the viewerFollows field.
func (r *userResolver) ViewerFollows(ctx context.Context, objs []*tables.User) ([]*bool, error) {
	return viewerFollows.resolve(ctx, usernames(objs))
}

// HasRole is the batch resolver for the hasRole field.
func (r *userResolver) HasRole(ctx context.Context, objs []*tables.User, code string) ([]*bool, error) {
	return hasRole.resolve(ctx, usernames(objs), code)
}

// HasPlayed is the batch resolver for the hasPlayed field.
func (r *userResolver) HasPlayed(ctx context.Context, objs []*tables.User, code string) ([]*bool, error) {
	return hasPlayed.resolve(ctx, usernames(objs), code)
}

// TwitCount is the batch resolver for the twitCount field.
func (r *userResolver) TwitCount(ctx context.Context, objs []*tables.User) ([]*int, error) {
	loaders.Await(ctx)
	return visibleCounts(ctx, usernames(objs), objs, twitCounts)
}

func twitCountCost(call *costCall) error {
	call.followsCost(awaitParents(call.Begin()), call.Parents, byViewer, 1, "")
	return nil
}

func usernames(users []*tables.User) []string {
	return keysOf(users, func(u *tables.User) string { return u.Username })
}

// userConnection returns the function that shows a page as a connection. fill sets what an edge
// shows of its member; it may be nil.
func userConnection[E any](fill func(edge *model.UserEdge, member E)) func(*page[E, tables.User]) model.UserConnection {
	return func(p *page[E, tables.User]) model.UserConnection {
		return model.UserConnection{Nodes: p.all(), PageInfo: p.info, TotalCount: p.total, Edges: edges(p, func(e *model.UserEdge, i int) {
			e.Cursor, e.Node = p.cursor(i), p.nodes[i]
			if fill != nil {
				fill(e, p.members[i])
			}
		})}
	}
}

// User returns exec.UserResolver implementation.
func (r *Resolver) User() exec.UserResolver { return &userResolver{r} }

type userResolver struct{ *Resolver }
