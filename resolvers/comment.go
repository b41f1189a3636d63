package resolvers

import (
	"context"
	"fmt"

	"twibase/graph/exec"
	"twibase/hbase/tables"
)

// Twit is the batch resolver for the twit field.
func (r *commentResolver) Twit(ctx context.Context, objs []*tables.Comment) ([]*tables.Twit, error) {
	panic(fmt.Errorf("not implemented: Twit - twit"))
}

// Author is the batch resolver for the author field.
func (r *commentResolver) Author(ctx context.Context, objs []*tables.Comment) ([]*tables.User, error) {
	panic(fmt.Errorf("not implemented: Author - author"))
}

// Comment returns exec.CommentResolver implementation.
func (r *Resolver) Comment() exec.CommentResolver { return &commentResolver{r} }

type commentResolver struct{ *Resolver }
