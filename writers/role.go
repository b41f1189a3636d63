package writers

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// NewRole is what is said of a role that is to be made.
type NewRole struct {
	Code string
	// Name is the code if it is nil.
	Name *string
	// Department is the code of the one that defines the role, nil if none does.
	Department     *string
	IdempotencyKey *string
}

type createRoleArgs struct {
	NewRole
	Origin string
}

// createRole makes a role, in the list of the department that defines it.
var createRole = register(kind[createRoleArgs]{
	name: "createRole", undone: true,
	row:   func(a createRoleArgs) hbase.Get { return tables.Roles.Get(a.Code, originColumns) },
	reads: func(a createRoleArgs) []hbase.Get { return definers(a.Department).gets() },
	decide: func(a *createRoleArgs, r *reading) ([]hbase.Cell, error) {
		if err := together(free(r.row, a.Code, a.Origin, a.IdempotencyKey), definers(a.Department).check(r.cells)); err != nil {
			return nil, err
		}
		put := tables.Roles.Put(a.Code, &tables.Role{Name: a.Name, Version: &r.id, DepartmentCode: a.Department}, r.at)
		return append(put.Cells, originCell(a.Origin, r.at)), nil
	},
	plan: func(a createRoleArgs, o op) plan { return defined(a.Code, nil, a.Department, o) },
})

// RoleChange is what an update does to a role.
type RoleChange struct {
	Code             string
	Name, Department Change[string]
	// ExpectedVersion is the one that the caller saw, nil for any.
	ExpectedVersion *string
}

type updateRoleArgs struct {
	RoleChange
	// Before and After define the role: decide completes them.
	Before, After *string
}

var updateRole = register(kind[updateRoleArgs]{
	name: "updateRole", undone: true, added: true, // a second one could undo what came between
	row:   func(a updateRoleArgs) hbase.Get { return roleOf(a.Code) },
	reads: func(a updateRoleArgs) []hbase.Get { return definers(a.Department.Value).gets() },
	decide: func(a *updateRoleArgs, r *reading) ([]hbase.Cell, error) {
		role, err := existingRole(a.Code, r)
		if err := together(err, definers(a.Department.Value).check(r.cells)); err != nil {
			return nil, err
		}
		if err := unchanged(a.ExpectedVersion, *role.Version); err != nil {
			return nil, err
		}
		a.Before, a.After = role.DepartmentCode, role.DepartmentCode
		if a.Department.Given {
			a.After = a.Department.Value
		}
		var changes alter
		var new tables.Role
		to(&changes, "name", role.Name, a.Name, &new.Name)
		to(&changes, "department", role.DepartmentCode, a.Department, &new.DepartmentCode)
		return changes.cells(tables.Roles.Put(a.Code, &new, r.at), r.op)
	},
	plan: func(a updateRoleArgs, o op) plan { return defined(a.Code, a.Before, a.After, o) },
})

type undefineRoleArgs struct{ Role, Department string }

// undefineRole ends that a department defines a role, when the department is gone.
var _ = register(kind[undefineRoleArgs]{
	name: "undefineRole",
	row:  func(a undefineRoleArgs) hbase.Get { return roleOf(a.Role) },
	more: func(a undefineRoleArgs, r *reading) []hbase.Get {
		// After the role: so what a new department of that code defines is left alone.
		if len(r.cells) > 0 {
			return nil
		}
		return definers(&a.Department).rows()
	},
	decide: func(a *undefineRoleArgs, r *reading) ([]hbase.Cell, error) {
		role, err := tables.Roles.Decode(a.Role, r.row)
		if err != nil || role == nil || role.DepartmentCode == nil || *role.DepartmentCode != a.Department {
			return nil, orNothing(err)
		}
		if missing, err := definers(&a.Department).missing(r.cells); err != nil || !missing {
			return nil, orNothing(err)
		}
		return []hbase.Cell{tables.Without("department", r.at), versionCell(r.op)}, nil
	},
	plan: func(a undefineRoleArgs, o op) plan { return defined(a.Role, &a.Department, nil, o) },
})

type deleteRoleArgs struct {
	Code string
	// Department defined the role: decide completes it.
	Department *string
}

