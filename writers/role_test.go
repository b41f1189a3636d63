package writers_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/writers"
)

// staff is a registry with two departments, a role and a user.
func staff(t *testing.T) *registry {
	t.Helper()
	r := newRegistry(t)
	for _, code := range []string{"dev", "ops"} {
		r.mutate(t, tables.Departments.Put(code, &tables.Department{Name: &code}, 1))
	}
	code := "lead"
	r.mutate(t, newUser("Lucy"), tables.Roles.Put(code, &tables.Role{Name: &code}, 1))
	return r
}

func TestRolesAreRefused(t *testing.T) {
	r := staff(t)
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
	given := func(s *string) writers.Change[string] { return writers.Change[string]{Given: true, Value: s} }
	const noCode, noUsername = ": it can't contain ' '", "BAD_USER_INPUT username: it can't contain ' '"
	both := []string{`NOT_FOUND username: there is no "nobody"`, `NOT_FOUND role: there is no "none"`}
	neither := []string{noUsername, "BAD_USER_INPUT role" + noCode}
	refused(t, r, []bad{
		{"a code that is taken", create(writers.NewRole{Code: "lead"}), []string{`ALREADY_EXISTS code: there is a "lead" already`}},
		{"a department that is not there", create(writers.NewRole{Code: "new", Department: &none}), []string{`NOT_FOUND department: there is no "none"`}},
		{"all of a new role", create(writers.NewRole{Code: " ", Name: &blank, Department: &blank, IdempotencyKey: &key}), []string{"BAD_USER_INPUT code" + noCode,
			"BAD_USER_INPUT name: it shows nothing", "BAD_USER_INPUT department" + noCode, "BAD_USER_INPUT idempotencyKey: it has 1 to 200 characters, not 201"}},
		{"a change of none", update(writers.RoleChange{Code: "none"}), []string{`NOT_FOUND code: there is no "none"`}},
		{"a change to a department that is not there", update(writers.RoleChange{Code: "lead", Department: given(&none)}), []string{`NOT_FOUND department: there is no "none"`}},
		{"a change of another version", update(writers.RoleChange{Code: "lead", ExpectedVersion: &version}),
			[]string{`CONFLICT expectedVersion: it was changed meanwhile: the version is "0" now`}},
		{"a change of everything", update(writers.RoleChange{Code: " ", Name: given(nil), Department: given(&blank)}), []string{"BAD_USER_INPUT code" + noCode,
			"BAD_USER_INPUT name: it can be changed, but not taken away", "BAD_USER_INPUT department" + noCode}},
		{"the end of none", remove("none"), []string{`NOT_FOUND code: there is no "none"`}},
		{"the end of a code that none can have", remove(" "), []string{"BAD_USER_INPUT code" + noCode}},
		{"none for nobody", assign("nobody", "none"), both},
		{"names that can't be", assign("a b", " "), neither},
		{"nothing from nobody", revoke("nobody", "none"), both},
		{"names that can't be, again", revoke("a b", " "), neither},
		{"what Lucy does not have", revoke("Lucy", "lead"), nil},
	})
}

// definers are the departments that have the role in their lists, with how many roles they count.
func definers(t *testing.T, r *registry) (all []string) {
	t.Helper()
	for _, code := range []string{"dev", "ops"} {
		results, err := r.store.Get(t.Context(), []hbase.Get{tables.DepartmentRoles.Get(code, 0, hbase.Page{})})
		if err != nil {
			t.Fatal(err)
		}
		roles, _, _, err := tables.DepartmentRoles.Decode(code, results[0].Cells)
		if n := *object(t, r, tables.Departments, code).RoleCount; err != nil || n != len(roles) {
			t.Errorf("%s counts %d and has %v, error %v", code, n, roles, err)
		}
		for _, role := range roles {
			all = append(all, code+" "+role)
		}
	}
	return all
}

func TestARoleMovesFromListToList(t *testing.T) {
	r := staff(t)
	dev, ops, name := "dev", "ops", "Tester"
	if _, err := r.w.CreateRole(t.Context(), "boss", writers.NewRole{Code: "test", Department: &dev}); err != nil {
		t.Fatal(err)
	}
	if role := object(t, r, tables.Roles, "test"); *role.Name != "test" || *role.DepartmentCode != dev {
		t.Errorf("a role without a name has that of its code: %+v", role)
	}
	for _, step := range []struct {
		reason string
		change writers.RoleChange
		want   []string
	}{
		{"a name alone moves nothing", writers.RoleChange{Name: writers.Change[string]{Given: true, Value: &name}}, []string{"dev test"}},
		{"another department has it instead", writers.RoleChange{Department: writers.Change[string]{Given: true, Value: &ops}}, []string{"ops test"}},
		{"the same department has it once", writers.RoleChange{Department: writers.Change[string]{Given: true, Value: &ops}}, []string{"ops test"}},
		{"none has it", writers.RoleChange{Department: writers.Change[string]{Given: true}}, nil},
		{"and one again", writers.RoleChange{Department: writers.Change[string]{Given: true, Value: &dev}}, []string{"dev test"}},
	} {
		step.change.Code = "test"
		if _, err := r.w.UpdateRole(t.Context(), step.change); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, definers(t, r)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.reason, diff)
		}
	}
	if role := object(t, r, tables.Roles, "test"); *role.Name != name {
		t.Errorf("%+v", role)
	}
	if err := r.w.DeleteRole(t.Context(), "test"); err != nil {
		t.Fatal(err)
	}
	if role, left := object(t, r, tables.Roles, "test"), definers(t, r); role != nil || left != nil {
		t.Error(role, left)
	}
}

func TestACodeIsGivenAgainWithoutThePeople(t *testing.T) {
	r := staff(t)
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
	if role, user := object(t, r, tables.Roles, "lead"), object(t, r, tables.Users, "Lucy"); *role.UserCount != 0 || *user.RoleCount != 0 {
		t.Errorf("%d have the new role, and Lucy has %d", *role.UserCount, *user.RoleCount)
	}
	for _, table := range []string{tables.UserRoles.Table, tables.Intents.Table} {
		if r.w.Close(t.Context()); len(r.rows(t, table)) > 0 {
			t.Errorf("%s has %v", table, r.rows(t, table))
		}
	}
}
