package resolvers

import (
	"context"
	"fmt"

	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/hbase/tables"
)

// User is the resolver for the user field.
func (r *queryResolver) User(ctx context.Context, username string) (*tables.User, error) {
	panic(fmt.Errorf("not implemented: User - user"))
}

// Users is the resolver for the users field.
func (r *queryResolver) Users(ctx context.Context, first *int, after *string, last *int, before *string) (*model.UserConnection, error) {
	panic(fmt.Errorf("not implemented: Users - users"))
}

// Email is the batch resolver for the email field.
func (r *userResolver) Email(ctx context.Context, objs []*tables.User) ([]*string, error) {
	panic(fmt.Errorf("not implemented: Email - email"))
}

// Followers is the batch resolver for the followers field.
func (r *userResolver) Followers(ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string) ([]*model.UserConnection, error) {
	panic(fmt.Errorf("not implemented: Followers - followers"))
}

// Following is the batch resolver for the following field.
func (r *userResolver) Following(ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string) ([]*model.UserConnection, error) {
	panic(fmt.Errorf("not implemented: Following - following"))
}

// IsFollowing is the batch resolver for the isFollowing field.
func (r *userResolver) IsFollowing(ctx context.Context, objs []*tables.User, username string) ([]*bool, error) {
	panic(fmt.Errorf("not implemented: IsFollowing - isFollowing"))
}

// ViewerFollows is the batch resolver for the viewerFollows field.
func (r *userResolver) ViewerFollows(ctx context.Context, objs []*tables.User) ([]*bool, error) {
	panic(fmt.Errorf("not implemented: ViewerFollows - viewerFollows"))
}

// Twits is the batch resolver for the twits field.
func (r *userResolver) Twits(ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string) ([]*model.TwitConnection, error) {
	panic(fmt.Errorf("not implemented: Twits - twits"))
}

// TwitCount is the batch resolver for the twitCount field.
func (r *userResolver) TwitCount(ctx context.Context, objs []*tables.User) ([]*int, error) {
	panic(fmt.Errorf("not implemented: TwitCount - twitCount"))
}

// Album is the batch resolver for the album field.
func (r *userResolver) Album(ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string) ([]*model.TwitConnection, error) {
	panic(fmt.Errorf("not implemented: Album - album"))
}

// Timeline is the batch resolver for the timeline field.
func (r *userResolver) Timeline(ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string) ([]*model.TwitConnection, error) {
	panic(fmt.Errorf("not implemented: Timeline - timeline"))
}

// Roles is the batch resolver for the roles field.
func (r *userResolver) Roles(ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string) ([]*model.RoleConnection, error) {
	panic(fmt.Errorf("not implemented: Roles - roles"))
}

// HasRole is the batch resolver for the hasRole field.
func (r *userResolver) HasRole(ctx context.Context, objs []*tables.User, code string) ([]*bool, error) {
	panic(fmt.Errorf("not implemented: HasRole - hasRole"))
}

// Games is the batch resolver for the games field.
func (r *userResolver) Games(ctx context.Context, objs []*tables.User, first *int, after *string, last *int, before *string) ([]*model.GameConnection, error) {
	panic(fmt.Errorf("not implemented: Games - games"))
}

// HasPlayed is the batch resolver for the hasPlayed field.
func (r *userResolver) HasPlayed(ctx context.Context, objs []*tables.User, code string) ([]*bool, error) {
	panic(fmt.Errorf("not implemented: HasPlayed - hasPlayed"))
}

// User returns exec.UserResolver implementation.
func (r *Resolver) User() exec.UserResolver { return &userResolver{r} }

type userResolver struct{ *Resolver }
