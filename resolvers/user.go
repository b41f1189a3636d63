package resolvers

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/model"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

var (
	mutationCreateUser = changes(permission.CreateUser, loaders.Users, writeNewUser)
	mutationUpdateUser = objectMutation[tables.User, model.UpdateUserInput]{
		mutationOf(permission.UpdateUser, userPayload), userPayload, writeUser,
		func(in *model.UpdateUserInput) string { return named(in.Username) },
	}
	mutationDeleteUser = deletes(permission.DeleteUser, loaders.Users,
		func(in *model.DeleteUserInput) string { return named(in.Username) },
		func(ctx context.Context, w *writers.Writers, username string, _ *model.DeleteUserInput) error {
			return w.DeleteUser(ctx, username)
		})
	mutationFollow = relatesViewer(permission.Follow, (*writers.Writers).Relate, tables.Follows, loaders.Users,
		func(in *model.FollowInput) string { return named(in.Username) })
	mutationUnfollow = relatesViewer(permission.Unfollow, (*writers.Writers).Unrelate, tables.Follows, loaders.Users,
		func(in *model.UnfollowInput) string { return named(in.Username) })

	createUserPayloadUserEdge = edgeOfScan(queryUsers.scan, userEdges,
		keyIn(usernames, func(p *model.CreateUserPayload) *tables.User { return p.User }))
	followedUser              = keyIn(usernames, func(p *model.FollowPayload) *tables.User { return p.User })
	followPayloadUserEdge     = edgeOfRelation(userFollowing, userEdges, tables.Follows, viewerKey, followedUser)
	followPayloadFollowerEdge = edgeOfRelation(userFollowers, userEdges, tables.Follows, viewerKey, followedUser)
	followPayloadViewer       = payloadViewer[model.FollowPayload]{}
	unfollowPayloadViewer     = payloadViewer[model.UnfollowPayload]{}

	queryUser  = lookup[tables.User]{loaders.Users, "username"}
	queryUsers = search[tables.User, model.UserConnection]{
		scan[tables.User, model.UserConnection]{loaders.Users, userConnection[struct{}](nil)},
	}

	userEmail     = ownEmail{}
	userFollowers = connectionOf(
		usernames, loaders.Followers, loaders.Users, followed, userConnection(followedAt))
	userFollowing = connectionOf(
		usernames, loaders.Following, loaders.Users, followed, userConnection(followedAt))
	userIsFollowing   = isRelated("username", loaders.Users, tables.Follows)
	userViewerFollows = viewerIsRelated(usernames, tables.Follows)
	userTwits         = postedTwitsOf(loaders.Twits, visibleCount{"twitCount", twitCounts})
	userTwitCount     = visibleTwitCount{}
	userAlbum         = postedTwitsOf(loaders.Albums, visibleCount{"albumCount", albumCounts})
	userTimeline      = timelineConnection{filteredConnection[tables.User, tables.Twit, model.TwitConnection]{
		list: loaders.Timelines.Kind(), source: timelineSource{}, as: twitConnection[struct{}](nil), unsplit: true,
	}}
	userRoles = connectionOf(
		usernames, loaders.UserRoles, loaders.Roles, self, roleConnection[string](nil))
	userHasRole = isRelated("code", loaders.Roles, tables.Assignments)
	userGames   = connectionOf(
		usernames, loaders.UserGames, loaders.Games, played, gameConnection(playedOften))
	userHasPlayed = relationField[tables.User, loaders.Play]{
		usernames, "code", tables.CheckCode, loaders.Games.Exists, loaders.HasPlayed, playOf,
	}
)

var userPayload = payloadObject[tables.User]{loaders.Users}

func self(key string) string { return key }

func followed(f tables.Follow) string { return f.Username }

func followedAt(edge *model.UserEdge, f tables.Follow) {
	if !f.At.Equal(tables.UnknownTime) {
		edge.FollowedAt = &f.At
	}
}

func played(g tables.UserGame) string { return g.Code }

func playedOften(edge *model.GameEdge, g tables.UserGame) { edge.Day, edge.Count = &g.Day, &g.Count }

func playOf(username, game string) loaders.Play { return loaders.Play{Username: username, Game: game} }

func writeNewUser(ctx context.Context, w *writers.Writers, viewer string, in *model.CreateUserInput) (string, error) {
	return w.CreateUser(ctx, viewer, writers.NewUser{
		Username: in.Username, Name: in.Name, Email: in.Email.Value(), Age: in.Age.Value(), AvatarURL: in.AvatarURL.Value(),
		Bio: in.Bio.Value(),
	}, in.IdempotencyKey.Value())
}

func writeUser(ctx context.Context, w *writers.Writers, _ string, in *model.UpdateUserInput) (string, error) {
	return w.UpdateUser(ctx, writers.UserChange{
		Username: named(in.Username), Name: given(in.Name), Email: given(in.Email), Age: given(in.Age),
		AvatarURL: given(in.AvatarURL), Bio: given(in.Bio), ExpectedVersion: in.ExpectedVersion.Value(),
	})
}

func given[T any](value graphql.Omittable[*T]) writers.Change[T] {
	v, given := value.ValueOK()
	return writers.Change[T]{Given: given, Value: v}
}

type ownEmail struct{}

func (ownEmail) resolve(ctx context.Context, users []*tables.User) ([]*string, error) {
	own, err := allowedByOwner(ctx, permission.SeeEmail, usernames(users))
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
