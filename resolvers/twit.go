package resolvers

import (
	"context"
	"fmt"

	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/hbase/tables"
)

// Twit is the resolver for the twit field.
func (r *queryResolver) Twit(ctx context.Context, id tables.ID) (*tables.Twit, error) {
	panic(fmt.Errorf("not implemented: Twit - twit"))
}

// Author is the batch resolver for the author field.
func (r *twitResolver) Author(ctx context.Context, objs []*tables.Twit) ([]*tables.User, error) {
	panic(fmt.Errorf("not implemented: Author - author"))
}

// Comments is the batch resolver for the comments field.
func (r *twitResolver) Comments(ctx context.Context, objs []*tables.Twit, first *int, after *string, last *int, before *string) ([]*model.CommentConnection, error) {
	panic(fmt.Errorf("not implemented: Comments - comments"))
}

// CommentCount is the batch resolver for the commentCount field.
func (r *twitResolver) CommentCount(ctx context.Context, objs []*tables.Twit) ([]*int, error) {
	panic(fmt.Errorf("not implemented: CommentCount - commentCount"))
}

// Twit returns exec.TwitResolver implementation.
func (r *Resolver) Twit() exec.TwitResolver { return &twitResolver{r} }

type twitResolver struct{ *Resolver }
