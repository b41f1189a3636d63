package transfer

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

func foundRows(t *testing.T, store hbase.Store) (rows []string) {
	t.Helper()
	for row, err := range store.Scan(t.Context(), tables.Users.Search.Scan()) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row.Key)
	}
	return rows
}

func TestUsersOfAnEarlierVersionAreFound(t *testing.T) {
	store := openStore(t)
	load(t, store, csvFiles(map[string]string{"users": "username,name\nLiLei,1\nlucy,2\ngone,3\n"}), Options{})
	search, gone := tables.Users.Search, tables.DeletedValue
	err := hbase.MutateAll(t.Context(), store, []hbase.Mutation{
		tables.Users.Put("gone", &tables.User{Name: &gone}, 5), search.Delete("gone", 5),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{search.Row("LiLei"), search.Row("lucy")}
	if diff := cmp.Diff(want, foundRows(t, store)); diff != "" {
		t.Fatalf("imported (-want +got):\n%s", diff)
	}
	if err := store.DropTable(t.Context(), search.Table); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("failed")
	broken := hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
		if op.Kind == "Put" {
			return hbasetest.Fault{Err: failed}
		}
		return hbasetest.Fault{}
	})
	if _, err := EnsureTables(t.Context(), broken, 1); !errors.Is(err, failed) {
		t.Fatalf("got error %v, want %v", err, failed)
	}
	incomplete, err := IncompleteSearch(t.Context(), store)
	if err != nil || !slices.Equal(incomplete, []string{search.Table}) {
		t.Fatalf("got %v, error %v, want the incomplete table", incomplete, err)
	}
	for range 2 {
		if _, err := EnsureTables(t.Context(), store, 1); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, foundRows(t, store)); diff != "" {
			t.Fatalf("completed (-want +got):\n%s", diff)
		}
	}
	name := "Old"
	old := tables.Users.Put("old", &tables.User{Name: &name}, 5)
	if err := hbase.MutateAll(t.Context(), store, []hbase.Mutation{old}); err != nil {
		t.Fatal(err)
	}
	if err := CompleteSearch(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	want = append(want, search.Row("old"))
	if diff := cmp.Diff(want, foundRows(t, store)); diff != "" {
		t.Errorf("completed again (-want +got):\n%s", diff)
	}
	if incomplete, err := IncompleteSearch(t.Context(), store); err != nil || len(incomplete) > 0 {
		t.Errorf("got %v, error %v, want none", incomplete, err)
	}
	load(t, store, csvFiles(map[string]string{"users": "username,name\ngone,3\nnew,4\n"}), Options{})
	if diff := cmp.Diff([]string{want[0], want[1], search.Row("new"), want[2]}, foundRows(t, store)); diff != "" {
		t.Errorf("imported again (-want +got):\n%s", diff)
	}
}

func TestOutdatedSearchRowsAreReplaced(t *testing.T) {
	store := openStore(t)
	search, key, name := tables.Users.Search, "مُحَمَّد", "Muhammad"
	outdated := hbase.PutCells(search.Table, key+"\x00"+key, search.Put(key, 1).Cells...)
	complete := search.PutComplete()
	complete.Cells[0].Value = []byte("1")
	err := hbase.MutateAll(t.Context(), store, []hbase.Mutation{
		tables.Users.Put(key, &tables.User{Name: &name}, 1), outdated, complete,
	})
	if err != nil {
		t.Fatal(err)
	}
	incomplete, err := IncompleteSearch(t.Context(), store)
	if err != nil || !slices.Equal(incomplete, []string{search.Table}) {
		t.Fatalf("got %v, error %v, want the incomplete table", incomplete, err)
	}
	if _, err := EnsureTables(t.Context(), store, 1); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{search.Row(key)}, foundRows(t, store)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if incomplete, err := IncompleteSearch(t.Context(), store); err != nil || len(incomplete) > 0 {
		t.Errorf("got %v, error %v, want none", incomplete, err)
	}
}

func TestMarksOfSearchTablesAreReadAgain(t *testing.T) {
	store := openStore(t)
	mark, failures := tables.Users.Search.Complete(), 0
	faulty := hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
		if op.Table != mark.Table || op.Row != mark.Row || failures == 2 {
			return hbasetest.Fault{}
		}
		failures++
		return hbasetest.Fault{Err: hbase.ErrUnresponsive}
	})
	if incomplete, err := IncompleteSearch(t.Context(), faulty); err != nil || len(incomplete) > 0 || failures != 2 {
		t.Errorf("got %v, error %v after %d failures, want none after 2", incomplete, err, failures)
	}
}
