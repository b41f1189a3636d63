package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
)

func emptyStore(t *testing.T) hbase.Store {
	t.Helper()
	store, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

func createSome(t *testing.T, store hbase.Store, only func(hbase.Table) bool) {
	t.Helper()
	for _, table := range tables.Definitions(1) {
		if !only(table) {
			continue
		}
		if err := store.CreateTable(t.Context(), table); err != nil {
			t.Fatal(err)
		}
	}
}

type stops struct {
	hbase.Store
	left int
}

var errStopped = errors.New("stopped")

func (s *stops) next() error {
	if s.left--; s.left < 0 {
		return errStopped
	}
	return nil
}

func (s *stops) CreateTable(ctx context.Context, table hbase.Table) error {
	if table.Name != tables.Marks.Table() { // created concurrently
		return s.Store.CreateTable(ctx, table)
	}
	return errors.Join(s.next(), s.Store.CreateTable(ctx, table))
}

func (s *stops) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	if err := s.next(); err != nil {
		return nil, err
	}
	return s.Store.Mutate(ctx, mutations)
}

func TestInterruptedCreationIsCompleted(t *testing.T) {
	for left, stopped := 0, true; stopped; left++ {
		store := emptyStore(t)
		_, err := EnsureTables(t.Context(), &stops{store, left}, 1)
		if stopped = errors.Is(err, errStopped); !stopped && (err != nil || left < 2) {
			t.Fatalf("after %d changes: %v", left, err)
		}
		if _, err := EnsureTables(t.Context(), store, 1); err != nil {
			t.Errorf("after %d changes: %v", left, err)
		}
		if created, err := EnsureTables(t.Context(), store, 1); err != nil || len(created) > 0 {
			t.Errorf("after %d changes: a third time creates %v, error %v", left, created, err)
		}
	}
}

func TestTablesOfTheFirstVersionsAreMarked(t *testing.T) {
	store := emptyStore(t)
	createSome(t, store, func(table hbase.Table) bool { return tables.Original(table.Name) })
	found, err := FindTables(t.Context(), store)
	if err != nil || len(found.Missing)+len(found.Present) != len(tables.Definitions(1)) {
		t.Fatalf("%+v, error %v", found, err)
	}
	if _, err := EnsureTables(t.Context(), store, 1); err != nil {
		t.Fatal(err)
	}
	cells, err := hbase.GetOne(t.Context(), store, tables.Marks.Get())
	if err != nil || len(cells) != len(tables.Definitions(1)) {
		t.Errorf("%d marks, error %v", len(cells), err)
	}
}

type unlisted struct {
	hbase.Store
	failures int
}

func (u *unlisted) Tables(ctx context.Context) ([]string, error) {
	if u.failures--; u.failures >= 0 {
		return nil, fmt.Errorf("hbase:meta: %w", hbase.ErrUnavailable)
	}
	return u.Store.Tables(ctx)
}

func TestListingTablesWaitsForTheStore(t *testing.T) {
	store := emptyStore(t)
	createSome(t, store, func(hbase.Table) bool { return true })
	if found, err := FindTables(t.Context(), &unlisted{store, 2}); err != nil || len(found.Missing) > 0 {
		t.Errorf("%+v, error %v", found, err)
	}
}

func TestTablesOfOtherApplicationsAreNotTouched(t *testing.T) {
	games := func(table hbase.Table) bool { return table.Name == "games" }
	put := func(table string) func(*testing.T, hbase.Store) {
		return func(t *testing.T, store hbase.Store) {
			cell := hbase.Cell{Family: tables.Marks.Get().Columns, Qualifier: "q", Value: []byte("v")}
			put := hbase.Put{Table: table, Row: "r", Cells: []hbase.Cell{cell}}
			if err := hbase.MutateAll(t.Context(), store, []hbase.Mutation{put}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, test := range []struct {
		name    string
		create  func(hbase.Table) bool // as twibase would
		change  func(*testing.T, hbase.Store)
		foreign string
	}{
		{"a table with twibase's families", games, nil, "games"},
		{"the table of the marks, with other rows", func(t hbase.Table) bool { return t.Name == tables.Marks.Table() },
			put(tables.Marks.Table()), tables.Marks.Table()},
		{"the table of the marks, with other families", func(hbase.Table) bool { return false },
			func(t *testing.T, store hbase.Store) {
				other := hbase.Table{Name: tables.Marks.Table(), Families: []hbase.FamilySchema{{Name: "x"}}}
				if err := store.CreateTable(t.Context(), other); err != nil {
					t.Fatal(err)
				}
			}, tables.Marks.Table()},
		{"a table without the families, among all tables", func(t hbase.Table) bool { return !games(t) },
			func(t *testing.T, store hbase.Store) {
				other := hbase.Table{Name: "games", Families: []hbase.FamilySchema{{Name: "x"}}}
				if err := store.CreateTable(t.Context(), other); err != nil {
					t.Fatal(err)
				}
			}, "games"},
		{"a table that a newer version adds", func(hbase.Table) bool { return false },
			func(t *testing.T, store hbase.Store) {
				createSome(t, store, func(table hbase.Table) bool { return table.Name != "likes" })
				names := slices.DeleteFunc(tableNames(), func(name string) bool { return name == "likes" })
				if err := hbase.MutateAll(t.Context(), store, []hbase.Mutation{tables.Marks.Put(names)}); err != nil {
					t.Fatal(err)
				}
				createSome(t, store, func(table hbase.Table) bool { return table.Name == "likes" })
			}, "likes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := emptyStore(t)
			createSome(t, store, test.create)
			if test.change != nil {
				test.change(t, store)
			}
			before := everything(t, store)
			_, ensured := EnsureTables(t.Context(), store, 1)
			_, dropped := DropTables(t.Context(), store)
			for call, err := range map[string]error{"EnsureTables": ensured, "DropTables": dropped} {
				foreign := (*ForeignError)(nil)
				if !errors.As(err, &foreign) || !slices.Equal(foreign.Tables, []string{test.foreign}) {
					t.Errorf("%s: %v", call, err)
				}
			}
			if after := everything(t, store); after != before {
				t.Errorf("the store changed to\n%s\nfrom\n%s", after, before)
			}
		})
	}
}

func TestTablesOfANewerFormatAreRejected(t *testing.T) {
	store := emptyStore(t)
	if _, err := EnsureTables(t.Context(), store, 1); err != nil {
		t.Fatal(err)
	}
	put := tables.Marks.Put([]string{"users"})
	put.Cells[0].Timestamp, put.Cells[0].Value = 2, []byte(fmt.Sprint(tables.Format+1))
	if err := hbase.MutateAll(t.Context(), store, []hbase.Mutation{put}); err != nil {
		t.Fatal(err)
	}
	for call, do := range map[string]func() ([]string, error){
		"EnsureTables": func() ([]string, error) { return EnsureTables(t.Context(), store, 1) },
		"DropTables":   func() ([]string, error) { return DropTables(t.Context(), store) },
	} {
		const reason = "a newer version of twibase wrote table users"
		if _, err := do(); !errors.Is(err, hbase.ErrFormat) || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v", call, err)
		}
	}
}

func tableNames() (names []string) {
	for _, table := range tables.Definitions(1) {
		names = append(names, table.Name)
	}
	return names
}

func everything(t *testing.T, store hbase.Store) string {
	t.Helper()
	names, err := store.Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintln(&b, name)
		for row, err := range store.Scan(t.Context(), hbase.Scan{Table: name}) {
			fmt.Fprintf(&b, "  %q %v %v\n", row.Key, row.Cells, err)
		}
	}
	return b.String()
}
