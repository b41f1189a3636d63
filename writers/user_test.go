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

// object reads all that is said of one.
func object[T any](t *testing.T, r *registry, o *tables.Object[T], key string) *T {
	t.Helper()
	results, err := r.store.Get(t.Context(), []hbase.Get{o.Get(key, o.All())})
	if err != nil || results[0].Err != nil {
		t.Fatal(err, results[0].Err)
	}
	object, err := o.Decode(key, results[0].Cells)
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// bad is a call with input that it refuses.
type bad struct {
	reason string
	call   func(w *writers.Writers) error
	want   []string
}

// refused checks that each call is refused, with all that is wrong, and that none changes anything.
func refused(t *testing.T, r *registry, calls []bad) {
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
			if diff := cmp.Diff(test.want, problems(t, test.call(r.w))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, all()); diff != "" {
				t.Errorf("it changed the store (-before +after):\n%s", diff)
			}
		})
	}
}

func TestUsersAreRefused(t *testing.T) {
	r := newRegistry(t)
	none := tables.Gone
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
		noURL   = "BAD_USER_INPUT avatarUrl: a URL is absolute, with http or https, without blanks and a password, and has at most 2048 bytes"
	)
	refused(t, r, []bad{
		{"a name that is taken", create(writers.NewUser{Username: "Lucy", Name: "x"}, nil), []string{`ALREADY_EXISTS username: "Lucy" is taken`}},
		{"a name that was a deleted user's", create(writers.NewUser{Username: "gone", Name: "x"}, nil), []string{`ALREADY_EXISTS username: "gone" is taken`}},
		{"all of a new user", create(writers.NewUser{Username: "a b", Email: &wrong, Age: &old, AvatarURL: &wrong}, &key), []string{noName,
			"BAD_USER_INPUT name: it has 1 to 200 characters, not 0", noEmail, noAge, noURL, "BAD_USER_INPUT idempotencyKey: it has 1 to 200 characters, not 201"}},
		{"a change of nobody", update(writers.UserChange{Username: "nobody"}), []string{`NOT_FOUND username: there is no "nobody"`}},
		{"a change of who is gone", update(writers.UserChange{Username: "gone", Name: writers.Change[string]{Given: true, Value: &wrong}}),
			[]string{`NOT_FOUND username: there is no "gone"`}},
		{"a change of another version", update(writers.UserChange{Username: "Lucy", ExpectedVersion: &version}),
			[]string{`CONFLICT expectedVersion: it was changed meanwhile: the version is "0" now`}},
		{"a change of everything", update(writers.UserChange{Username: "a b", Name: writers.Change[string]{Given: true}, Email: writers.Change[string]{Given: true, Value: &wrong},
			Age: writers.Change[int]{Given: true, Value: &old}, AvatarURL: writers.Change[string]{Given: true, Value: &wrong}}),
			[]string{noName, "BAD_USER_INPUT name: it can be changed, but not taken away", noEmail, noAge, noURL}},
		{"the end of nobody", remove("nobody"), []string{`NOT_FOUND username: there is no "nobody"`}},
		{"the end of who is gone", remove("gone"), []string{`NOT_FOUND username: there is no "gone"`}},
		{"the end of a name that nobody can have", remove("a b"), []string{noName}},
	})
}

func TestAUserIsMadeOnceUnderAKey(t *testing.T) {
	r := newRegistry(t)
	key := "again"
	create := func(caller, name string, key *string) []string {
		_, err := r.w.CreateUser(t.Context(), caller, writers.NewUser{Username: "Lucy", Name: name}, key)
		return problems(t, err)
	}
	taken := []string{`ALREADY_EXISTS username: "Lucy" is taken`}
	for _, step := range []struct {
		reason, caller, name string
		key                  *string
		want                 []string
	}{
		{"the first makes it", "boss", "first", &key, nil},
		{"the second is the first", "boss", "second", &key, nil},
		{"another's key is another", "other", "third", &key, taken},
		{"and so is none", "boss", "fourth", nil, taken},
	} {
		if diff := cmp.Diff(step.want, create(step.caller, step.name, step.key)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.reason, diff)
		}
		if user := object(t, r, tables.Users, "Lucy"); user == nil || *user.Name != "first" || user.CreatedAt == nil {
			t.Fatalf("%s: the user is %+v", step.reason, user)
		}
	}
	// Reserved names are an administrator's to give.
	if name, err := r.w.CreateUser(t.Context(), "boss", writers.NewUser{Username: "Support", Name: "Help"}, nil); name != "Support" || err != nil {
		t.Error(name, err)
	}
}

func TestAnUpdateChangesWhatIsGiven(t *testing.T) {
	r := newRegistry(t)
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
	if u := update(writers.UserChange{Age: writers.Change[int]{Given: true, Value: &zero}}); *u.Age != 0 || *u.Name != "Lucy" || *u.Email != email || *u.AvatarURL != avatar {
		t.Errorf("%+v", u)
	}
	before := version
	if u := update(writers.UserChange{Email: writers.Change[string]{Given: true}, AvatarURL: writers.Change[string]{Given: true}, Name: writers.Change[string]{Given: true, Value: &name}}); u.Email != nil || u.AvatarURL != nil || *u.Name != name || version == before {
		t.Errorf("%+v", u)
	}
	before = version
	if update(writers.UserChange{Name: writers.Change[string]{Given: true, Value: &name}, Email: writers.Change[string]{Given: true}}); version != before {
		t.Error("what changes nothing has a new version")
	}
	if u := update(writers.UserChange{Email: writers.Change[string]{Given: true, Value: &email}}); *u.Email != email {
		t.Errorf("%+v", u)
	}
	stale := "0"
	_, err := r.w.UpdateUser(t.Context(), writers.UserChange{Username: "Lucy", ExpectedVersion: &stale})
	if got := strings.Join(problems(t, err), "; "); !strings.HasPrefix(got, "CONFLICT expectedVersion: ") {
		t.Error(got)
	}
}

func TestWhoIsDeletedCanNotLogInAtOnce(t *testing.T) {
	r := newRegistry(t)
	if _, err := r.SignUp(t.Context(), writers.NewUser{Username: "Lucy", Name: "Lucy"}, secret, nil); err != nil {
		t.Fatal(err)
	}
	if err := r.w.DeleteUser(t.Context(), "Lucy"); err != nil {
		t.Fatal(err)
	}
	if left := r.rows(t, tables.Accounts.Table); len(left) > 0 {
		t.Errorf("there is still an account: %v", left)
	}
	_, err := r.LogIn(t.Context(), "Lucy", secret)
	if diff := cmp.Diff([]string{"WRONG_CREDENTIALS : the username and the password do not belong together"}, problems(t, err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err = r.SignUp(t.Context(), writers.NewUser{Username: "Lucy", Name: "Lucy"}, secret, nil)
	if diff := cmp.Diff([]string{`ALREADY_EXISTS username: "Lucy" is taken`}, problems(t, err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
