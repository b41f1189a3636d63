package resolvers

import (
	"context"

	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

var roleFields = fields{
	"Mutation.createRole": createRole,
	"Mutation.updateRole": updateRole,
	"Mutation.deleteRole": deleteRole,
	"Mutation.assignRole": assignRole,
	"Mutation.revokeRole": revokeRole,
	"Query.role":          role,
	"Query.roles":         roles,
	"Role.department":     roleDepartment,
	"Role.users":          roleUsers,
}

var (
	createRole     = changes(permission.CreateRole, rolePayload)
	updateRole     = changes(permission.UpdateRole, rolePayload)
	deleteRole     = changes(permission.DeleteRole, rolePayload)
	assignRole     = relates(permission.AssignRole, rolePayload, userPayload)
	revokeRole     = relates(permission.RevokeRole, rolePayload, userPayload)
	role           = lookup[tables.Role]{loaders.Roles, "code", tables.CheckCode}
	roles          = scanOf(relay.AllRoles, loaders.Roles, roleConnection[struct{}])
	roleUsers      = connectionOf(relay.RoleUsers, loaders.RoleUsers, loaders.Users, self, userConnection[string](nil))
	roleDepartment = reference[tables.Role, tables.Department]{
		loaders.Departments, true, func(r *tables.Role) *string { return r.DepartmentCode },
	}
)

// Role is the resolver for the role field.
func (r *queryResolver) Role(ctx context.Context, code string) (*tables.Role, error) {
	return role.resolve(ctx, code)
}

// Roles is the resolver for the roles field.
func (r *queryResolver) Roles(ctx context.Context, first *int, after *string, last *int, before *string) (*model.RoleConnection, error) {
	return roles.resolve(ctx, pageArgs{first, after, last, before})
}

// CreateRole is the resolver for the createRole field.
func (r *mutationResolver) CreateRole(ctx context.Context, input model.CreateRoleInput) (*model.CreateRolePayload, error) {
	c, err := create(ctx, createRole, r.Writers.CreateRole, writers.NewRole{
		Code: input.Code, Name: input.Name.Value(), Department: input.Department.Value(),
		IdempotencyKey: input.IdempotencyKey.Value(),
	})
	return &model.CreateRolePayload{Role: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value()}, err
}

// UpdateRole is the resolver for the updateRole field.
func (r *mutationResolver) UpdateRole(ctx context.Context, input model.UpdateRoleInput) (*model.UpdateRolePayload, error) {
	c, err := update(ctx, updateRole, permission.About{}, r.Writers.UpdateRole, writers.RoleChange{
		Code: input.Code, Name: given(input.Name), Department: given(input.Department),
		ExpectedVersion: input.ExpectedVersion.Value(),
	})
	return &model.UpdateRolePayload{Role: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value()}, err
}

// DeleteRole is the resolver for the deleteRole field.
func (r *mutationResolver) DeleteRole(ctx context.Context, input model.DeleteRoleInput) (*model.DeleteRolePayload, error) {
	c, err := deleteRole.delete(ctx, permission.About{}, input.Code, r.Writers.DeleteRole)
	return &model.DeleteRolePayload{
		Role: c.object, DeletedID: c.deletedID, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value(),
	}, err
}

// AssignRole is the resolver for the assignRole field.
func (r *mutationResolver) AssignRole(ctx context.Context, input model.AssignRoleInput) (*model.AssignRolePayload, error) {
	c, user, err := assignRole.relate(ctx, r.Writers.AssignRole, input.Username, input.Role)
	return &model.AssignRolePayload{
		User: user, Role: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value(),
	}, err
}

// RevokeRole is the resolver for the revokeRole field.
func (r *mutationResolver) RevokeRole(ctx context.Context, input model.RevokeRoleInput) (*model.RevokeRolePayload, error) {
	c, user, err := revokeRole.relate(ctx, r.Writers.RevokeRole, input.Username, input.Role)
	return &model.RevokeRolePayload{
		User: user, Role: c.object, UserErrors: c.userErrors, ClientMutationID: input.ClientMutationID.Value(),
	}, err
}

// Department is the batch resolver for the department field.
func (r *roleResolver) Department(ctx context.Context, objs []*tables.Role) ([]*tables.Department, error) {
	return roleDepartment.resolve(ctx, objs)
}

// Users is the batch resolver for the users field.
func (r *roleResolver) Users(
	ctx context.Context, objs []*tables.Role, first *int, after *string, last *int, before *string,
) ([]*model.UserConnection, error) {
	codes := keysOf(objs, func(r *tables.Role) string { return r.Code })
	return roleUsers.resolve(ctx, codes, pageArgs{first, after, last, before})
}

func roleConnection[E any](p *page[E, tables.Role]) model.RoleConnection {
	return model.RoleConnection{Nodes: p.all(), PageInfo: p.info, TotalCount: p.total, Edges: edges(p, func(e *model.RoleEdge, i int) {
		e.Cursor, e.Node = p.cursor(i), p.nodes[i]
	})}
}

// Role returns exec.RoleResolver implementation.
func (r *Resolver) Role() exec.RoleResolver { return &roleResolver{r} }

type roleResolver struct{ *Resolver }