// deleteRole says that a role is gone, and then takes it from all who have it. The code may be given again when that is done.
var deleteRole = register(kind[deleteRoleArgs]{
	name: "deleteRole", added: true, // a second one could delete the next role of that code
	row: func(a deleteRoleArgs) hbase.Get { return roleOf(a.Code) },
	decide: func(a *deleteRoleArgs, r *reading) ([]hbase.Cell, error) {
		role, err := existingRole(a.Code, r)
		if err != nil {
			return nil, err
		}
		a.Department = role.DepartmentCode
		return []hbase.Cell{goneCell(r.at), tables.Without("department", r.at)}, nil
	},
	plan: func(a deleteRoleArgs, o op) plan {
		p := defined(a.Code, a.Department, nil, o)
		p.later = []stage{unrelateAll(&tables.Roles.AnyObject, a.Code)}
		return p
	},
})

// roleOf reads what there is to change of a role.
func roleOf(code string) hbase.Get {
	return tables.Roles.Get(code, tables.Roles.Columns([]string{"name", "version", "department"}))
}

func existingRole(code string, r *reading) (*tables.Role, error) {
	role, err := tables.Roles.Decode(code, r.row)
	if err == nil && role == nil {
		err = refuse(NotFound, "code", "there is no %q", code)
	}
	return role, err
}

// definers refers to the department that defines a role, if one does.
func definers(department *string) references {
	if department == nil {
		return nil
	}
	return references{ref(tables.Departments, *department, "department")}
}

// defined moves a role from the list of one department to that of another; nil is none.
func defined(role string, before, after *string, o op) (p plan) {
	if before != nil && after != nil && *before == *after {
		return p
	}
	var lists stage
	if before != nil {
		lists = append(lists, remove(tables.DepartmentRoles, *before, role, o.at), countOf(tables.DepartmentRoles, *before, -1))
	}
	if after != nil {
		lists = append(lists, add(tables.DepartmentRoles, *after, role, o.at), countOf(tables.DepartmentRoles, *after, 1))
	}
	if len(lists) > 0 {
		p.now = append(p.now, lists)
	}
	if after != nil {
		p.now = append(p.now, stage{compensateUnless(definers(after), demand{"undefineRole", &undefineRoleArgs{role, *after}})})
	}
	return p
}

// CreateRole makes a role, and returns its code as it is stored. A second time under the same key, by the same caller, it does nothing. It may be
// refused with Problems.
func (w *Writers) CreateRole(ctx context.Context, caller string, role NewRole) (code string, err error) {
	var in input
	role.Code = in.code("code", role.Code)
	if role.Name == nil {
		role.Name = &role.Code
	} else {
		role.Name = optional(in.name, "name", role.Name)
	}
	role.Department = in.optionalCode("department", role.Department)
	role.IdempotencyKey = in.idempotencyKey("idempotencyKey", role.IdempotencyKey)
	if err := in.err(); err != nil {
		return "", err
	}
	_, err = do(ctx, w, createRole, &createRoleArgs{role, w.origin(caller, role.IdempotencyKey)})
	return role.Code, err
}

// UpdateRole changes a role, and returns its code as it is stored. It may be refused with Problems.
func (w *Writers) UpdateRole(ctx context.Context, c RoleChange) (code string, err error) {
	var in input
	c.Code = in.code("code", c.Code)
	c.Name = in.changedName("name", c.Name)
	c.Department = change(in.optionalCode, "department", c.Department)
	if err := in.err(); err != nil {
		return "", err
	}
	_, err = do(ctx, w, updateRole, &updateRoleArgs{RoleChange: c})
	return c.Code, err
}

// DeleteRole deletes a role. It may be refused with Problems.
func (w *Writers) DeleteRole(ctx context.Context, code string) error {
	var in input
	code = in.code("code", code)
	if err := in.err(); err != nil {
		return err
	}
	_, err := do(ctx, w, deleteRole, &deleteRoleArgs{Code: code})
	return err
}

// AssignRole gives a user a role. A user who has it keeps it. The error may be Problems.
func (w *Writers) AssignRole(ctx context.Context, username, role string) error {
	username, role, err := checkAssignment(username, role)
	if err != nil {
		return err
	}
	return w.relate(ctx, tables.Assignments, username, role)
}

// RevokeRole ends what AssignRole began. The error may be Problems.
func (w *Writers) RevokeRole(ctx context.Context, username, role string) error {
	username, role, err := checkAssignment(username, role)
	if err != nil {
		return err
	}
	return w.unrelate(ctx, tables.Assignments, username, role)
}

func checkAssignment(username, role string) (string, string, error) {
	var in input
	username, role = in.username("username", username), in.code("role", role)
	return username, role, in.err()
}
