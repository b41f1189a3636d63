package resolvers

import (
	"context"

	"golang.org/x/text/unicode/norm"

	"twibase/graph/model"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

// CreateRole is the resolver for the createRole field.
func (r *mutationResolver) CreateRole(ctx context.Context, input model.CreateRoleInput) (*model.CreateRolePayload, error) {
	viewer, may, err := permit(ctx, permission.CreateRole, permission.About{})
	if err != nil {
		return nil, err
	}
	role := writers.NewRole{Code: input.Code, Name: input.Name.Value(), Department: input.Department.Value(), IdempotencyKey: input.IdempotencyKey.Value()}
	errs, made, err := written(ctx, may, loaders.Roles, "CreateRolePayload", "role", "Role", func(ctx context.Context) (string, error) {
		return r.Writers.CreateRole(ctx, viewer.Username, role)
	})
	if err != nil {
		return nil, err
	}
	return &model.CreateRolePayload{Role: made, UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}, nil
}

// UpdateRole is the resolver for the updateRole field.
func (r *mutationResolver) UpdateRole(ctx context.Context, input model.UpdateRoleInput) (*model.UpdateRolePayload, error) {
	_, may, err := permit(ctx, permission.UpdateRole, permission.About{})
	if err != nil {
		return nil, err
	}
	change := writers.RoleChange{Code: input.Code, Name: given(input.Name), Department: given(input.Department), ExpectedVersion: input.ExpectedVersion.Value()}
	errs, role, err := written(ctx, may, loaders.Roles, "UpdateRolePayload", "role", "Role", func(ctx context.Context) (string, error) { return r.Writers.UpdateRole(ctx, change) })
	if err != nil {
		return nil, err
	}
	return &model.UpdateRolePayload{Role: role, UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}, nil
}

// DeleteRole is the resolver for the deleteRole field.
func (r *mutationResolver) DeleteRole(ctx context.Context, input model.DeleteRoleInput) (*model.DeleteRolePayload, error) {
	_, may, err := permit(ctx, permission.DeleteRole, permission.About{})
	if err != nil {
		return nil, err
	}
	errs, role, id, err := removed(ctx, may, loaders.Roles, "DeleteRolePayload", "role", "Role", tables.ID{Noun: tables.NounRole, Key: input.Code}, func(ctx context.Context) error { return r.Writers.DeleteRole(ctx, input.Code) })
	if err != nil {
		return nil, err
	}
	return &model.DeleteRolePayload{Role: role, DeletedID: id, UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}, nil
}

// AssignRole is the resolver for the assignRole field.
func (r *mutationResolver) AssignRole(ctx context.Context, input model.AssignRoleInput) (*model.AssignRolePayload, error) {
	errs, user, role, err := r.assign(ctx, permission.AssignRole, r.Writers.AssignRole, "AssignRolePayload", input.Username, input.Role)
	if err != nil {
		return nil, err
	}
	return &model.AssignRolePayload{User: user, Role: role, UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}, nil
}

// RevokeRole is the resolver for the revokeRole field.
func (r *mutationResolver) RevokeRole(ctx context.Context, input model.RevokeRoleInput) (*model.RevokeRolePayload, error) {
	errs, user, role, err := r.assign(ctx, permission.RevokeRole, r.Writers.RevokeRole, "RevokeRolePayload", input.Username, input.Role)
	if err != nil {
		return nil, err
	}
	return &model.RevokeRolePayload{User: user, Role: role, UserErrors: errs, ClientMutationID: input.ClientMutationID.Value()}, nil
}

// assign changes whether a user has a role.
func (r *mutationResolver) assign(ctx context.Context, action permission.Action, write func(ctx context.Context, username, role string) error, payload, username, role string) (
	[]*model.UserError, *tables.User, *tables.Role, error) {
	_, may, err := permit(ctx, action, permission.About{})
	if err != nil {
		return nil, nil, nil, err
	}
	errs, err := change(ctx, may, func(ctx context.Context) error { return write(ctx, username, role) })
	if err != nil || len(errs) > 0 {
		return errs, nil, nil, err
	}
	holder, err := changed(ctx, loaders.Users, payload, "user", "User", norm.NFC.String(username))
	if err != nil {
		return nil, nil, nil, err
	}
	held, err := changed(ctx, loaders.Roles, payload, "role", "Role", norm.NFC.String(role))
	return errs, holder, held, err
}
