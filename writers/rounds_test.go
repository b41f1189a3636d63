package writers

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

// openStore returns a store in memory that has all tables.
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
	return store
}

// must writes, or ends the test.
func must(t testing.TB, store hbase.Store, mutations ...hbase.Mutation) {
	t.Helper()
	errs, err := store.Mutate(context.Background(), mutations)
	if err != nil || errs != nil {
		t.Fatal(err, errs)
	}
}

// user is a user as an import makes it.
func user(username string) hbase.Put {
	return tables.Users.Put(username, &tables.User{Name: &username}, 1)
}

// rounds returns how many rounds of calls act waits for. Every call of the store takes a millisecond of the test's own time, so
// those that are sent together count once.
func rounds(t *testing.T, prepare func(store hbase.Store), act func(ctx context.Context, w *Writers) error) (n int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := openStore(t)
		defer store.Close()
		prepare(store)
		w := New(hbasetest.NewFaults(store, func(hbasetest.Op) hbasetest.Fault { return hbasetest.Fault{Delay: time.Millisecond} }), Options{})
		began := time.Now()
		if err := act(t.Context(), w); err != nil {
			t.Error(err)
		}
		n = int(time.Since(began) / time.Millisecond)
		w.Close(t.Context())
	})
	return n
}
