package writers_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/argon2"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
	"twibase/writers"
	"twibase/writers/password"
)

type fixture struct {
	*writers.Accounts
	w      *writers.Writers
	store  hbase.Store
	hashes atomic.Int64
}

var quick = password.Params{KiB: 8, Passes: 1, Threads: 1}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	store, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables.Definitions(1) {
		if err := store.CreateTable(t.Context(), table); err != nil {
			t.Fatal(err)
		}
	}
	r := &fixture{store: store, w: writers.New(store, writers.Options{})}
	r.Accounts = writers.NewAccounts(r.w, r.hasher(quick))
	t.Cleanup(func() {
		r.w.Close(context.Background())
		store.Close()
	})
	return r
}

func (r *fixture) hasher(params password.Params) *password.Hasher {
	return password.With(params, func(password, salt []byte, passes, kib uint32, threads uint8, size uint32) []byte {
		r.hashes.Add(1)
		return argon2.IDKey(password, salt, passes, kib, threads, size)
	})
}

func (r *fixture) rows(t *testing.T, table string) (all []hbase.Row) {
	t.Helper()
	for row, err := range r.store.Scan(t.Context(), hbase.Scan{Table: table}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	return all
}

func (r *fixture) mutate(t *testing.T, mutations ...hbase.Mutation) {
	t.Helper()
	errs, err := r.store.Mutate(t.Context(), mutations)
	if err := errors.Join(append(errs, err)...); err != nil {
		t.Fatal(err)
	}
}

func userErrors(t *testing.T, err error) []string {
	t.Helper()
	var list writers.UserErrors
	if err != nil && !errors.As(err, &list) {
		t.Fatal(err)
	}
	var all []string
	for _, p := range list {
		all = append(all, string(p.Code)+" "+p.Field+": "+p.Message)
	}
	return all
}

const secret = "correct horse"

func TestSignUpStoresUserAndPasswordHash(t *testing.T) {
	r := newFixture(t)
	email, age, avatar := "li@example.org", 17, "https://example.org/li.jpg"
	u := writers.NewUser{Username: "Ame\u0301lie", Name: "Li Lei", Email: &email, Age: &age, AvatarURL: &avatar}
	username, err := r.SignUp(t.Context(), u, secret, nil)
	if err != nil || username != "Am\u00e9lie" {
		t.Fatal(username, err)
	}
	results, err := r.store.Get(t.Context(),
		[]hbase.Get{tables.Users.Get(username, tables.Attributes), tables.Accounts.Get(username)})
	if err != nil {
		t.Fatal(err)
	}
	user, err := tables.Users.Decode(username, results[0].Cells)
	if err != nil || *user.Name != "Li Lei" || *user.Email != email || *user.Age != age ||
		*user.AvatarURL != avatar || user.CreatedAt == nil {
		t.Errorf("got user %+v, error %v", user, err)
	}
	hash, at, err := tables.Accounts.Decode(results[1].Cells)
	if err != nil || !strings.HasPrefix(hash, "$argon2id$") || at != results[0].Cells[0].Timestamp {
		t.Errorf("got hash %q at %d, error %v", hash, at, err)
	}
	r.w.Close(t.Context())
	if left := r.rows(t, tables.Intents.Table); len(left) > 0 {
		t.Errorf("intents are left: %v", left)
	}
}

func TestSignUpRejectsInvalidInput(t *testing.T) {
	r := newFixture(t)
	name := "Lucy"
	r.mutate(t, tables.Users.Put("Lucy", &tables.User{Name: &name}, 1))
	gone := tables.DeletedValue
	r.mutate(t, tables.Users.Put("gone", &tables.User{Name: &gone}, 1))
	bad, old := "nobody", 151
	for _, test := range []struct {
		reason string
		user   writers.NewUser
		secret string
		want   []string
	}{
		{"taken name", writers.NewUser{Username: "Lucy", Name: "x"}, secret,
			[]string{`ALREADY_EXISTS username: "Lucy" is taken`}},
		{"name of a deleted user", writers.NewUser{Username: "gone", Name: "x"}, secret,
			[]string{`ALREADY_EXISTS username: "gone" is taken`}},
		{"all fields invalid", writers.NewUser{Username: "admin", Email: &bad, Age: &old, AvatarURL: &bad}, "short", []string{
			`BAD_USER_INPUT username: "admin" is reserved`,
			"BAD_USER_INPUT name: it must have 1 to 200 characters, and has 0",
			"BAD_USER_INPUT email: an email address has the form name@example.org, and at most 254 bytes",
			"BAD_USER_INPUT age: an age is a number from 0 to 150, not 151",
			"BAD_USER_INPUT avatarUrl: a URL is absolute, with http or https, without blanks or a user name, " +
				"and has at most 2048 bytes",
			"BAD_USER_INPUT password: a password has 8 to 1024 bytes, not 5",
		}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			before := r.rows(t, tables.Users.Table)
			_, err := r.SignUp(t.Context(), test.user, test.secret, nil)
			if diff := cmp.Diff(test.want, userErrors(t, err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, r.rows(t, tables.Users.Table)); diff != "" {
				t.Errorf("the users changed:\n%s", diff)
			}
			for _, table := range []string{tables.Accounts.Table, tables.Intents.Table} {
				if rows := r.rows(t, table); len(rows) > 0 {
					t.Errorf("%v are left in %s", rows, table)
				}
			}
		})
	}
}

func TestConcurrentSignUpsWithOneNameCreateOneAccount(t *testing.T) {
	r := newFixture(t)
	var all sync.WaitGroup
	secrets := make([]string, 20)
	errs := make([]error, len(secrets))
	for i := range secrets {
		secrets[i] = secret + string(rune('a'+i))
		all.Go(func() {
			_, errs[i] = r.SignUp(t.Context(), writers.NewUser{Username: "LiLei", Name: secrets[i]}, secrets[i], nil)
		})
	}
	all.Wait()
	won := -1
	for i, err := range errs {
		if err == nil && won >= 0 {
			t.Errorf("calls %d and %d created the account", won, i)
		} else if err == nil {
			won = i
		} else if got := userErrors(t, err); !slices.Equal(got, []string{`ALREADY_EXISTS username: "LiLei" is taken`}) {
			t.Errorf("call %d: got %v", i, got)
		}
	}
	for i := range secrets {
		if _, err := r.LogIn(t.Context(), "LiLei", secrets[i]); (err == nil) != (i == won) {
			t.Errorf("call %d created the account; log-in with password %d: %v", won, i, err)
		}
	}
}

// All cases hash exactly one password, so they take the same time.
func TestLogInDoesNotRevealAccounts(t *testing.T) {
	r := newFixture(t)
	for _, username := range []string{"LiLei", "deleted"} {
		if _, err := r.SignUp(t.Context(), writers.NewUser{Username: username, Name: "x"}, secret, nil); err != nil {
			t.Fatal(err)
		}
	}
	name, gone := "Lucy", tables.DeletedValue
	r.mutate(t, tables.Users.Put("Lucy", &tables.User{Name: &name}, 1))
	r.mutate(t, tables.Users.Put("deleted", &tables.User{Name: &gone}, 1<<50))
	wrong := []string{"WRONG_CREDENTIALS : the username or the password is wrong"}
	for _, test := range []struct {
		reason, username, secret string
		want                     []string
	}{
		{"right password", "LiLei", secret, nil},
		{"wrong password", "LiLei", "wrong horse", wrong},
		{"empty password", "LiLei", "", wrong},
		{"password of a MiB", "LiLei", strings.Repeat("x", 1<<20), wrong},
		{"unknown user", "nobody", secret, wrong},
		{"invalid username", "no body", secret, wrong},
		{"user without an account", "Lucy", secret, wrong},
		{"deleted user whose account still exists", "deleted", secret, wrong},
	} {
		t.Run(test.reason, func(t *testing.T) {
			r.hashes.Store(0)
			_, err := r.LogIn(t.Context(), test.username, test.secret)
			if diff := cmp.Diff(test.want, userErrors(t, err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if n := r.hashes.Load(); n != 1 {
				t.Errorf("got %d hashed passwords, want 1", n)
			}
		})
	}
}

func TestLogInNormalizesUsernameAndPassword(t *testing.T) {
	r := newFixture(t)
	u := writers.NewUser{Username: "Am\u00e9lie", Name: "x"}
	if _, err := r.SignUp(t.Context(), u, "mot de passe\u0301", nil); err != nil {
		t.Fatal(err)
	}
	username, err := r.LogIn(t.Context(), "Ame\u0301lie", "mot de pass\u00e9")
	if err != nil || username != u.Username {
		t.Errorf("got %q, error %v", username, err)
	}
}

func TestLogInRehashesWithCurrentParameters(t *testing.T) {
	r := newFixture(t)
	if _, err := r.SignUp(t.Context(), writers.NewUser{Username: "LiLei", Name: "x"}, secret, nil); err != nil {
		t.Fatal(err)
	}
	before := r.rows(t, tables.Accounts.Table)
	now := writers.NewAccounts(r.w, r.hasher(password.Params{KiB: 16, Passes: 1, Threads: 1}))
	if _, err := now.LogIn(t.Context(), "LiLei", "wrong horse"); err == nil {
		t.Error("a wrong password was accepted")
	}
	if diff := cmp.Diff(before, r.rows(t, tables.Accounts.Table)); diff != "" {
		t.Errorf("a wrong password changed the account:\n%s", diff)
	}
	for _, hashes := range []int64{2, 1} {
		r.hashes.Store(0)
		if _, err := now.LogIn(t.Context(), "LiLei", secret); err != nil || r.hashes.Load() != hashes {
			t.Errorf("%d hashes, error %v", r.hashes.Load(), err)
		}
	}
	after := r.rows(t, tables.Accounts.Table)
	if got := string(after[0].Cells[0].Value); !strings.HasPrefix(got, "$argon2id$v=19$m=16,t=1,p=1$") {
		t.Errorf("got hash %s", got)
	}
	if a, b := before[0].Cells[0].Timestamp, after[0].Cells[0].Timestamp; a != b {
		t.Errorf("got timestamp %d, want %d, so that a deletion in between masks the account", b, a)
	}
}

func TestCorruptAccountIsNotAWrongPassword(t *testing.T) {
	r := newFixture(t)
	name := "Li Lei"
	r.mutate(t, tables.Users.Put("LiLei", &tables.User{Name: &name}, 1),
		tables.Accounts.Put("LiLei", "$argon2id$v=19$m=4294967295,t=1,p=1$AA$AA", 1))
	if _, err := r.LogIn(t.Context(), "LiLei", secret); !errors.Is(err, password.ErrFormat) {
		t.Errorf("error %v", err)
	}
}
