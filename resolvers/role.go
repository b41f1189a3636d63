package resolvers

import (
	"context"

	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

var (
	mutationCreateRole = changes(permission.CreateRole, loaders.Roles)
	mutationUpdateRole = changes(permission.UpdateRole, loaders.Roles)
	mutationDeleteRole = changes(permission.DeleteRole, loaders.Roles)
	mutationAssignRole = changes(permission.AssignRole, loaders.Roles, userPayload)
	mutationRevokeRole = changes(permission.RevokeRole, loaders.Roles, userPayload)

	queryRole  = lookup[tables.Role]{loaders.Roles, "code"}
	queryRoles = scanOf(relay.AllRoles, loaders.Roles, roleConnection[struct{}](nil))

	roleUsers = connectionOf(
		roleCodes, relay.RoleUsers, loaders.RoleUsers, loaders.Users, self, userConnection[string](nil))
	roleDepartment = reference[tables.Role, tables.Department]{
		loaders.Departments, true, func(r *tables.Role) *string { return r.DepartmentCode },
	}
)

// CreateRole is the resolver for the createRole field.
func (r *mutationResolver) CreateRole(ctx context.Context, input model.CreateRoleInput) (*model.CreateRolePayload, error) {
	c, err := mutationCreateRole.write(ctx, permission.About{}, func(ctx context.Context, viewer string) (string, error) {
		return r.Writers.CreateRole(ctx, viewer, writers.NewRole{
			Code: input.Code, Name: input.Name.Value(), Department: input.Department.Value(),
			IdempotencyKey: input.IdempotencyKey.Value(),
		})
	})
	return &model.CreateRolePayload{Role: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value()}, err
}

// UpdateRole is the resolver for the updateRole field.
func (r *mutationResolver) UpdateRole(ctx context.Context, input model.UpdateRoleInput) (*model.UpdateRolePayload, error) {
	c, err := mutationUpdateRole.write(ctx, permission.About{}, func(ctx context.Context, _ string) (string, error) {
		return r.Writers.UpdateRole(ctx, writers.RoleChange{
			Code: input.Code, Name: given(input.Name), Department: given(input.Department),
			ExpectedVersion: input.ExpectedVersion.Value(),
		})
	})
	return &model.UpdateRolePayload{Role: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value()}, err
}

// DeleteRole is the resolver for the deleteRole field.
func (r *mutationResolver) DeleteRole(ctx context.Context, input model.DeleteRoleInput) (*model.DeleteRolePayload, error) {
	c, err := mutationDeleteRole.delete(ctx, permission.About{}, input.Code, r.Writers.DeleteRole)
	return &model.DeleteRolePayload{
		Role: c.object, DeletedID: c.deletedID, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value(),
	}, err
}

// AssignRole is the resolver for the assignRole field.
func (r *mutationResolver) AssignRole(ctx context.Context, input model.AssignRoleInput) (*model.AssignRolePayload, error) {
	c, err := mutationAssignRole.relate(ctx, r.Writers.Relate, tables.Assignments, input.Username, input.Role)
	user, err := userPayload.read(ctx, input.Username, c.userErrors, err)
	return &model.AssignRolePayload{
		User: user, Role: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value(),
	}, err
}

// RevokeRole is the resolver for the revokeRole field.
func (r *mutationResolver) RevokeRole(ctx context.Context, input model.RevokeRoleInput) (*model.RevokeRolePayload, error) {
	c, err := mutationRevokeRole.relate(ctx, r.Writers.Unrelate, tables.Assignments, input.Username, input.Role)
	user, err := userPayload.read(ctx, input.Username, c.userErrors, err)
	return &model.RevokeRolePayload{
		User: user, Role: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value(),
	}, err
}

func roleCodes(roles []*tables.Role) []string {
	return keysOf(roles, func(r *tables.Role) string { return r.Code })
}
