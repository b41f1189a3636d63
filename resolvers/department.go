package resolvers

import (
	"context"
	"fmt"

	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/hbase/tables"
)

// Parent is the batch resolver for the parent field.
func (r *departmentResolver) Parent(ctx context.Context, objs []*tables.Department) ([]*tables.Department, error) {
	panic(fmt.Errorf("not implemented: Parent - parent"))
}

// Ancestors is the batch resolver for the ancestors field.
func (r *departmentResolver) Ancestors(ctx context.Context, objs []*tables.Department) ([][]*tables.Department, error) {
	panic(fmt.Errorf("not implemented: Ancestors - ancestors"))
}

// SubDepartments is the batch resolver for the subDepartments field.
func (r *departmentResolver) SubDepartments(ctx context.Context, objs []*tables.Department, first *int, after *string, last *int, before *string) ([]*model.DepartmentConnection, error) {
	panic(fmt.Errorf("not implemented: SubDepartments - subDepartments"))
}

// Descendants is the batch resolver for the descendants field.
func (r *departmentResolver) Descendants(ctx context.Context, objs []*tables.Department, maxDepth *int, first *int, after *string, last *int, before *string) ([]*model.DepartmentConnection, error) {
	panic(fmt.Errorf("not implemented: Descendants - descendants"))
}

// Roles is the batch resolver for the roles field.
func (r *departmentResolver) Roles(ctx context.Context, objs []*tables.Department, first *int, after *string, last *int, before *string) ([]*model.RoleConnection, error) {
	panic(fmt.Errorf("not implemented: Roles - roles"))
}

// Department is the resolver for the department field.
func (r *queryResolver) Department(ctx context.Context, code string) (*tables.Department, error) {
	panic(fmt.Errorf("not implemented: Department - department"))
}

// TopDepartments is the resolver for the topDepartments field.
func (r *queryResolver) TopDepartments(ctx context.Context, first *int, after *string, last *int, before *string) (*model.DepartmentConnection, error) {
	panic(fmt.Errorf("not implemented: TopDepartments - topDepartments"))
}

// Department returns exec.DepartmentResolver implementation.
func (r *Resolver) Department() exec.DepartmentResolver { return &departmentResolver{r} }

type departmentResolver struct{ *Resolver }
