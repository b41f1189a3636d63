package resolvers

import (
	"context"

	"twibase/graph/model"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers/permission"
	"twibase/writers"
)

var (
	mutationCreateRole = changes(permission.CreateRole, loaders.Roles, writeNewRole)
	mutationUpdateRole = changes(permission.UpdateRole, loaders.Roles, writeRole)
	mutationDeleteRole = deletes(permission.DeleteRole, loaders.Roles,
		func(in *model.DeleteRoleInput) string { return named(in.Code) },
		func(ctx context.Context, w *writers.Writers, code string, _ *model.DeleteRoleInput) error {
			return w.DeleteRole(ctx, code)
		})
	mutationAssignRole = relates(permission.AssignRole, (*writers.Writers).Relate, tables.Assignments,
		loaders.Users, func(in *model.AssignRoleInput) string { return named(in.Username) },
		loaders.Roles, func(in *model.AssignRoleInput) string { return named(in.Role) })
	mutationRevokeRole = relates(permission.RevokeRole, (*writers.Writers).Unrelate, tables.Assignments,
		loaders.Users, func(in *model.RevokeRoleInput) string { return named(in.Username) },
		loaders.Roles, func(in *model.RevokeRoleInput) string { return named(in.Role) })

	createRolePayloadRoleEdge = edgeOfScan(queryRoles, roleEdges,
		keyIn(roleCodes, func(p *model.CreateRolePayload) *tables.Role { return p.Role }))
	assignedUser              = keyIn(usernames, func(p *model.AssignRolePayload) *tables.User { return p.User })
	assignedRole              = keyIn(roleCodes, func(p *model.AssignRolePayload) *tables.Role { return p.Role })
	assignRolePayloadRoleEdge = edgeOfRelation(userRoles, roleEdges, tables.Assignments, assignedUser, assignedRole)
	assignRolePayloadUserEdge = edgeOfRelation(roleUsers, userEdges, tables.Assignments, assignedUser, assignedRole)

	queryRole  = lookup[tables.Role]{loaders.Roles, "code"}
	queryRoles = scan[tables.Role, model.RoleConnection]{loaders.Roles, roleConnection[struct{}](nil)}

	roleUsers = connectionOf(
		roleCodes, loaders.RoleUsers, loaders.Users, self, userConnection[string](nil))
	roleDepartment = reference[tables.Role, tables.Department]{
		loaders.Departments, true, func(r *tables.Role) *string { return r.DepartmentCode },
	}
)

func writeNewRole(ctx context.Context, w *writers.Writers, viewer string, in *model.CreateRoleInput) (string, error) {
	return w.CreateRole(ctx, viewer, writers.NewRole{
		Code: in.Code, Name: in.Name.Value(), Department: in.Department.Value(), IdempotencyKey: in.IdempotencyKey.Value(),
	})
}

func writeRole(ctx context.Context, w *writers.Writers, _ string, in *model.UpdateRoleInput) (string, error) {
	return w.UpdateRole(ctx, writers.RoleChange{
		Code: named(in.Code), Name: given(in.Name), Department: given(in.Department),
		ExpectedVersion: in.ExpectedVersion.Value(),
	})
}

func roleCodes(roles []*tables.Role) []string {
	return keysOf(roles, func(r *tables.Role) string { return r.Code })
}
