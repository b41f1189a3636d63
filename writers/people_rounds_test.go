package writers

import (
	"context"
	"testing"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Each mutation of users and roles is acknowledged after no more rounds than these.
func TestRoundsOfUsersAndRoles(t *testing.T) {
	code, name, other := "lead", "Leader", "dev"
	prepare := func(store hbase.Store) {
		must(t, store, user("LiLei"), user("Lucy"), tables.Departments.Put(other, &tables.Department{Name: &other}, 1),
			tables.Roles.Put(code, &tables.Role{Name: &code}, 1), tables.Assignments.Put("Lucy", code, true, millis(0), 1),
			lists(tables.UserRoles, "Lucy", code), lists(tables.RoleUsers, code, "Lucy"))
	}
	set := Change[string]{true, &name}
	for _, test := range []struct {
		mutation string
		want     int
		do       func(ctx context.Context, w *Writers) error
	}{
		{"createUser", 3, func(ctx context.Context, w *Writers) error {
			_, err := w.CreateUser(ctx, "boss", NewUser{Username: "new", Name: "x"}, &name)
			return err
		}},
		{"updateUser", 3, func(ctx context.Context, w *Writers) error {
			_, err := w.UpdateUser(ctx, UserChange{Username: "Lucy", Name: set})
			return err
		}},
		{"deleteUser", 4, func(ctx context.Context, w *Writers) error { return w.DeleteUser(ctx, "Lucy") }},
		{"createRole", 3, func(ctx context.Context, w *Writers) error {
			_, err := w.CreateRole(ctx, "boss", NewRole{Code: "new"})
			return err
		}},
		{"createRole of a department", 5, func(ctx context.Context, w *Writers) error {
			_, err := w.CreateRole(ctx, "boss", NewRole{Code: "new", Department: &other})
			return err
		}},
		{"updateRole", 5, func(ctx context.Context, w *Writers) error {
			_, err := w.UpdateRole(ctx, RoleChange{Code: code, Name: set, Department: Change[string]{true, &other}})
			return err
		}},
		{"deleteRole", 3, func(ctx context.Context, w *Writers) error { return w.DeleteRole(ctx, code) }},
		{"assignRole", 5, func(ctx context.Context, w *Writers) error { return w.Relate(ctx, tables.Assignments, "LiLei", code) }},
		{"revokeRole", 5, func(ctx context.Context, w *Writers) error { return w.Unrelate(ctx, tables.Assignments, "Lucy", code) }},
		{"assignRole of what is had", 1, func(ctx context.Context, w *Writers) error { return w.Relate(ctx, tables.Assignments, "Lucy", code) }},
	} {
		if n := rounds(t, prepare, test.do); n != test.want {
			t.Errorf("%s costs %d rounds, want %d", test.mutation, n, test.want)
		}
	}
}
