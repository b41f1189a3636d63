package writers

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

type assignRoleArgs struct{ Username, Role string }

// assignRole makes the edge be there, then both lists and counts.
var assignRole = register(kind[assignRoleArgs]{
	name: "assignRole", undone: true,
	row:   func(a assignRoleArgs) hbase.Get { return tables.Assignments.Get(a.Username, a.Role) },
	reads: func(a assignRoleArgs) []hbase.Get { return holderAndRole(a.Username, a.Role) },
	decide: func(a *assignRoleArgs, r *reading) ([]hbase.Cell, error) {
		if err := holderAndRoleExist(a.Username, a.Role, r); err != nil {
			return nil, err
		}
		related, _, err := tables.Assignments.Decode(r.row)
		if err != nil || related {
			return nil, orNothing(err)
		}
		return tables.Assignments.Put(a.Username, a.Role, true, millis(r.at), r.at).Cells, nil
	},
	plan: func(a assignRoleArgs, o op) plan {
		undo := demand{"revokeRole", &revokeRoleArgs{Username: a.Username, Role: a.Role, Gone: true}}
		return plan{now: []stage{
			{
				add(tables.UserRoles, a.Username, a.Role, o.at),
				add(tables.RoleUsers, a.Role, a.Username, o.at),
				countOf(tables.UserRoles, a.Username, 1),
				countOf(tables.RoleUsers, a.Role, 1),
			},
			{unless(undo, end(tables.Users, a.Username), end(tables.Roles, a.Role))},
		}}
	},
})

type revokeRoleArgs struct {
	Username, Role string
	// Gone is whether it is to be done only if the user or the role is gone.
	Gone bool `json:",omitempty"`
}

// revokeRole makes the edge say that it is gone, then both lists and counts.
var revokeRole = register(kind[revokeRoleArgs]{
	name: "revokeRole",
	row:  func(a revokeRoleArgs) hbase.Get { return tables.Assignments.Get(a.Username, a.Role) },
	reads: func(a revokeRoleArgs) []hbase.Get {
		if a.Gone {
			return nil
		}
		return holderAndRole(a.Username, a.Role)
	},
	more: func(a revokeRoleArgs, r *reading) []hbase.Get {
		if len(r.cells) > 0 {
			return nil
		}
		// After the edge: so who has the next role of that code keeps it.
		return holderAndRole(a.Username, a.Role)
	},
	decide: func(a *revokeRoleArgs, r *reading) ([]hbase.Cell, error) {
		if a.Gone {
			if gone, err := oneGone(r.cells, end(tables.Users, a.Username), end(tables.Roles, a.Role)); err != nil || !gone {
				return nil, orNothing(err)
			}
		} else if err := holderAndRoleExist(a.Username, a.Role, r); err != nil {
			return nil, err
		}
		related, since, err := tables.Assignments.Decode(r.row)
		if err != nil || !related {
			return nil, orNothing(err)
		}
		return tables.Assignments.Put(a.Username, a.Role, false, since, r.at).Cells, nil
	},
	plan: func(a revokeRoleArgs, o op) plan {
		return plan{now: []stage{{
			remove(tables.UserRoles, a.Username, a.Role, o.at),
			remove(tables.RoleUsers, a.Role, a.Username, o.at),
			countOf(tables.UserRoles, a.Username, -1),
			countOf(tables.RoleUsers, a.Role, -1),
		}}}
	},
})

// holderAndRole reads whether there is a user and a role.
func holderAndRole(username, role string) []hbase.Get {
	return []hbase.Get{tables.Users.Get(username, tables.Existence), tables.Roles.Get(role, tables.Existence)}
}

// holderAndRoleExist returns the problems that there are not.
func holderAndRoleExist(username, role string, r *reading) error {
	return together(existing(tables.Users, username, r.cells[0], "username"), existing(tables.Roles, role, r.cells[1], "role"))
}

// AssignRole gives a user a role; one who has it already keeps it. It may be refused with Problems.
func (w *Writers) AssignRole(ctx context.Context, username, role string) error {
	username, role, err := checkAssignment(username, role)
	if err == nil {
		_, err = do(ctx, w, assignRole, &assignRoleArgs{username, role})
	}
	return err
}

// RevokeRole takes a role from a user; from one who does not have it nothing is taken. It may be refused with Problems.
func (w *Writers) RevokeRole(ctx context.Context, username, role string) error {
	username, role, err := checkAssignment(username, role)
	if err == nil {
		_, err = do(ctx, w, revokeRole, &revokeRoleArgs{Username: username, Role: role})
	}
	return err
}

func checkAssignment(username, role string) (string, string, error) {
	var in input
	username, role = in.username("username", username), in.code("role", role)
	return username, role, in.err()
}
