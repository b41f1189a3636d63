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

// Of the roles, b has the first at the beginning, and a department without others below it defines that; both are made and deleted again and again.
var roles = []string{"lead", "test"}

func init() {
	modelled = append(modelled,
		modelNoun{name: "role", begin: beginRoles, call: callRole, observe: observeRoles},
		modelNoun{name: "assignment", call: callAssign, observe: observeAssignments})
}

func beginRoles(_ hbase.Store, w world) []hbase.Mutation {
	code, by, in := roles[0], "b", departments[2]
	w["role "+code], w[hasFact(by, code)] = code+"|"+in, "1"
	return []hbase.Mutation{
		tables.Roles.Put(code, &tables.Role{Name: &code, DepartmentCode: &in, UserCount: pointer(1)}, 1),
		lists(tables.DepartmentRoles, in, code),
		tables.Departments.Put(in, &tables.Department{RoleCount: pointer(1)}, 1),
		tables.Assignments.Put(by, code, true, tables.UnknownTime, 1),
		lists(tables.RoleUsers, code, by),
		lists(tables.UserRoles, by, code),
		tables.Users.Put(by, &tables.User{RoleCount: pointer(1)}, 1),
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
	known := func(w world) bool { return department == nil || w["department "+in] != "" }
	switch r.IntN(9) {
	case 0, 1:
		return call{"delete " + fact, func(ctx context.Context, w *Writers) error { return w.DeleteRole(ctx, code) }, func(w world) Code {
			if w[fact] == "" {
				return NotFound
			}
			delete(w, fact)
			for fact := range w {
				if fields := strings.Fields(fact); fields[0] == "has" && fields[2] == code {
					delete(w, fact)
				}
			}
			return ""
		}}
	case 2, 3, 4:
		return call{fmt.Sprintf("create %s under %s in %q", fact, key, in), func(ctx context.Context, w *Writers) error {
			_, err := w.CreateRole(ctx, "a", NewRole{Code: code, Name: &key, Department: department, IdempotencyKey: &key})
			return err
		}, func(w world) Code {
			if w["origin "+fact] != key && w[fact] == "" && !known(w) {
				return NotFound
			}
			return modelCreate(w, fact, key+"|"+in, key)
		}}
	case 5, 6:
		return call{fmt.Sprintf("change %s to %s in %q", fact, key, in), func(ctx context.Context, w *Writers) error {
			_, err := w.UpdateRole(ctx, RoleChange{Code: code, Name: Change[string]{true, &key}, Department: Change[string]{true, department}})
			return err
		}, func(w world) Code {
			if w[fact] == "" || !known(w) {
				return NotFound
			}
			w[fact] = key + "|" + in
			return ""
		}}
	case 7:
		return callNextRole(code)
	}
	return callAssign(r)
}

func callAssign(r *rand.Rand) call {
	username, role := people[r.IntN(len(people))], roles[r.IntN(len(roles))]
	if r.IntN(20) == 0 {
		username = nobody
	}
	if r.IntN(10) == 0 {
		return callDeleteUser(people[r.IntN(len(people))])
	}
	fact := hasFact(username, role)
	known := func(w world) bool { return w["user "+username] != "" && w["role "+role] != "" }
	if r.IntN(3) == 0 {
		return call{"not " + fact, func(ctx context.Context, w *Writers) error {
			return w.Unrelate(ctx, tables.Assignments, username, role)
		}, func(w world) Code {
			if !known(w) {
				return NotFound
			}
			delete(w, fact)
			return ""
		}}
	}
	return call{fact, func(ctx context.Context, w *Writers) error { return w.Relate(ctx, tables.Assignments, username, role) }, func(w world) Code {
		if !known(w) {
			return NotFound
		}
		w[fact] = "1"
		return ""
	}}
}

func observeRoles(ctx context.Context, store hbase.Store, w world) error {
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
		observeMade(w, "role "+code, cells, value)
	}
	return nil
}

func observeAssignments(ctx context.Context, store hbase.Store, w world) error {
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
			w[hasFact(username, role)] = "1"
		}
	}
	return nil
}
