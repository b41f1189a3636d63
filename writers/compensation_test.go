package writers

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// halts returns what watches a gateway and stops the first call that is so, and how to know of it and to let it go on.
func halts(is func(kind, what string) bool) (watch Watch, at <-chan struct{}, on func()) {
	reached, release := make(chan struct{}, 1), make(chan struct{})
	var once atomic.Bool
	return func(ctx context.Context, kind string, what []string) (context.Context, func()) {
		if is(kind, what[0]) && once.CompareAndSwap(false, true) {
			reached <- struct{}{}
			<-release
		}
		return ctx, func() {}
	}, reached, func() { close(release) }
}

// An executor that found an end gone sends its undoing when that was made again, and somebody else was told that the relation is there.
func TestAnUndoingThatComesLateUndoesNothingThatOthersRelyOn(t *testing.T) {
	department, key, day := "staff", "once", "2026-01-02"
	for _, test := range []struct {
		name, kind, undo string
		// make begins the write, and is what others want too. end and again are of the end that goes and comes back.
		before, make, end, again func(ctx context.Context, w *Writers) error
		// there reports whether what was made is there.
		there func(t *testing.T, store hbase.Store) bool
	}{
		{
			"assignRole", "assignRole", "revokeRole",
			func(ctx context.Context, w *Writers) error { return createLead(ctx, w) },
			func(ctx context.Context, w *Writers) error { return w.Relate(ctx, tables.Assignments, "Lucy", "lead") },
			func(ctx context.Context, w *Writers) error { return w.DeleteRole(ctx, "lead") },
			func(ctx context.Context, w *Writers) error { return createLead(ctx, w) },
			func(t *testing.T, store hbase.Store) bool {
				cells, err := cellsOf(t.Context(), store, tables.Assignments.Get("Lucy", "lead"))
				yes, _, _ := tables.Assignments.Decode(cells)
				return yes && err == nil
			},
		}, {
			"updateRole", "updateRole", "undefineRole",
			func(ctx context.Context, w *Writers) error {
				if err := createLead(ctx, w); err != nil {
					return err
				}
				return createStaff(ctx, w)
			},
			func(ctx context.Context, w *Writers) error {
				_, err := w.UpdateRole(ctx, RoleChange{Code: "lead", Department: Change[string]{true, &department}})
				return err
			},
			func(ctx context.Context, w *Writers) error { return w.DeleteDepartment(ctx, department, false) },
			createStaff,
			func(t *testing.T, store hbase.Store) bool {
				cells, err := cellsOf(t.Context(), store, tables.Roles.Writable("lead"))
				role, _ := tables.Roles.Decode("lead", cells)
				return err == nil && role != nil && role.DepartmentCode != nil
			},
		}, {
			"recordPlay", "recordPlay", "erasePlays",
			createGo,
			func(ctx context.Context, w *Writers) error {
				_, err := w.RecordPlay(ctx, "Lucy", NewPlay{Game: "go", Day: &day, Count: 1, IdempotencyKey: &key})
				return err
			},
			func(ctx context.Context, w *Writers) error { return w.DeleteGame(ctx, "go") },
			createGo,
			func(t *testing.T, store hbase.Store) bool {
				cells, err := cellsOf(t.Context(), store, tables.Plays.Get("Lucy", "go"))
				days, _ := playedOn(cells)
				return err == nil && len(days) == 1
			},
		},
	} {
		for _, helped := range []bool{true, false} {
			name := test.name + ", and the other finds it on its way"
			if !helped {
				name = test.name + ", and it is done when the other comes"
			}
			t.Run(name, func(t *testing.T) {
				ctx := t.Context()
				store := openStore(t)
				defer store.Close()
				must(t, store, user("Lucy"))
				one, two := New(store, Options{}), New(store, Options{})
				check := func(err error) {
					t.Helper()
					if err != nil {
						t.Fatal(err)
					}
				}
				check(test.before(ctx, two))
				settle(t, two)
				adding, added, add := halts(func(kind, what string) bool { return kind == test.kind && strings.HasPrefix(what, "now 0 add") })
				undoing, undone, undo := halts(func(kind, what string) bool { return kind == test.undo && what == "commit" })
				one.watch = func(ctx context.Context, kind string, what []string) (context.Context, func()) {
					ctx, _ = adding(ctx, kind, what)
					return undoing(ctx, kind, what)
				}
				first := make(chan error, 1)
				go func() { first <- test.make(context.WithoutCancel(ctx), one) }()
				select {
				case <-added:
				case err := <-first:
					t.Fatal("nothing is added: ", err)
				}
				check(test.end(ctx, two))
				settle(t, two)
				add()
				select {
				case <-undone:
				case err := <-first:
					t.Fatal("nothing is undone: ", err)
				}
				check(test.again(ctx, two))
				if !helped {
					check(helpAll(ctx, store, two, test.kind))
				}
				check(test.make(ctx, two))
				undo()
				check(<-first)
				settle(t, one)
				settle(t, two)
				if !test.there(t, store) {
					t.Error("what was acknowledged last is gone, and nobody has undone it")
				}
			})
		}
	}
}

func createLead(ctx context.Context, w *Writers) error {
	_, err := w.CreateRole(ctx, "boss", NewRole{Code: "lead"})
	return err
}

func createStaff(ctx context.Context, w *Writers) error {
	_, err := w.CreateDepartment(ctx, "boss", NewDepartment{Code: "staff", Name: "Staff"})
	return err
}

func createGo(ctx context.Context, w *Writers) error {
	_, err := w.CreateGame(ctx, "boss", NewGame{Code: "go"})
	return err
}

// helpAll carries on what is open of a kind.
func helpAll(ctx context.Context, store hbase.Store, w *Writers, kind string) error {
	for row, err := range store.Scan(ctx, hbase.Scan{Table: tables.Intents.Table}) {
		if err != nil {
			return err
		}
		if x, _, err := w.parse(row.Key, row.Cells); err != nil || x.caller == kind {
			return errors.Join(err, x.complete(ctx, x.intent.ID))
		}
	}
	return errors.New("there is none")
}

// settle waits until nothing of a gateway's is open.
func settle(t *testing.T, w *Writers) {
	t.Helper()
	for began := time.Now(); w.Counters.Open.Load() > 0; time.Sleep(time.Millisecond) {
		if time.Since(began) > 10*time.Second {
			t.Fatal("still open: ", w.Counters.Open.Load())
		}
	}
}
