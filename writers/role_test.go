package writers_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/writers"
)

func newStaffFixture(t *testing.T) *fixture {
	t.Helper()
	r := newFixture(t)
	for _, code := range []string{"dev", "ops"} {
		r.mutate(t, tables.Departments.Put(code, &tables.Department{Name: &code}, 1))
	}
	code := "lead"
	r.mutate(t, newUser("Lucy"), tables.Roles.Put(code, &tables.Role{Name: &code}, 1))
	return r
}

func given(s *string) writers.Change[string] { return writers.Change[string]{Given: true, Value: s} }

func TestInvalidRoleMutationsReturnUserErrors(t *testing.T) {
	r := newStaffFixture(t)
	none, version, blank, key := "none", "x", " ", strings.Repeat("k", 201)
	create := func(n writers.NewRole) func(*writers.Writers) error {
		return func(w *writers.Writers) error { _, err := w.CreateRole(t.Context(), "boss", n); return err }
	}
	update := func(c writers.RoleChange) func(*writers.Writers) error {
		return func(w *writers.Writers) error { _, err := w.UpdateRole(t.Context(), c); return err }
	}
	remove := func(code string) func(*writers.Writers) error {
		return func(w *writers.Writers) error { return w.DeleteRole(t.Context(), code) }
	}
	assign := func(username, role string) func(*writers.Writers) error {
		return func(w *writers.Writers) error { return w.Relate(t.Context(), tables.Assignments, username, role) }
	}
	revoke := func(username, role string) func(*writers.Writers) error {
		return func(w *writers.Writers) error { return w.Unrelate(t.Context(), tables.Assignments, username, role) }
	}
	const noCode, noUsername = ": it can't contain ' '", "BAD_USER_INPUT username: it can't contain ' '"
	both := []string{`NOT_FOUND username: there is no "nobody"`, `NOT_FOUND role: there is no "none"`}
	neither := []string{noUsername, "BAD_USER_INPUT role" + noCode}
	rejected(t, r, []rejection{
		{"a creation with a taken code", create(writers.NewRole{Code: "lead"}),
			[]string{`ALREADY_EXISTS code: there is a "lead" already`}},
		{"a creation in a missing department", create(writers.NewRole{Code: "new", Department: &none}),
			[]string{`NOT_FOUND department: there is no "none"`}},
		{"a creation with all fields invalid",
			create(writers.NewRole{Code: " ", Name: &blank, Department: &blank, IdempotencyKey: &key}),
			[]string{"BAD_USER_INPUT code" + noCode, "BAD_USER_INPUT name: it has no visible character",
				"BAD_USER_INPUT department" + noCode,
				"BAD_USER_INPUT idempotencyKey: it must have 1 to 200 characters, and has 201"}},
		{"an update of a missing role", update(writers.RoleChange{Code: "none"}),
			[]string{`NOT_FOUND code: there is no "none"`}},
		{"an update to a missing department", update(writers.RoleChange{Code: "lead", Department: given(&none)}),
			[]string{`NOT_FOUND department: there is no "none"`}},
		{"an update from another version", update(writers.RoleChange{Code: "lead", ExpectedVersion: &version}),
			[]string{`CONFLICT expectedVersion: it was changed by another request: the version is now "0"`}},
		{"an update with all fields invalid",
			update(writers.RoleChange{Code: " ", Name: given(nil), Department: given(&blank)}),
			[]string{"BAD_USER_INPUT code" + noCode, "BAD_USER_INPUT name: it can be changed, but not removed",
				"BAD_USER_INPUT department" + noCode}},
		{"a deletion of a missing role", remove("none"), []string{`NOT_FOUND code: there is no "none"`}},
		{"a deletion with an invalid code", remove(" "), []string{"BAD_USER_INPUT code" + noCode}},
		{"an assignment of a missing role to an unknown user", assign("nobody", "none"), both},
		{"an assignment with invalid names", assign("a b", " "), neither},
		{"a revocation of a missing role from an unknown user", revoke("nobody", "none"), both},
		{"a revocation with invalid names", revoke("a b", " "), neither},
		{"a revocation of a role that the user lacks", revoke("Lucy", "lead"), nil},
	})
}

func definedRoles(t *testing.T, r *fixture) (all []string) {
	t.Helper()
	for _, code := range []string{"dev", "ops"} {
		results, err := r.store.Get(t.Context(), []hbase.Get{tables.DepartmentRoles.Get(code, 0, hbase.Page{})})
		if err != nil {
			t.Fatal(err)
		}
		roles, _, err := tables.DepartmentRoles.Decode(code, results[0].Cells)
		if n := *object(t, r, tables.Departments, code).RoleCount; err != nil || n != len(roles) {
			t.Errorf("%s counts %d roles and lists %v, error %v", code, n, roles, err)
		}
		for _, role := range roles {
			all = append(all, code+" "+role)
		}
	}
	return all
}

func TestUpdateRoleMovesTheRoleBetweenDepartments(t *testing.T) {
	r := newStaffFixture(t)
	dev, ops, name := "dev", "ops", "Tester"
	if _, err := r.w.CreateRole(t.Context(), "boss", writers.NewRole{Code: "test", Department: &dev}); err != nil {
		t.Fatal(err)
	}
	if role := object(t, r, tables.Roles, "test"); *role.Name != "test" || *role.DepartmentCode != dev {
		t.Errorf("a role without a name: got %+v", role)
	}
	for _, step := range []struct {
		reason string
		change writers.RoleChange
		want   []string
	}{
		{"only the name", writers.RoleChange{Name: given(&name)}, []string{"dev test"}},
		{"another department", writers.RoleChange{Department: given(&ops)}, []string{"ops test"}},
		{"the same department", writers.RoleChange{Department: given(&ops)}, []string{"ops test"}},
		{"no department", writers.RoleChange{Department: given(nil)}, nil},
		{"a department again", writers.RoleChange{Department: given(&dev)}, []string{"dev test"}},
	} {
		step.change.Code = "test"
		if _, err := r.w.UpdateRole(t.Context(), step.change); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, definedRoles(t, r)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.reason, diff)
		}
	}
	if role := object(t, r, tables.Roles, "test"); *role.Name != name {
		t.Errorf("%+v", role)
	}
	if err := r.w.DeleteRole(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	if role, left := object(t, r, tables.Roles, "test"), definedRoles(t, r); role != nil || left != nil {
		t.Error(role, left)
	}
}

func TestReusedRoleCodeHasNoUsers(t *testing.T) {
	r := newStaffFixture(t)
	if err := r.w.Relate(t.Context(), tables.Assignments, "Lucy", "lead"); err != nil {
		t.Fatal(err)
	}
	if n := *object(t, r, tables.Users, "Lucy").RoleCount; n != 1 {
		t.Fatal(n)
	}
	if err := r.w.DeleteRole(t.Context(), "lead"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.w.CreateRole(t.Context(), "boss", writers.NewRole{Code: "lead"}); err != nil {
		t.Fatal(err)
	}
	role, user := object(t, r, tables.Roles, "lead"), object(t, r, tables.Users, "Lucy")
	if *role.UserCount != 0 || *user.RoleCount != 0 {
		t.Errorf("the new role has %d users, and Lucy has %d roles; want 0", *role.UserCount, *user.RoleCount)
	}
	for _, table := range []string{tables.UserRoles.Table, tables.Intents.Table} {
		if r.w.Close(t.Context()); len(r.rows(t, table)) > 0 {
			t.Errorf("%s has %v", table, r.rows(t, table))
		}
	}
}
