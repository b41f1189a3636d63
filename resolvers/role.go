package resolvers

import (
	"context"
	"fmt"

	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/hbase/tables"
)

// Role is the resolver for the role field.
func (r *queryResolver) Role(ctx context.Context, code string) (*tables.Role, error) {
	panic(fmt.Errorf("not implemented: Role - role"))
}

// Roles is the resolver for the roles field.
func (r *queryResolver) Roles(ctx context.Context, first *int, after *string, last *int, before *string) (*model.RoleConnection, error) {
	panic(fmt.Errorf("not implemented: Roles - roles"))
}

// Department is the batch resolver for the department field.
func (r *roleResolver) Department(ctx context.Context, objs []*tables.Role) ([]*tables.Department, error) {
	panic(fmt.Errorf("not implemented: Department - department"))
}

// Users is the batch resolver for the users field.
func (r *roleResolver) Users(ctx context.Context, objs []*tables.Role, first *int, after *string, last *int, before *string) ([]*model.UserConnection, error) {
	panic(fmt.Errorf("not implemented: Users - users"))
}

// Role returns exec.RoleResolver implementation.
func (r *Resolver) Role() exec.RoleResolver { return &roleResolver{r} }

type roleResolver struct{ *Resolver }
