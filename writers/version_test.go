package writers

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// severed is a store of which a gateway loses the answer to its first decision in a table.
type severed struct {
	hbase.Store
	table string
	first sync.Once
	// made is whether the decision is made, after is called then, and dies is whether the gateway does, and nothing is made any more.
	made, dies bool
	after      func()
	dead       atomic.Bool
}

func (s *severed) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (done bool, err error) {
	hit := false
	if put.Table == s.table {
		s.first.Do(func() { hit = true })
	}
	if hit && s.dies {
		s.dead.Store(true)
	}
	if s.dead.Load() {
		return false, hbase.ErrUnavailable
	}
	if !hit || s.made {
		done, err = s.Store.CheckAndPut(ctx, check, put)
	}
	if hit {
		s.after()
		return false, hbase.ErrUnavailable
	}
	return done, err
}

func (s *severed) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	if s.dead.Load() {
		return nil, hbase.ErrUnavailable
	}
	return s.Store.Get(ctx, gets)
}

func (s *severed) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	if s.dead.Load() {
		return nil, hbase.ErrUnavailable
	}
	return s.Store.Mutate(ctx, mutations)
}

// versioned are the changes that take a version.
var versioned = []struct {
	kind string
	row  hbase.Get
	// change is by who has seen a version, other by somebody else, on the same deciding row.
	change func(ctx context.Context, w *Writers, version *string) error
	other  func(ctx context.Context, w *Writers) error
}{
	{"updateUser", tables.Users.Get("Lucy", tables.Users.All()), func(ctx context.Context, w *Writers, version *string) error {
		_, err := w.UpdateUser(ctx, UserChange{Username: "Lucy", Name: Change[string]{true, pointer("mine")}, ExpectedVersion: version})
		return err
	}, func(ctx context.Context, w *Writers) error {
		_, err := w.UpdateUser(ctx, UserChange{Username: "Lucy", Name: Change[string]{true, pointer("theirs")}})
		return err
	}},
	{"updateRole", tables.Roles.Get("lead", tables.Roles.All()), func(ctx context.Context, w *Writers, version *string) error {
		_, err := w.UpdateRole(ctx, RoleChange{Code: "lead", Name: Change[string]{true, pointer("mine")}, ExpectedVersion: version})
		return err
	}, func(ctx context.Context, w *Writers) error {
		_, err := w.UpdateRole(ctx, RoleChange{Code: "lead", Name: Change[string]{true, pointer("theirs")}})
		return err
	}},
	{"updateGame", tables.Games.Get("go", tables.Games.All()), func(ctx context.Context, w *Writers, version *string) error {
		_, err := w.UpdateGame(ctx, GameChange{Code: "go", Name: Change[string]{true, pointer("mine")}, ExpectedVersion: version})
		return err
	}, func(ctx context.Context, w *Writers) error {
		_, err := w.UpdateGame(ctx, GameChange{Code: "go", Name: Change[string]{true, pointer("theirs")}})
		return err
	}},
	{"updateDepartment", tables.Departments.Get("d2", tables.Departments.All()), func(ctx context.Context, w *Writers, version *string) error {
		_, err := w.UpdateDepartment(ctx, DepartmentChange{"d2", Change[string]{true, pointer("mine")}, version})
		return err
	}, create("other", "d1")},
	{"moveDepartment", tables.Departments.Get("d2", tables.Departments.All()), func(ctx context.Context, w *Writers, version *string) error {
		_, err := w.MoveDepartment(ctx, "d2", nil, version)
		return err
	}, create("other", "d1")},
}

// versionedObjects are there as an import makes them.
func versionedObjects(t *testing.T) hbase.Store {
	t.Helper()
	store, role := openStore(t), "lead"
	chain(t, 3)(store)
	playground(t)(store)
	must(t, store, tables.Roles.Put(role, &tables.Role{Name: &role}, 1))
	return store
}

func versionOf(t *testing.T, store hbase.Store, row hbase.Get) string {
	t.Helper()
	cells, err := cellsOf(t.Context(), store, row)
	if err != nil {
		t.Fatal(err)
	}
	if version := attribute(cells, tables.Version); version != "" {
		return version
	}
	return imported
}

// imported is the version of what nobody has changed.
const imported = "0"

// The change was made, and somebody else has decided on the same row since: whether it was made nobody can tell, so nobody says that it was not.
func TestNobodyIsToldOfAConflictWithTheirOwnChange(t *testing.T) {
	for _, v := range versioned {
		t.Run(v.kind, func(t *testing.T) {
			store := versionedObjects(t)
			defer store.Close()
			other := New(store, Options{})
			defer other.Close(t.Context())
			after := ""
			w := New(&severed{Store: store, table: v.row.Table, made: true, after: func() {
				if err := v.other(t.Context(), other); err != nil {
					t.Error(err)
				}
				after = versionOf(t, store, v.row)
			}}, Options{})
			defer w.Close(t.Context())
			if err := v.change(t.Context(), w, pointer(imported)); !errors.Is(err, ErrUnknown) {
				t.Errorf("error %v", err)
			}
			if now := versionOf(t, store, v.row); after == imported || now != after {
				t.Errorf("it was made, and the version %s then, and is %s: nothing may be changed again", after, now)
			}
		})
	}
}

func TestAChangeThatWasKeptFromBeingDecidedIsMadeByItsSecondTry(t *testing.T) {
	for _, v := range versioned {
		t.Run(v.kind, func(t *testing.T) {
			store := versionedObjects(t)
			defer store.Close()
			w := New(&severed{Store: store, table: v.row.Table, after: func() {}}, Options{})
			defer w.Close(t.Context())
			if err := v.change(t.Context(), w, pointer(imported)); err != nil {
				t.Error(err)
			}
			if _, err := tables.OpTime(versionOf(t, store, v.row)); err != nil {
				t.Errorf("the version is no id of a write: %v", err)
			}
		})
	}
}

func TestASweepThatKeepsAChangeFromBeingDecidedLeavesTheVersion(t *testing.T) {
	for _, v := range versioned {
		t.Run(v.kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := versionedObjects(t)
				defer store.Close()
				dead := New(&severed{Store: store, table: v.row.Table, dies: true}, Options{})
				if err := v.change(t.Context(), dead, nil); !errors.Is(err, hbase.ErrUnavailable) {
					t.Errorf("error %v", err)
				}
				dead.Close(t.Context())
				w := New(store, Options{})
				defer w.Close(t.Context())
				time.Sleep(oldIntent + time.Second)
				if err := w.Sweep(t.Context()); err != nil {
					t.Fatal(err)
				}
				if n, err := intents(t.Context(), store); n > 0 || err != nil {
					t.Fatalf("%d intents are left, error %v", n, err)
				}
				if version := versionOf(t, store, v.row); version != imported {
					t.Errorf("the version is %s", version)
				}
				if err := v.change(t.Context(), w, pointer(imported)); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
