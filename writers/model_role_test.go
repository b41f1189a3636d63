package writers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"twibase/hbase"
	"twibase/hbase/tables"
)

var roles = []string{"lead", "test"}

func init() {
	modelled = append(modelled,
		modelNoun{name: "role", begin: beginRoles, call: callRole, observe: observeRoles},
		modelNoun{name: "assignment", call: callAssign, observe: observeAssignments})
}

func beginRoles(_ hbase.Store, f facts) []hbase.Mutation {
	code, by, in := roles[0], "b", departments[2]
	f["role "+code], f[hasFact(by, code)] = code+"|"+in, "1"
	return []hbase.Mutation{
		tables.Roles.Put(code, &tables.Role{Name: &code, DepartmentCode: &in, UserCount: new(1)}, 1),
		memberPut(tables.DepartmentRoles, in, code),
		tables.Departments.Put(in, &tables.Department{RoleCount: new(1)}, 1),
		tables.Assignments.Put(by, code, true, tables.UnknownTime, 1),
		memberPut(tables.RoleUsers, code, by),
		memberPut(tables.UserRoles, by, code),
		tables.Users.Put(by, &tables.User{RoleCount: new(1)}, 1),
	}
}

func hasFact(username, role string) string { return fmt.Sprintf("has %s %s", username, role) }

func callRole(r *rand.Rand) call {
	code, key := roles[r.IntN(len(roles))], strconv.Itoa(r.IntN(2))
	fact := "role " + code
	var department *string
	if r.IntN(2) == 0 {
		department = &departments[1+r.IntN(2)]
	}
	in := ""
	if department != nil {
		in = *department
	}
	known := func(f facts) bool { return department == nil || f["department "+in] != "" }
	switch r.IntN(9) {
	case 0, 1:
		return call{"delete " + fact, func(ctx context.Context, w *Writers) error {
			return w.DeleteRole(ctx, code)
		}, func(f facts) Code {
			if f[fact] == "" {
				return NotFound
			}
			delete(f, fact)
			for fact := range f {
				if fields := strings.Fields(fact); fields[0] == "has" && fields[2] == code {
					delete(f, fact)
				}
			}
			return ""
		}}
	case 2, 3, 4:
		role := NewRole{Code: code, Name: &key, Department: department, IdempotencyKey: &key}
		return call{fmt.Sprintf("create %s under %s in %q", fact, key, in), func(ctx context.Context, w *Writers) error {
			_, err := w.CreateRole(ctx, "a", role)
			return err
		}, func(f facts) Code {
			if f["origin "+fact] != key && f[fact] == "" && !known(f) {
				return NotFound
			}
			return modelCreate(f, fact, key+"|"+in, key)
		}}
	case 5, 6:
		c := RoleChange{Code: code, Name: Change[string]{true, &key}, Department: Change[string]{true, department}}
		return call{fmt.Sprintf("change %s to %s in %q", fact, key, in), func(ctx context.Context, w *Writers) error {
			_, err := w.UpdateRole(ctx, c)
			return err
		}, func(f facts) Code {
			if f[fact] == "" || !known(f) {
				return NotFound
			}
			f[fact] = key + "|" + in
			return ""
		}}
	case 7:
		return callIncrementRole(code)
	}
	return callAssign(r)
}

func callAssign(r *rand.Rand) call {
	username, role := userNames[r.IntN(len(userNames))], roles[r.IntN(len(roles))]
	if r.IntN(20) == 0 {
		username = missingUser
	}
	if r.IntN(10) == 0 {
		return callDeleteUser(userNames[r.IntN(len(userNames))])
	}
	fact := hasFact(username, role)
	known := func(f facts) bool { return f["user "+username] != "" && f["role "+role] != "" }
	if r.IntN(3) == 0 {
		return call{"not " + fact, func(ctx context.Context, w *Writers) error {
			return w.Unrelate(ctx, tables.Assignments, username, role)
		}, func(f facts) Code {
			if !known(f) {
				return NotFound
			}
			delete(f, fact)
			return ""
		}}
	}
	return call{fact, func(ctx context.Context, w *Writers) error {
		return w.Relate(ctx, tables.Assignments, username, role)
	}, func(f facts) Code {
		if !known(f) {
			return NotFound
		}
		f[fact] = "1"
		return ""
	}}
}

func observeRoles(ctx context.Context, store hbase.Store, f facts) error {
	for _, code := range roles {
		cells, err := cellsOf(ctx, store, tables.Roles.Get(code, tables.Attributes))
		if err != nil {
			return err
		}
		role, err := tables.Roles.Decode(code, cells)
		if err != nil {
			return err
		}
		value := ""
		if role != nil {
			value = *role.Name + "|"
			if role.DepartmentCode != nil {
				value += *role.DepartmentCode
			}
		}
		observeCreated(f, "role "+code, cells, value)
	}
	return nil
}

func observeAssignments(ctx context.Context, store hbase.Store, f facts) error {
	for row, err := range store.Scan(ctx, hbase.Scan{Table: tables.Assignments.Table, Columns: tables.Attributes}) {
		if err != nil {
			return err
		}
		username, role, err := tables.Assignments.Ends(row.Key)
		if err != nil {
			return err
		}
		related, _, err := tables.Assignments.Decode(row.Cells)
		if err != nil {
			return err
		}
		if related {
			f[hasFact(username, role)] = "1"
		}
	}
	return nil
}
