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

func TestWhoSignsUpAgainUnderTheSameKeyHasOneAccount(t *testing.T) {
	r := newRegistry(t)
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
		t.Errorf("it changed the user:\n%s", diff)
	}
	if diff := cmp.Diff(accounts, r.rows(t, tables.Accounts.Table)); diff != "" {
		t.Errorf("it changed the account:\n%s", diff)
	}
	if _, err := r.SignUp(t.Context(), writers.NewUser{Username: "Lucy", Name: "Lucy"}, secret, &key); err != nil {
		t.Errorf("the key is one for each name: %v", err)
	}
}

func TestOfManyWhoSignUpUnderOneKeyAllDo(t *testing.T) {
	r := newRegistry(t)
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
		t.Errorf("there are %d accounts", n)
	}
}

// The first gateway dies at a write, before or after it is done; another is asked at once.
func TestASigningUpWhoseAnswerIsLostIsDoneUnderItsKey(t *testing.T) {
	for _, kind := range []string{"Put", "CheckAndPut"} {
		for _, table := range []string{tables.Intents.Table, tables.Users.Table, tables.Accounts.Table} {
			for _, done := range []bool{false, true} {
				r := newRegistry(t)
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
					t.Errorf("%s %s, done %v: %q is told %v", kind, table, done, username, err)
				}
				if _, err := r.LogIn(t.Context(), "LiLei", secret); err != nil {
					t.Errorf("%s %s, done %v: the account: %v", kind, table, done, err)
				}
			}
		}
	}
}

// What differs is neither answered otherwise, nor does it take other work: neither the store nor the processor tells who has the right key.
func TestTheKeyOfASigningUpShowsNothingWithoutThePassword(t *testing.T) {
	r := newRegistry(t)
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
		{"the password is wrong", "LiLei", "wrong horse", key, "LiLei"},
		{"the key is wrong", "LiLei", secret, another, "LiLei"},
		{"both are wrong", "LiLei", "wrong horse", another, "LiLei"},
		{"both are right", "LiLei", secret, key, ""},
		{"the user never signed up", "Lucy", secret, key, "Lucy"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			r.hashes.Store(0)
			recorder.Reset()
			_, err := accounts.SignUp(t.Context(), writers.NewUser{Username: test.username, Name: "x"}, test.secret, &test.key)
			var want []string
			if test.want != "" {
				want = []string{`ALREADY_EXISTS username: "` + test.want + `" is taken`}
			}
			if diff := cmp.Diff(want, problems(t, err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if n := r.hashes.Load(); n != 2 {
				t.Errorf("%d passwords were hashed", n)
			}
			if test.username != "LiLei" {
				return
			}
			got := strings.Join(recorder.Reads(), "\n")
			if reads == "" {
				reads = got
			}
			if diff := cmp.Diff(reads, got); diff != "" || got == "" {
				t.Errorf("it reads otherwise:\n%s", diff)
			}
		})
	}
}

func TestWhoWasDeletedIsNotSignedUpAgainByTheKey(t *testing.T) {
	r := newRegistry(t)
	key := "first"
	if _, err := r.SignUp(t.Context(), lilei, secret, &key); err != nil {
		t.Fatal(err)
	}
	if err := r.w.DeleteUser(t.Context(), "LiLei"); err != nil {
		t.Fatal(err)
	}
	_, err := r.SignUp(t.Context(), lilei, secret, &key)
	if diff := cmp.Diff([]string{`ALREADY_EXISTS username: "LiLei" is taken`}, problems(t, err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
