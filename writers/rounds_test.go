package writers

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

func openStore(t testing.TB) hbase.Store {
	t.Helper()
	store, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables.Definitions(1) {
		if err := store.CreateTable(context.Background(), table); err != nil {
			t.Fatal(err)
		}
	}
	return shortReads{store}
}

// shortReads returns one child to deleteDepartment, so that the others move after the
// acknowledgement.
type shortReads struct{ hbase.Store }

func (s shortReads) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	gets = slices.Clone(gets)
	for i := range gets {
		if page := &gets[i].Page; gets[i].Table == tables.Children.Table && page.Limit == movedAtOnce {
			page.Limit = 1
		}
	}
	return s.Store.Get(ctx, gets)
}

func mustMutate(t testing.TB, store hbase.Store, mutations ...hbase.Mutation) {
	t.Helper()
	errs, err := store.Mutate(context.Background(), mutations)
	if err != nil || errs != nil {
		t.Fatal(err, errs)
	}
}

func importedUsers(usernames ...string) (rows []hbase.Mutation) {
	for _, name := range usernames {
		rows = append(rows, tables.Users.Put(name, &tables.User{Name: &name}, 1), tables.Users.Search.Put(name, 1))
	}
	return rows
}

func rounds(
	t *testing.T, prepare func(store hbase.Store), act func(ctx context.Context, w *Writers) error,
) (n int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := openStore(t)
		defer store.Close()
		prepare(store)
		w := New(hbasetest.NewFaults(store, func(hbasetest.Op) hbasetest.Fault {
			return hbasetest.Fault{Delay: time.Millisecond}
		}), Options{})
		began := time.Now()
		if err := act(t.Context(), w); err != nil {
			t.Error(err)
		}
		n = int(time.Since(began) / time.Millisecond)
		w.Close(t.Context())
	})
	return n
}
