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

type lossyStore struct {
	hbase.Store
	table         string
	first         sync.Once
	applied, dies bool // applied: the first CheckAndPut is applied; dies: the first and all later calls fail
	after         func()
	dead          atomic.Bool
}

func (s *lossyStore) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (done bool, err error) {
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
	if !hit || s.applied {
		done, err = s.Store.CheckAndPut(ctx, check, put)
	}
	if hit {
		s.after()
		return false, hbase.ErrUnavailable
	}
	return done, err
}

func (s *lossyStore) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	if s.dead.Load() {
		return nil, hbase.ErrUnavailable
	}
	return s.Store.Get(ctx, gets)
}

func (s *lossyStore) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	if s.dead.Load() {
		return nil, hbase.ErrUnavailable
	}
	return s.Store.Mutate(ctx, mutations)
}

var versioned = []struct {
	opType string
	row    hbase.Get
	change func(ctx context.Context, w *Writers, version *string) error
	other  func(ctx context.Context, w *Writers) error // another caller's operation on the commit row
}{
	{"updateUser", tables.Users.Get("Lucy", tables.Attributes),
		func(ctx context.Context, w *Writers, version *string) error {
			c := UserChange{Username: "Lucy", Name: Change[string]{true, new("mine")}, ExpectedVersion: version}
			_, err := w.UpdateUser(ctx, c)
			return err
		}, func(ctx context.Context, w *Writers) error {
			_, err := w.UpdateUser(ctx, UserChange{Username: "Lucy", Name: Change[string]{true, new("theirs")}})
			return err
		}},
	{"updateRole", tables.Roles.Get("lead", tables.Attributes),
		func(ctx context.Context, w *Writers, version *string) error {
			c := RoleChange{Code: "lead", Name: Change[string]{true, new("mine")}, ExpectedVersion: version}
			_, err := w.UpdateRole(ctx, c)
			return err
		}, func(ctx context.Context, w *Writers) error {
			_, err := w.UpdateRole(ctx, RoleChange{Code: "lead", Name: Change[string]{true, new("theirs")}})
			return err
		}},
	{"updateGame", tables.Games.Get("go", tables.Attributes),
		func(ctx context.Context, w *Writers, version *string) error {
			change := GameChange{Code: "go", Name: Change[string]{true, new("mine")}, ExpectedVersion: version}
			_, err := w.UpdateGame(ctx, change)
			return err
		}, func(ctx context.Context, w *Writers) error {
			_, err := w.UpdateGame(ctx, GameChange{Code: "go", Name: Change[string]{true, new("theirs")}})
			return err
		}},
	{"updateDepartment", tables.Departments.Get("d2", tables.Attributes),
		func(ctx context.Context, w *Writers, version *string) error {
			_, err := w.UpdateDepartment(ctx, DepartmentChange{"d2", Change[string]{true, new("mine")}, version})
			return err
		}, create("other", "d1")},
	{"moveDepartment", tables.Departments.Get("d2", tables.Attributes),
		func(ctx context.Context, w *Writers, version *string) error {
			_, err := w.MoveDepartment(ctx, "d2", nil, version)
			return err
		}, create("other", "d1")},
}

func versionedObjects(t *testing.T) hbase.Store {
	t.Helper()
	store, role := openStore(t), "lead"
	chain(t, 3)(store)
	addGame(t, store)
	mustMutate(t, store, tables.Roles.Put(role, &tables.Role{Name: &role}, 1))
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

const imported = "0"

// The response of a committed update is lost, and another operation commits on the row. CONFLICT
// would deny the update.
func TestOverwrittenUpdateIsUnknownNotAConflict(t *testing.T) {
	for _, v := range versioned {
		t.Run(v.opType, func(t *testing.T) {
			store := versionedObjects(t)
			defer store.Close()
			other := New(store, Options{})
			defer other.Close(t.Context())
			after := ""
			w := New(&lossyStore{Store: store, table: v.row.Table, applied: true, after: func() {
				if err := v.other(t.Context(), other); err != nil {
					t.Error(err)
				}
				after = versionOf(t, store, v.row)
			}}, Options{})
			defer w.Close(t.Context())
			if err := v.change(t.Context(), w, new(imported)); !errors.Is(err, ErrUnknown) {
				t.Errorf("error %v", err)
			}
			if now := versionOf(t, store, v.row); after == imported || now != after {
				t.Errorf("got version %s after the retry, want %s", now, after)
			}
		})
	}
}

func TestFencedUpdateSucceedsOnRetry(t *testing.T) {
	for _, v := range versioned {
		t.Run(v.opType, func(t *testing.T) {
			store := versionedObjects(t)
			defer store.Close()
			w := New(&lossyStore{Store: store, table: v.row.Table, after: func() {}}, Options{})
			defer w.Close(t.Context())
			if err := v.change(t.Context(), w, new(imported)); err != nil {
				t.Error(err)
			}
			if _, err := tables.OpTime(versionOf(t, store, v.row)); err != nil {
				t.Errorf("the version is not an operation id: %v", err)
			}
		})
	}
}

func TestFenceDoesNotChangeTheVersion(t *testing.T) {
	for _, v := range versioned {
		t.Run(v.opType, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := versionedObjects(t)
				defer store.Close()
				dead := New(&lossyStore{Store: store, table: v.row.Table, dies: true}, Options{})
				if err := v.change(t.Context(), dead, nil); !errors.Is(err, hbase.ErrUnavailable) {
					t.Errorf("error %v", err)
				}
				dead.Close(t.Context())
				w := New(store, Options{})
				defer w.Close(t.Context())
				time.Sleep(staleAge + time.Second)
				if err := w.Sweep(t.Context()); err != nil {
					t.Fatal(err)
				}
				if n, err := countIntents(t.Context(), store); n > 0 || err != nil {
					t.Fatalf("%d intents are left, error %v", n, err)
				}
				if version := versionOf(t, store, v.row); version != imported {
					t.Errorf("got version %s, want %s", version, imported)
				}
				if err := v.change(t.Context(), w, new(imported)); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
