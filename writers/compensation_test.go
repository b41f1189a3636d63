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

func holdFirst(matches func(opType, purpose string) bool) (observe observer, held <-chan struct{}, release func()) {
	reached, proceed := make(chan struct{}, 1), make(chan struct{})
	var once atomic.Bool
	return func(ctx context.Context, c client, purposes []string) (context.Context, func()) {
		if matches(c.caller, purposes[0]) && once.CompareAndSwap(false, true) {
			reached <- struct{}{}
			<-proceed
		}
		return ctx, func() {}
	}, reached, func() { close(proceed) }
}

// The missing object was created again, and a repetition of the operation was acknowledged.
func TestLateCompensationFails(t *testing.T) {
	department, key, day := "staff", "once", "2026-01-02"
	for _, test := range []struct {
		name, opType, compensation string
		// before, remove and create change the object that operation needs
		before, operation, remove, create func(ctx context.Context, w *Writers) error
		applied                           func(t *testing.T, store hbase.Store) bool
	}{
		{
			"assignRole", "assignRole", "revokeRole",
			func(ctx context.Context, w *Writers) error { return createLeadRole(ctx, w) },
			func(ctx context.Context, w *Writers) error { return w.Relate(ctx, tables.Assignments, "Lucy", "lead") },
			func(ctx context.Context, w *Writers) error { return w.DeleteRole(ctx, "lead") },
			func(ctx context.Context, w *Writers) error { return createLeadRole(ctx, w) },
			func(t *testing.T, store hbase.Store) bool {
				cells, err := cellsOf(t.Context(), store, tables.Assignments.Get("Lucy", "lead"))
				yes, _, _ := tables.Assignments.Decode(cells)
				return yes && err == nil
			},
		}, {
			"updateRole", "updateRole", "undefineRole",
			func(ctx context.Context, w *Writers) error {
				if err := createLeadRole(ctx, w); err != nil {
					return err
				}
				return createStaffDepartment(ctx, w)
			},
			func(ctx context.Context, w *Writers) error {
				_, err := w.UpdateRole(ctx, RoleChange{Code: "lead", Department: Change[string]{true, &department}})
				return err
			},
			func(ctx context.Context, w *Writers) error { return w.DeleteDepartment(ctx, department, false) },
			createStaffDepartment,
			func(t *testing.T, store hbase.Store) bool {
				cells, err := cellsOf(t.Context(), store, tables.Roles.Writable("lead"))
				role, _ := tables.Roles.Decode("lead", cells)
				return err == nil && role != nil && role.DepartmentCode != nil
			},
		}, {
			"recordPlay", "recordPlay", "erasePlays",
			createGoGame,
			func(ctx context.Context, w *Writers) error {
				_, err := w.RecordPlay(ctx, "Lucy", NewPlay{Game: "go", Day: &day, Count: 1, IdempotencyKey: &key})
				return err
			},
			func(ctx context.Context, w *Writers) error { return w.DeleteGame(ctx, "go") },
			createGoGame,
			func(t *testing.T, store hbase.Store) bool {
				cells, err := cellsOf(t.Context(), store, tables.Plays.Get("Lucy", "go"))
				days, _ := playedOn(cells)
				return err == nil && len(days) == 1
			},
		},
	} {
		for _, inProgress := range []bool{true, false} {
			name := test.name + ", first operation in progress"
			if !inProgress {
				name = test.name + ", first operation complete"
			}
			t.Run(name, func(t *testing.T) {
				ctx := t.Context()
				store := openStore(t)
				defer store.Close()
				mustMutate(t, store, importedUsers("Lucy")...)
				one, two := New(store, Options{}), New(store, Options{})
				check := func(err error) {
					t.Helper()
					if err != nil {
						t.Fatal(err)
					}
				}
				check(test.before(ctx, two))
				awaitIdle(t, two)
				holdAdd, adding, add := holdFirst(func(opType, purpose string) bool {
					return opType == test.opType && strings.HasPrefix(purpose, "now 0 add")
				})
				holdCompensation, compensating, compensate := holdFirst(func(opType, purpose string) bool {
					return opType == test.compensation && purpose == "commit"
				})
				one.observe = func(ctx context.Context, c client, purposes []string) (context.Context, func()) {
					ctx, _ = holdAdd(ctx, c, purposes)
					return holdCompensation(ctx, c, purposes)
				}
				first := make(chan error, 1)
				go func() { first <- test.operation(context.WithoutCancel(ctx), one) }()
				select {
				case <-adding:
				case err := <-first:
					t.Fatal("no member was added: ", err)
				}
				check(test.remove(ctx, two))
				awaitIdle(t, two)
				add()
				select {
				case <-compensating:
				case err := <-first:
					t.Fatal("no compensation was started: ", err)
				}
				check(test.create(ctx, two))
				if !inProgress {
					check(completeAll(ctx, store, two, test.opType))
				}
				check(test.operation(ctx, two))
				compensate()
				check(<-first)
				awaitIdle(t, one)
				awaitIdle(t, two)
				if !test.applied(t, store) {
					t.Error("the last acknowledged operation was reverted")
				}
			})
		}
	}
}

func createLeadRole(ctx context.Context, w *Writers) error {
	_, err := w.CreateRole(ctx, "boss", NewRole{Code: "lead"})
	return err
}

func createStaffDepartment(ctx context.Context, w *Writers) error {
	_, err := w.CreateDepartment(ctx, "boss", NewDepartment{Code: "staff", Name: "Staff"})
	return err
}

func createGoGame(ctx context.Context, w *Writers) error {
	_, err := w.CreateGame(ctx, "boss", NewGame{Code: "go"})
	return err
}

func completeAll(ctx context.Context, store hbase.Store, w *Writers, opType string) error {
	for row, err := range store.Scan(ctx, hbase.Scan{Table: tables.Intents.Table}) {
		if err != nil {
			return err
		}
		if x, _, err := w.parse(row.Key, row.Cells); err != nil || x.caller == opType {
			return errors.Join(err, x.complete(ctx, x.intent.ID))
		}
	}
	return errors.New("no open operation")
}

func awaitIdle(t *testing.T, w *Writers) {
	t.Helper()
	running := func() int {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.claimed)
	}
	for began := time.Now(); running() > 0; time.Sleep(time.Millisecond) {
		if time.Since(began) > 10*time.Second {
			t.Fatal("still running: ", running())
		}
	}
}

// The assignment is completed during a split, after its compensation.
func TestLateExecutionDoesNotRestoreACompensatedMember(t *testing.T) {
	for _, noun := range modelled {
		if noun.name == "assignment" {
			history{seed: 6778763739454, order: 46, nouns: []modelNoun{noun}, clients: 3, calls: 3, bound: 2,
				pace: pace(350)}.mustPass(t)
		}
	}
}
