package writers_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
	"twibase/writers"
)

var lilei = writers.NewUser{Username: "LiLei", Name: "Li Lei"}

func TestSignUpIsIdempotentUnderItsKey(t *testing.T) {
	r := newFixture(t)
	key := "first"
	if _, err := r.SignUp(t.Context(), lilei, secret, &key); err != nil {
		t.Fatal(err)
	}
	users, accounts := r.rows(t, tables.Users.Table), r.rows(t, tables.Accounts.Table)
	email := "li@example.org"
	for _, u := range []writers.NewUser{lilei, {Username: "LiLei", Name: "Another", Email: &email}} {
		if username, err := r.SignUp(t.Context(), u, secret, &key); err != nil || username != "LiLei" {
			t.Errorf("%q, error %v", username, err)
		}
	}
	if diff := cmp.Diff(users, r.rows(t, tables.Users.Table)); diff != "" {
		t.Errorf("the user changed:\n%s", diff)
	}
	if diff := cmp.Diff(accounts, r.rows(t, tables.Accounts.Table)); diff != "" {
		t.Errorf("the account changed:\n%s", diff)
	}
	if _, err := r.SignUp(t.Context(), writers.NewUser{Username: "Lucy", Name: "Lucy"}, secret, &key); err != nil {
		t.Errorf("the same key with another name: %v", err)
	}
}

func TestConcurrentSignUpsUnderOneKeySucceed(t *testing.T) {
	r := newFixture(t)
	key := "first"
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := r.SignUp(t.Context(), lilei, secret, &key); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := len(r.rows(t, tables.Accounts.Table)); n != 1 {
		t.Errorf("got %d accounts, want 1", n)
	}
}

// The call is repeated at another gateway.
func TestSignUpWithLostResponseIsRepeatableUnderItsKey(t *testing.T) {
	for _, kind := range []string{"Put", "CheckAndPut"} {
		for _, table := range []string{tables.Intents.Table, tables.Users.Table, tables.Accounts.Table} {
			for _, done := range []bool{false, true} {
				r := newFixture(t)
				var dead atomic.Bool
				dying := hbasetest.NewFaults(r.store, func(op hbasetest.Op) hbasetest.Fault {
					switch {
					case dead.Load():
						return hbasetest.Fault{Err: hbase.ErrUnavailable}
					case op.Kind == kind && op.Table == table:
						dead.Store(true)
						return hbasetest.Fault{Err: hbase.ErrUnavailable, Done: done}
					}
					return hbasetest.Fault{}
				})
				key := "first"
				first := writers.New(dying, writers.Options{})
				_, err := writers.NewAccounts(first, r.hasher(quick)).SignUp(t.Context(), lilei, secret, &key)
				first.Close(t.Context())
				if dead.Load() != (err != nil) || errors.As(err, new(writers.UserErrors)) {
					t.Errorf("%s %s, done %v: error %v", kind, table, done, err)
				}
				if username, err := r.SignUp(t.Context(), lilei, secret, &key); err != nil || username != "LiLei" {
					t.Errorf("%s %s, done %v: repeated sign-up: %q, error %v", kind, table, done, username, err)
				}
				if _, err := r.LogIn(t.Context(), "LiLei", secret); err != nil {
					t.Errorf("%s %s, done %v: log-in: %v", kind, table, done, err)
				}
			}
		}
	}
}

// The key affects neither the response nor the reads nor the number of hashed passwords.
func TestSignUpKeyRevealsNothingWithoutThePassword(t *testing.T) {
	r := newFixture(t)
	recorder := hbasetest.NewRecorder(r.store, hbasetest.Names{})
	accounts := writers.NewAccounts(writers.New(recorder, writers.Options{}), r.hasher(quick))
	key, another := "first", "another"
	if _, err := r.SignUp(t.Context(), lilei, secret, &key); err != nil {
		t.Fatal(err)
	}
	name := "Lucy"
	r.mutate(t, tables.Users.Put("Lucy", &tables.User{Name: &name}, 1))
	var reads string
	for _, test := range []struct {
		reason, username, secret, key string
		want                          string
	}{
		{"wrong password", "LiLei", "wrong horse", key, "LiLei"},
		{"wrong key", "LiLei", secret, another, "LiLei"},
		{"wrong password and key", "LiLei", "wrong horse", another, "LiLei"},
		{"right password and key", "LiLei", secret, key, ""},
		{"user without an account", "Lucy", secret, key, "Lucy"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			r.hashes.Store(0)
			recorder.Reset()
			_, err := accounts.SignUp(t.Context(), writers.NewUser{Username: test.username, Name: "x"}, test.secret, &test.key)
			var want []string
			if test.want != "" {
				want = []string{`ALREADY_EXISTS username: "` + test.want + `" is taken`}
			}
			if diff := cmp.Diff(want, userErrors(t, err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if n := r.hashes.Load(); n != 2 {
				t.Errorf("got %d hashed passwords, want 2", n)
			}
			if test.username != "LiLei" {
				return
			}
			got := strings.Join(recorder.Reads(), "\n")
			if reads == "" {
				reads = got
			}
			if diff := cmp.Diff(reads, got); diff != "" || got == "" {
				t.Errorf("the reads differ:\n%s", diff)
			}
		})
	}
}

func TestDeletedUserIsNotSignedUpAgainUnderTheKey(t *testing.T) {
	r := newFixture(t)
	key := "first"
	if _, err := r.SignUp(t.Context(), lilei, secret, &key); err != nil {
		t.Fatal(err)
	}
	if err := r.w.DeleteUser(t.Context(), "LiLei"); err != nil {
		t.Fatal(err)
	}
	_, err := r.SignUp(t.Context(), lilei, secret, &key)
	if diff := cmp.Diff([]string{`ALREADY_EXISTS username: "LiLei" is taken`}, userErrors(t, err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
