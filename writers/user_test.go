package writers_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/writers"
)

func newUser(name string) hbase.Mutation {
	return tables.Users.Put(name, &tables.User{Name: &name}, 1)
}

func object[T any](t *testing.T, r *fixture, o *tables.Object[T], key string) *T {
	t.Helper()
	results, err := r.store.Get(t.Context(), []hbase.Get{o.Get(key, tables.Attributes)})
	if err != nil || results[0].Err != nil {
		t.Fatal(err, results[0].Err)
	}
	object, err := o.Decode(key, results[0].Cells)
	if err != nil {
		t.Fatal(err)
	}
	return object
}

type rejection struct {
	reason string
	call   func(w *writers.Writers) error
	want   []string
}

func rejected(t *testing.T, r *fixture, calls []rejection) {
	t.Helper()
	all := func() (all [][]hbase.Row) {
		for _, table := range tables.Definitions(1) {
			all = append(all, r.rows(t, table.Name))
		}
		return all
	}
	before := all()
	for _, test := range calls {
		t.Run(test.reason, func(t *testing.T) {
			if diff := cmp.Diff(test.want, userErrors(t, test.call(r.w))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, all()); diff != "" {
				t.Errorf("the store changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestInvalidUserMutationsReturnUserErrors(t *testing.T) {
	r := newFixture(t)
	none := tables.DeletedValue
	r.mutate(t, newUser("Lucy"), tables.Users.Put("gone", &tables.User{Name: &none}, 1))
	wrong, old, key, version := "nobody", 151, strings.Repeat("k", 201), "1"
	create := func(u writers.NewUser, key *string) func(*writers.Writers) error {
		return func(w *writers.Writers) error { _, err := w.CreateUser(t.Context(), "boss", u, key); return err }
	}
	update := func(c writers.UserChange) func(*writers.Writers) error {
		return func(w *writers.Writers) error { _, err := w.UpdateUser(t.Context(), c); return err }
	}
	remove := func(name string) func(*writers.Writers) error {
		return func(w *writers.Writers) error { return w.DeleteUser(t.Context(), name) }
	}
	const (
		noName  = "BAD_USER_INPUT username: it can't contain ' '"
		noEmail = "BAD_USER_INPUT email: an email address has the form name@example.org, and at most 254 bytes"
		noAge   = "BAD_USER_INPUT age: an age is a number from 0 to 150, not 151"
		noURL   = "BAD_USER_INPUT avatarUrl: a URL is absolute, with http or https, without blanks or a user name, " +
			"and has at most 2048 bytes"
	)
	rejected(t, r, []rejection{
		{"a creation with a taken name", create(writers.NewUser{Username: "Lucy", Name: "x"}, nil),
			[]string{`ALREADY_EXISTS username: "Lucy" is taken`}},
		{"a creation with a deleted user's name", create(writers.NewUser{Username: "gone", Name: "x"}, nil),
			[]string{`ALREADY_EXISTS username: "gone" is taken`}},
		{"a creation with all fields invalid",
			create(writers.NewUser{Username: "a b", Email: &wrong, Age: &old, AvatarURL: &wrong}, &key),
			[]string{noName, "BAD_USER_INPUT name: it must have 1 to 200 characters, and has 0", noEmail, noAge, noURL,
				"BAD_USER_INPUT idempotencyKey: it must have 1 to 200 characters, and has 201"}},
		{"an update of an unknown user", update(writers.UserChange{Username: "nobody"}),
			[]string{`NOT_FOUND username: there is no "nobody"`}},
		{"an update of a deleted user", update(writers.UserChange{Username: "gone", Name: given(&wrong)}),
			[]string{`NOT_FOUND username: there is no "gone"`}},
		{"an update from another version", update(writers.UserChange{Username: "Lucy", ExpectedVersion: &version}),
			[]string{`CONFLICT expectedVersion: it was changed by another request: the version is now "0"`}},
		{"an update with all fields invalid", update(writers.UserChange{
			Username:  "a b",
			Name:      given(nil),
			Email:     given(&wrong),
			Age:       writers.Change[int]{Given: true, Value: &old},
			AvatarURL: given(&wrong),
		}),
			[]string{noName, "BAD_USER_INPUT name: it can be changed, but not removed", noEmail, noAge, noURL}},
		{"a deletion of an unknown user", remove("nobody"), []string{`NOT_FOUND username: there is no "nobody"`}},
		{"a deletion of a deleted user", remove("gone"), []string{`NOT_FOUND username: there is no "gone"`}},
		{"a deletion with an invalid name", remove("a b"), []string{noName}},
	})
}

func TestCreateUserIsIdempotentUnderItsKey(t *testing.T) {
	r := newFixture(t)
	key := "again"
	create := func(caller, name string, key *string) []string {
		_, err := r.w.CreateUser(t.Context(), caller, writers.NewUser{Username: "Lucy", Name: name}, key)
		return userErrors(t, err)
	}
	taken := []string{`ALREADY_EXISTS username: "Lucy" is taken`}
	for _, step := range []struct {
		reason, caller, name string
		key                  *string
		want                 []string
	}{
		{"the first call creates the user", "boss", "first", &key, nil},
		{"the second call changes nothing", "boss", "second", &key, nil},
		{"another caller with the key is rejected", "other", "third", &key, taken},
		{"a call without a key is rejected", "boss", "fourth", nil, taken},
	} {
		if diff := cmp.Diff(step.want, create(step.caller, step.name, step.key)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.reason, diff)
		}
		if user := object(t, r, tables.Users, "Lucy"); user == nil || *user.Name != "first" || user.CreatedAt == nil {
			t.Fatalf("%s: got user %+v", step.reason, user)
		}
	}
	name, err := r.w.CreateUser(t.Context(), "boss", writers.NewUser{Username: "Support", Name: "Help"}, nil)
	if name != "Support" || err != nil {
		t.Error(name, err)
	}
}

func TestUpdateUserChangesGivenAttributes(t *testing.T) {
	r := newFixture(t)
	email, avatar, age := "lucy@example.org", "https://example.org/l.jpg", 7
	r.mutate(t, newUser("Lucy"), tables.Users.Put("Lucy", &tables.User{Email: &email, Age: &age, AvatarURL: &avatar}, 1))
	version := "0"
	update := func(c writers.UserChange) *tables.User {
		t.Helper()
		c.Username, c.ExpectedVersion = "Lucy", &version
		if _, err := r.w.UpdateUser(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		user := object(t, r, tables.Users, "Lucy")
		version = *user.Version
		return user
	}
	zero, name := 0, "Lucia"
	u := update(writers.UserChange{Age: writers.Change[int]{Given: true, Value: &zero}})
	if *u.Age != 0 || *u.Name != "Lucy" || *u.Email != email || *u.AvatarURL != avatar {
		t.Errorf("%+v", u)
	}
	before := version
	u = update(writers.UserChange{Email: given(nil), AvatarURL: given(nil), Name: given(&name)})
	if u.Email != nil || u.AvatarURL != nil || *u.Name != name || version == before {
		t.Errorf("%+v", u)
	}
	before = version
	if update(writers.UserChange{Name: given(&name), Email: given(nil)}); version != before {
		t.Error("an update without a change made a new version")
	}
	if u := update(writers.UserChange{Email: given(&email)}); *u.Email != email {
		t.Errorf("%+v", u)
	}
	stale := "0"
	_, err := r.w.UpdateUser(t.Context(), writers.UserChange{Username: "Lucy", ExpectedVersion: &stale})
	if got := strings.Join(userErrors(t, err), "; "); !strings.HasPrefix(got, "CONFLICT expectedVersion: ") {
		t.Error(got)
	}
}

func TestDeletedUserCannotLogIn(t *testing.T) {
	r := newFixture(t)
	if _, err := r.SignUp(t.Context(), writers.NewUser{Username: "Lucy", Name: "Lucy"}, secret, nil); err != nil {
		t.Fatal(err)
	}
	if err := r.w.DeleteUser(t.Context(), "Lucy"); err != nil {
		t.Fatal(err)
	}
	if left := r.rows(t, tables.Accounts.Table); len(left) > 0 {
		t.Errorf("the account still exists: %v", left)
	}
	_, err := r.LogIn(t.Context(), "Lucy", secret)
	wrong := []string{"WRONG_CREDENTIALS : the username or the password is wrong"}
	if diff := cmp.Diff(wrong, userErrors(t, err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err = r.SignUp(t.Context(), writers.NewUser{Username: "Lucy", Name: "Lucy"}, secret, nil)
	if diff := cmp.Diff([]string{`ALREADY_EXISTS username: "Lucy" is taken`}, userErrors(t, err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
