package resolvers

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"golang.org/x/text/unicode/norm"

	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

var (
	mutationCreateUser = changes(permission.CreateUser, loaders.Users)
	mutationUpdateUser = changes(permission.UpdateUser, loaders.Users)
	mutationDeleteUser = changes(permission.DeleteUser, loaders.Users)
	mutationFollow     = changes(permission.Follow, loaders.Users)
	mutationUnfollow   = changes(permission.Unfollow, loaders.Users)

	queryUser  = lookup[tables.User]{loaders.Users, "username"}
	queryUsers = scanOf(relay.AllUsers, loaders.Users, userConnection[struct{}](nil))

	userEmail     = ownEmail{}
	userFollowers = connectionOf(
		usernames, relay.Followers, loaders.Followers, loaders.Users, followed, userConnection(followedAt))
	userFollowing = connectionOf(
		usernames, relay.Following, loaders.Following, loaders.Users, followed, userConnection(followedAt))
	userIsFollowing   = isRelated("username", loaders.Users, tables.Follows)
	userViewerFollows = viewerIsRelated(usernames, tables.Follows)
	userTwits         = posts{relay.Twits, loaders.Twits, visibleCount{"twitCount", twitCounts}}
	userTwitCount     = visibleTwitCount{}
	userAlbum         = posts{relay.Album, loaders.Albums, visibleCount{"albumCount", albumCounts}}
	userTimeline      = timelineConnection{filteredConnection[tables.User, tables.Twit, model.TwitConnection]{
		kind: relay.Timeline, source: timelineSource{}, as: twitConnection[struct{}](nil), unsplit: true,
	}}
	userRoles = connectionOf(
		usernames, relay.UserRoles, loaders.UserRoles, loaders.Roles, self, roleConnection[string](nil))
	userHasRole = isRelated("code", loaders.Roles, tables.Assignments)
	userGames   = connectionOf(
		usernames, relay.UserGames, loaders.UserGames, loaders.Games, played, gameConnection(playedOften))
	userHasPlayed = question[tables.User, loaders.Play]{
		usernames, "code", tables.CheckCode, loaders.Games.Exists, loaders.HasPlayed, playOf,
	}
)

var userPayload = payloadObject[tables.User]{loaders.Users}

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

// CreateUser is the resolver for the createUser field.
func (r *mutationResolver) CreateUser(ctx context.Context, input model.CreateUserInput) (*model.CreateUserPayload, error) {
	user := writers.NewUser{
		Username: input.Username, Name: input.Name, Email: input.Email.Value(), Age: input.Age.Value(),
		AvatarURL: input.AvatarURL.Value(),
	}
	c, err := mutationCreateUser.write(ctx, permission.About{}, func(ctx context.Context, viewer string) (string, error) {
		return r.Writers.CreateUser(ctx, viewer, user, input.IdempotencyKey.Value())
	})
	return &model.CreateUserPayload{User: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value()}, err
}

// UpdateUser is the resolver for the updateUser field.
func (r *mutationResolver) UpdateUser(ctx context.Context, input model.UpdateUserInput) (*model.UpdateUserPayload, error) {
	c, err := mutationUpdateUser.write(ctx, aboutUser(input.Username), func(ctx context.Context, _ string) (string, error) {
		return r.Writers.UpdateUser(ctx, writers.UserChange{
			Username: input.Username, Name: given(input.Name), Email: given(input.Email), Age: given(input.Age),
			AvatarURL: given(input.AvatarURL), ExpectedVersion: input.ExpectedVersion.Value(),
		})
	})
	return &model.UpdateUserPayload{User: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value()}, err
}

// DeleteUser is the resolver for the deleteUser field.
func (r *mutationResolver) DeleteUser(ctx context.Context, input model.DeleteUserInput) (*model.DeleteUserPayload, error) {
	c, err := mutationDeleteUser.delete(ctx, aboutUser(input.Username), input.Username, r.Writers.DeleteUser)
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
	c, err := mutationFollow.relate(ctx, r.Writers.Relate, tables.Follows, "", input.Username)
	return &model.FollowPayload{User: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value()}, err
}

// Unfollow is the resolver for the unfollow field.
func (r *mutationResolver) Unfollow(ctx context.Context, input model.UnfollowInput) (*model.UnfollowPayload, error) {
	c, err := mutationUnfollow.relate(ctx, r.Writers.Unrelate, tables.Follows, "", input.Username)
	return &model.UnfollowPayload{User: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value()}, err
}

// ownEmail is an attribute that the user and administrators may see.
type ownEmail struct{}

func (ownEmail) resolve(ctx context.Context, users []*tables.User) ([]*string, error) {
	own, err := owned(ctx, permission.SeeEmail, usernames(users))
	if slices.Contains(own, true) {
		loaders.Await(ctx)
	}
	emails := make([]*string, len(users))
	for i, user := range users {
		if own[i] && user != nil {
			emails[i] = user.Email
		}
	}
	return emails, err
}

func (ownEmail) cost(call *costCall) error {
	call.adminCost(call.Begin(), ifOtherUser)
	return nil
}

// visibleTwitCount counts the twits that the viewer may see.
type visibleTwitCount struct{}

func (visibleTwitCount) resolve(ctx context.Context, users []*tables.User) ([]*int, error) {
	loaders.Await(ctx)
	return visibleCounts(ctx, usernames(users), users, twitCounts)
}

func (visibleTwitCount) cost(call *costCall) error {
	call.followsCost(awaitParents(call.Begin()), call.Parents, byViewer, 1, "")
	return nil
}

func usernames(users []*tables.User) []string {
	return keysOf(users, func(u *tables.User) string { return u.Username })
}
