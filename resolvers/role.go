package resolvers

import (
	"context"

	"twibase/graph/exec"
	"twibase/graph/model"
	"twibase/graph/relay"
	"twibase/hbase/tables"
	"twibase/loaders"
)

var roleCosts = costs{
	"Mutation.createRole": changeCost(show(loaders.Roles, "CreateRolePayload", "role", "Role")),
	"Mutation.updateRole": changeCost(show(loaders.Roles, "UpdateRolePayload", "role", "Role")),
	"Mutation.deleteRole": changeCost(show(loaders.Roles, "DeleteRolePayload", "role", "Role")),
	"Mutation.assignRole": changeCost(show(loaders.Roles, "AssignRolePayload", "role", "Role"), show(loaders.Users, "AssignRolePayload", "user", "User")),
	"Mutation.revokeRole": changeCost(show(loaders.Roles, "RevokeRolePayload", "role", "Role"), show(loaders.Users, "RevokeRolePayload", "user", "User")),
	"Query.role":          rootCost(loaders.Roles, "Role", "code", tables.CheckCode),
	"Query.roles":         scanCost(relay.AllRoles, "Role", loaders.Roles),
	"Role.department":     optionalCost(loaders.Departments, "Department"),
	"Role.users":          roleUsers.cost,
}

var roleUsers = edge[string, tables.User]{relay.RoleUsers, "User", loaders.RoleUsers, loaders.Users, self}

// Role is the resolver for the role field.
func (r *queryResolver) Role(ctx context.Context, code string) (*tables.Role, error) {
	return rootObject(ctx, loaders.Roles, "Role", code, tables.CheckCode)
}

// Roles is the resolver for the roles field.
func (r *queryResolver) Roles(ctx context.Context, first *int, after *string, last *int, before *string) (*model.RoleConnection, error) {
	page, err := scanned(ctx, relay.AllRoles, "Role", loaders.Roles, pageArgs{first, after, last, before})
	if err != nil {
		return nil, err
	}
	return new(roleConnection(page)), nil
}

// Department is the batch resolver for the department field.
func (r *roleResolver) Department(ctx context.Context, objs []*tables.Role) ([]*tables.Department, error) {
	loaders.Settle(ctx)
	codes := make([]*string, len(objs))
	for i, role := range objs {
		if role != nil {
			codes[i] = role.DepartmentCode
		}
	}
	return optional(ctx, codes, selected(ctx, "Department").names(), loaders.Departments.Named)
}

// Users is the batch resolver for the users field.
func (r *roleResolver) Users(ctx context.Context, objs []*tables.Role, first *int, after *string, last *int, before *string) ([]*model.UserConnection, error) {
	codes := keysOf(objs, func(r *tables.Role) string { return r.Code })
	pages, err := roleUsers.pages(ctx, codes, pageArgs{first, after, last, before})
	return convert(pages, err, func(p *entries[string, tables.User]) model.UserConnection { return userConnection(p, nil) })
}

func roleConnection[E any](p *entries[E, tables.Role]) model.RoleConnection {
	return model.RoleConnection{Nodes: p.all(), PageInfo: p.info, TotalCount: p.total, Edges: edges(p, func(e *model.RoleEdge, i int) {
		e.Cursor, e.Node = p.cursor(i), p.nodes[i]
	})}
}

// optional answers the objects that columns name, nil where a column names none.
func optional[T any](ctx context.Context, keys []*string, fields []string, read func(ctx context.Context, keys, fields []string) ([]*T, error)) ([]*T, error) {
	var asked []string
	var at []int
	for i, key := range keys {
		if key != nil {
			asked, at = append(asked, *key), append(at, i)
		}
	}
	found, err := read(ctx, asked, fields)
	all, errs := make([]*T, len(keys)), make(loaders.Errors, len(keys))
	for j, i := range at {
		all[i], errs[i] = found[j], loaders.At(err, j)
	}
	return all, loaders.Join(len(keys), errs)
}

// Role returns exec.RoleResolver implementation.
func (r *Resolver) Role() exec.RoleResolver { return &roleResolver{r} }

type roleResolver struct{ *Resolver }
