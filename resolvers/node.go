package resolvers

import (
	"context"
	"fmt"

	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/hbase/tables"
)

// Node is the resolver for the node field.
func (r *queryResolver) Node(ctx context.Context, id tables.ID) (model.Node, error) {
	panic(fmt.Errorf("not implemented: Node - node"))
}

// Nodes is the resolver for the nodes field.
func (r *queryResolver) Nodes(ctx context.Context, ids []*tables.ID) ([]model.Node, error) {
	panic(fmt.Errorf("not implemented: Nodes - nodes"))
}

// Viewer is the resolver for the viewer field.
func (r *queryResolver) Viewer(ctx context.Context) (*tables.User, error) {
	panic(fmt.Errorf("not implemented: Viewer - viewer"))
}

// Query returns exec.QueryResolver implementation.
func (r *Resolver) Query() exec.QueryResolver { return &queryResolver{r} }

type queryResolver struct{ *Resolver }
