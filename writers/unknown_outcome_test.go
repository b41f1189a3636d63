package writers

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

// The response is lost. Before the gateway reads the outcome, others delete the object and create
// another. A user error would deny the first creation.
func TestCreationIsUnknownIfItsObjectWasDeleted(t *testing.T) {
	key := "once"
	postTwit := func(key *string) func(context.Context, *Writers) error {
		return func(ctx context.Context, w *Writers) error {
			_, err := w.PostTwit(ctx, "Lucy", NewTwit{Content: "x", Visibility: tables.Public, IdempotencyKey: key})
			return err
		}
	}
	deleteTwits := func(ctx context.Context, w *Writers) error {
		twits, err := membersOf(ctx, w.store, tables.Twits, "Lucy")
		if err == nil && len(twits) != 1 {
			err = errors.New("the twit was not posted")
		}
		if err != nil {
			return err
		}
		return w.DeleteTwit(ctx, twits[0])
	}
	for _, test := range []struct {
		name, table   string
		create, other func(context.Context, *Writers) error
	}{
		{"postTwit", tables.TwitNames.Table, postTwit(nil), deleteTwits},
		{"postTwit under a key", tables.TwitNames.Table, postTwit(&key), deleteTwits},
		{"createGame", tables.Games.Table, createGoGame, func(ctx context.Context, w *Writers) error {
			return errors.Join(w.DeleteGame(ctx, "go"), createGoGame(ctx, w))
		}},
		{"createRole", tables.Roles.Table, createLeadRole, func(ctx context.Context, w *Writers) error {
			return errors.Join(w.DeleteRole(ctx, "lead"), createLeadRole(ctx, w))
		}},
		{"createDepartment", tables.Departments.Table, createStaffDepartment, func(ctx context.Context, w *Writers) error {
			return errors.Join(w.DeleteDepartment(ctx, "staff", false), createStaffDepartment(ctx, w))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := openStore(t)
			defer store.Close()
			mustMutate(t, store, importedUsers("Lucy")...)
			other := New(store, Options{})
			defer other.Close(t.Context())
			w := New(&lossyStore{Store: store, table: test.table, applied: true, after: func() {
				// The object can be deleted only after its creation is complete.
				if err := other.client("test").complete(t.Context(), onlyIntent(t, store)); err != nil {
					t.Error(err)
				}
				if err := test.other(t.Context(), other); err != nil {
					t.Error(err)
				}
				awaitIdle(t, other)
			}}, Options{})
			defer w.Close(t.Context())
			if err := test.create(t.Context(), w); !errors.Is(err, ErrUnknown) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func onlyIntent(t *testing.T, store hbase.Store) (id string) {
	t.Helper()
	for row, err := range store.Scan(t.Context(), hbase.Scan{Table: tables.Intents.Table}) {
		if err != nil {
			t.Fatal(err)
		}
		intent, ok, err := tables.Intents.Decode(row.Key, row.Cells)
		if err != nil || !ok || id != "" {
			t.Fatalf("intent %v, error %v, after %q", ok, err, id)
		}
		id = intent.ID
	}
	return id
}

func TestErrorsSayWhetherAnOperationMayBeDone(t *testing.T) {
	users := tables.Users.Table
	for _, test := range []struct {
		name   string
		fails  func(op hbasetest.Op) bool
		done   bool
		reason error
		want   bool
	}{
		{"the read is rejected", func(op hbasetest.Op) bool { return op.Kind == "Get" }, false, hbase.ErrRejected, false},
		{"the intent is rejected", isPut(tables.Intents.Table), false, hbase.ErrRejected, false},
		{"the commit is rejected",
			func(op hbasetest.Op) bool { return op.Kind == "CheckAndPut" }, false, hbase.ErrRejected, true},
		{"the store is unavailable from the commit on", afterFirst("CheckAndPut"), true, hbase.ErrUnavailable, true},
		{"an effect is rejected", isPut(users), false, hbase.ErrRejected, true},
		{"the table of an effect is missing", isPut(users), false, hbase.ErrTableNotFound, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := openStore(t)
			defer store.Close()
			mustMutate(t, store, importedUsers("Lucy")...)
			faults := hbasetest.NewFaults(store, hbasetest.When(test.fails, hbasetest.Fault{Err: test.reason, Done: test.done}))
			w := New(faults, Options{})
			defer w.Close(t.Context())
			_, err := w.PostTwit(t.Context(), "Lucy", NewTwit{Content: "x", Visibility: tables.Public})
			var done interface{ MayBeDone() bool }
			if got := errors.As(err, &done) && done.MayBeDone(); got != test.want || !errors.Is(err, test.reason) {
				t.Errorf("may be done: %v, want %v; error %v", got, test.want, err)
			}
		})
	}
}

func isPut(table string) func(hbasetest.Op) bool {
	return func(op hbasetest.Op) bool { return op.Kind == "Put" && op.Table == table }
}

func afterFirst(kind string) func(hbasetest.Op) bool {
	var begun atomic.Bool
	return func(op hbasetest.Op) bool {
		if op.Kind == kind {
			begun.Store(true)
		}
		return begun.Load()
	}
}
