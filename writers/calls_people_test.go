package writers

import (
	"context"
	"fmt"
	"testing"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func callsOfPeople(t *testing.T) (prepare func(context.Context, hbase.Store, *Writers), all []mutationCalls) {
	secret, key, department := "correct horse", "once", "dev"
	set := Change[string]{true, &key}
	return func(ctx context.Context, store hbase.Store, w *Writers) {
			mustMutate(t, store, importedUsers("LiLei", "Lucy", "Jim")...)
			mustMutate(t, store,
				tables.Assignments.Put("Jim", "lead", true, millis(0), 1),
				tables.Departments.Put(department, &tables.Department{Name: &department}, 1))
			u := NewUser{Username: "once", Name: "Once"}
			if _, err := NewAccounts(w, fastHasher()).SignUp(ctx, u, secret, &key); err != nil {
				t.Fatal(err)
			}
			if _, err := w.CreateRole(ctx, "boss", NewRole{Code: "lead"}); err != nil {
				t.Fatal(err)
			}
			if err := w.Relate(ctx, tables.Assignments, "Lucy", "lead"); err != nil {
				t.Fatal(err)
			}
			w.Close(ctx)
		}, []mutationCalls{
			{"signUp", func(ctx context.Context, w *Writers) error {
				_, err := NewAccounts(w, fastHasher()).SignUp(ctx, NewUser{Username: "new", Name: "New"}, secret, nil)
				return err
			},
				[]string{
					"Get users",
					"Put intents",
					"CheckAndPut users",
					"Put accounts, Put usernames",
				}},
			{"signUp, a repetition under its key", func(ctx context.Context, w *Writers) error {
				_, err := NewAccounts(w, fastHasher()).SignUp(ctx, NewUser{Username: "once", Name: "Once"}, secret, &key)
				return err
			},
				[]string{
					"Get users",
					"Get intents",
					"Get accounts, Get users",
				}},
			{"logIn", func(ctx context.Context, w *Writers) error {
				_, err := NewAccounts(w, fastHasher()).LogIn(ctx, "once", secret)
				return err
			}, []string{
				"Get accounts, Get users",
			}},
			{"logIn, with a wrong password", func(ctx context.Context, w *Writers) error {
				if _, err := NewAccounts(w, fastHasher()).LogIn(ctx, "once", "wrong horse"); outcome(err) != WrongCredentials {
					return fmt.Errorf("error %v", err)
				}
				return nil
			}, []string{
				"Get accounts, Get users",
			}},
			{"logIn, of an unknown user", func(ctx context.Context, w *Writers) error {
				if _, err := NewAccounts(w, fastHasher()).LogIn(ctx, "nobody", secret); outcome(err) != WrongCredentials {
					return fmt.Errorf("error %v", err)
				}
				return nil
			}, []string{
				"Get accounts, Get users",
			}},
			{"createUser", func(ctx context.Context, w *Writers) error {
				_, err := w.CreateUser(ctx, "boss", NewUser{Username: "new", Name: "New"}, nil)
				return err
			}, []string{
				"Get users",
				"Put intents",
				"CheckAndPut users",
				"Put usernames",
			}},
			{"updateUser", func(ctx context.Context, w *Writers) error {
				_, err := w.UpdateUser(ctx, UserChange{Username: "Lucy", Name: set})
				return err
			}, []string{
				"Get users",
				"Put intents",
				"CheckAndPut users",
			}},
			{"deleteUser", func(ctx context.Context, w *Writers) error {
				return w.DeleteUser(ctx, "Lucy")
			}, []string{
				"Get users",
				"Put intents",
				"CheckAndPut users",
				"Delete accounts, Delete usernames",
			}},
			{"createRole", func(ctx context.Context, w *Writers) error {
				_, err := w.CreateRole(ctx, "boss", NewRole{Code: "new"})
				return err
			}, []string{
				"Get roles",
				"Put intents",
				"CheckAndPut roles",
			}},
			{"createRole, of a department", func(ctx context.Context, w *Writers) error {
				_, err := w.CreateRole(ctx, "boss", NewRole{Code: "new", Department: &department})
				return err
			}, []string{
				"Get departments, Get roles",
				"Get departments 2, Put intents",
				"CheckAndPut roles",
				"CheckAndPut departments, Put departments",
				"Get departments 2",
			}},
			{"updateRole, its name", func(ctx context.Context, w *Writers) error {
				_, err := w.UpdateRole(ctx, RoleChange{Code: "lead", Name: set})
				return err
			}, []string{
				"Get roles",
				"Get intents, Put intents",
				"CheckAndPut roles",
			}},
			{"updateRole, its department", func(ctx context.Context, w *Writers) error {
				_, err := w.UpdateRole(ctx, RoleChange{Code: "lead", Department: Change[string]{true, &department}})
				return err
			}, []string{
				"Get departments, Get roles",
				"Get departments 2, Get intents, Put intents",
				"CheckAndPut roles",
				"CheckAndPut departments, Put departments",
				"Get departments 2",
			}},
			{"deleteRole", func(ctx context.Context, w *Writers) error {
				return w.DeleteRole(ctx, "lead")
			}, []string{
				"Get roles",
				"Get intents, Put intents",
				"CheckAndPut roles",
			}},
			{"assignRole", func(ctx context.Context, w *Writers) error {
				return w.Relate(ctx, tables.Assignments, "LiLei", "lead")
			}, []string{
				"Get assignments, Get roles, Get users",
				"Get roles 2, Get user_roles, Get users, Put intents",
				"CheckAndPut assignments",
				"CheckAndPut roles, CheckAndPut users, Put roles, Put user_roles",
				"Get roles 2, Get user_roles, Get users",
			}},
			{"assignRole, already assigned by an import", func(ctx context.Context, w *Writers) error {
				return w.Relate(ctx, tables.Assignments, "Jim", "lead")
			}, []string{
				"Get assignments, Get roles, Get users",
			}},
			{"revokeRole", func(ctx context.Context, w *Writers) error {
				return w.Unrelate(ctx, tables.Assignments, "Lucy", "lead")
			}, []string{
				"Get assignments, Get roles, Get users",
				"Get intents, Get roles 2, Get user_roles, Get users, Put intents",
				"CheckAndPut assignments",
				"CheckAndPut roles, CheckAndPut users, Delete roles, Delete user_roles",
				"Get roles, Get user_roles",
			}},
		}
}
