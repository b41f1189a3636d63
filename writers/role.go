package writers

import (
	"cmp"
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// NewRole is the input of createRole.
type NewRole struct {
	Code           string
	Name           *string
	Department     *string
	IdempotencyKey *string
}

type createRoleArgs struct {
	NewRole
	Origin string
}

var createRole = register(opType[createRoleArgs]{
	name: "createRole", properties: properties{recordsCompletion: true},
	row:   func(a createRoleArgs) hbase.Get { return tables.Roles.Get(a.Code, originColumns) },
	reads: func(a createRoleArgs) []hbase.Get { return definers(a.Department).gets() },
	check: func(a *createRoleArgs, r *reading) (decision, error) {
		d, err := commitNew(tables.Roles, a.Code, a, a.Origin, a.IdempotencyKey, r)
		if err == nil && !d.commits {
			return unchanged, nil
		}
		return d, joinUserErrors(err, definers(a.Department).check(r.cells))
	},
	effects: func(a createRoleArgs, o operation) effects { return moveRole(a.Code, nil, a.Department, o) },
})

// RoleChange is the input of updateRole.
type RoleChange struct {
	Code             string
	Name, Department Change[string]
	ExpectedVersion  *string
}

type updateRoleArgs struct {
	RoleChange
	// check sets the role's department before and after the change.
	Before, After *string
}

var updateRole = register(opType[updateRoleArgs]{
	name: "updateRole", properties: properties{recordsCompletion: true, nonIdempotent: true},
	row:   func(a updateRoleArgs) hbase.Get { return tables.Roles.Writable(a.Code) },
	reads: func(a updateRoleArgs) []hbase.Get { return definers(a.Department.Value).gets() },
	check: func(a *updateRoleArgs, r *reading) (decision, error) {
		role, err := existing(tables.Roles, a.Code, r.row, "code")
		if err := joinUserErrors(err, definers(a.Department.Value).check(r.cells)); err != nil {
			return unchanged, err
		}
		if err := checkVersion(a.ExpectedVersion, *role.Version); err != nil {
			return unchanged, err
		}
		a.Before, a.After = role.DepartmentCode, role.DepartmentCode
		if a.Department.Given {
			a.After = a.Department.Value
		}
		return commitChanges(tables.Roles, role, a, r), nil
	},
	effects: func(a updateRoleArgs, o operation) effects { return moveRole(a.Code, a.Before, a.After, o) },
})

type undefineRoleArgs struct{ Role, Department string }

var _ = register(opType[undefineRoleArgs]{
	name: "undefineRole",
	row:  func(a undefineRoleArgs) hbase.Get { return tables.Roles.Writable(a.Role) },
	check: func(a *undefineRoleArgs, r *reading) (decision, error) {
		role, err := tables.Roles.Decode(a.Role, r.row)
		if err != nil || role == nil || role.DepartmentCode == nil || *role.DepartmentCode != a.Department {
			return unchanged, err
		}
		// The department must be read after the role: see relate.go.
		if missing, err := definers(&a.Department).missing(r); err != nil || !missing {
			return unchanged, err
		}
		return commit(tables.Without("department", r.at), versionCell(r.operation)), nil
	},
	effects: func(a undefineRoleArgs, o operation) effects { return moveRole(a.Role, &a.Department, nil, o) },
})

func undefineRolesOf(department string) effect {
	return eachMember(tables.DepartmentRoles, department, func(role string) effect {
		return nested{"undefineRole", &undefineRoleArgs{role, department}}
	})
}

type deleteRoleArgs struct {
	Code       string
	Department *string
}

var deleteRole = register(opType[deleteRoleArgs]{
	name: "deleteRole", properties: properties{nonIdempotent: true},
	row: func(a deleteRoleArgs) hbase.Get { return tables.Roles.Writable(a.Code) },
	check: func(a *deleteRoleArgs, r *reading) (decision, error) {
		role, err := existing(tables.Roles, a.Code, r.row, "code")
		if err != nil {
			return unchanged, err
		}
		a.Department = role.DepartmentCode
		return commit(tables.Roles.Removal(r.at)...), nil
	},
	effects: func(a deleteRoleArgs, o operation) effects {
		p := moveRole(a.Code, a.Department, nil, o)
		p.later = clearAll(&tables.Roles.AnyObject, a.Code)
		return p
	},
})

func definers(department *string) references {
	if department == nil {
		return nil
	}
	return references{ref(tables.Departments, *department, "department")}
}

func moveRole(role string, from, to *string, o operation) effects {
	if from == to || from != nil && to != nil && *from == *to {
		return effects{}
	}
	var lists stage
	if from != nil {
		lists = leave(tables.DepartmentRoles, *from, role, o.at)
	}
	if to == nil {
		return effects{now: []stage{lists}}
	}
	return effects{now: []stage{
		append(lists, join(tables.DepartmentRoles, *to, role, o.at)...),
		{compensation{definers(to), nested{"undefineRole", &undefineRoleArgs{role, *to}}}},
	}}
}

// CreateRole returns the code.
func (w *Writers) CreateRole(ctx context.Context, caller string, role NewRole) (string, error) {
	var in input
	role.Code = in.code("code", role.Code)
	checkAttributes(&in, tables.Roles, &role)
	role.Name = cmp.Or(role.Name, &role.Code)
	role.IdempotencyKey = in.idempotencyKey(role.IdempotencyKey)
	return role.Code, execute(ctx, w, &in, createRole, &createRoleArgs{role, w.origin(caller, role.IdempotencyKey)})
}

// UpdateRole returns the code.
func (w *Writers) UpdateRole(ctx context.Context, c RoleChange) (string, error) {
	var in input
	c.Code = in.code("code", c.Code)
	checkAttributes(&in, tables.Roles, &c)
	return c.Code, execute(ctx, w, &in, updateRole, &updateRoleArgs{RoleChange: c})
}

// DeleteRole returns NOT_FOUND for a missing role.
func (w *Writers) DeleteRole(ctx context.Context, code string) error {
	var in input
	return execute(ctx, w, &in, deleteRole, &deleteRoleArgs{Code: in.code("code", code)})
}
