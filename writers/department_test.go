package writers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func chain(t testing.TB, levels int) func(hbase.Store) {
	return func(store hbase.Store) {
		mustMutate(t, store, tables.Departments.Put(tables.Root, &tables.Department{ChildCount: new(1)}, 1),
			tables.Tree.Put(tables.Tree.DepthCell(levels, 1)))
		parent := tables.Root
		for level := 1; level <= levels; level++ {
			code := fmt.Sprint("d", level)
			d := &tables.Department{Name: &code}
			if level > 1 {
				d.ParentCode = new(parent)
			}
			if level < levels {
				d.ChildCount = new(1)
			}
			mustMutate(t, store, tables.Departments.Put(code, d, 1),
				memberPut(tables.Children, parent, tables.Child{Name: code, Code: code}))
			parent = code
		}
	}
}

func create(code, parent string) func(context.Context, *Writers) error {
	return func(ctx context.Context, w *Writers) error {
		d := NewDepartment{Code: code, Name: strings.ToUpper(code)}
		if parent != "" {
			d.Parent = &parent
		}
		_, err := w.CreateDepartment(ctx, "boss", d)
		return err
	}
}

func move(code, parent string) func(context.Context, *Writers) error {
	return func(ctx context.Context, w *Writers) error {
		var to *string
		if parent != "" {
			to = &parent
		}
		_, err := w.MoveDepartment(ctx, code, to, nil)
		return err
	}
}

func erase(code string, up bool) func(context.Context, *Writers) error {
	return func(ctx context.Context, w *Writers) error { return w.DeleteDepartment(ctx, code, up) }
}

func rename(code, name string) func(context.Context, *Writers) error {
	return func(ctx context.Context, w *Writers) error {
		_, err := w.UpdateDepartment(ctx, DepartmentChange{Code: code, Name: Change[string]{true, &name}})
		return err
	}
}

func TestRoundsOfDepartmentMutationsGrowOnlyWithLevels(t *testing.T) {
	for _, test := range []struct {
		name string
		act  func(context.Context, *Writers) error
		want int
	}{
		{"create at the top", create("new", ""), 5},
		{"create far below", create("new", "d40"), 5},
		{"rename", rename("d40", "x"), 5},
		{"delete", erase("d41", false), 5},
		{"delete, and move children up", erase("d10", true), 5},
		{"move to the top, with descendants", move("d41", ""), 5},
		{"move under a parent at level 10", move("d41", "d10"), 5 + 9},
		{"move with 10 levels of descendants", move("d31", "d5"), 5 + 11},
	} {
		if n := rounds(t, chain(t, 41), test.act); n != test.want {
			t.Errorf("%s costs %d rounds, want %d", test.name, n, test.want)
		}
		n := rounds(t, func(store hbase.Store) {
			chain(t, 41)(store)
			other := New(store, Options{})
			if err := create("other", "")(context.Background(), other); err != nil {
				t.Fatal(err)
			}
			other.Close(context.Background())
		}, test.act)
		if n != test.want+1 {
			t.Errorf("after another gateway: %s costs %d rounds, want %d", test.name, n, test.want+1)
		}
	}
}

func TestInvalidDepartmentMutationsReturnUserErrors(t *testing.T) {
	for _, test := range []struct {
		name string
		act  func(context.Context, *Writers) error
		want UserErrors
	}{
		{"a bad code, name, parent and key", func(ctx context.Context, w *Writers) error {
			_, err := w.CreateDepartment(ctx, "boss", NewDepartment{"a b", strings.Repeat("é", 91), new(" "), new("\n")})
			return err
		}, UserErrors{
			{BadInput, "code", "it can't contain ' '"},
			{BadInput, "name", "a department's name has 1 to 180 bytes, not 182"},
			{BadInput, "parent", "it can't contain ' '"},
			{BadInput, "idempotencyKey", "it can't contain the control character U+000A"},
		}},
		{"an existing code and a missing parent", create("d1", "nowhere"),
			UserErrors{
				{AlreadyExists, "code", `there is a "d1" already`},
				{NotFound, "parent", `there is no "nowhere"`},
			}},
		{"a new department below the last level", create("new", "d64"),
			UserErrors{{LimitExceeded, "parent", `the tree has at most 64 levels: "new", or what is below it, would be deeper`}}},
		{"a removed name", func(ctx context.Context, w *Writers) error {
			_, err := w.UpdateDepartment(ctx, DepartmentChange{Code: "d1", Name: Change[string]{Given: true}})
			return err
		}, UserErrors{{BadInput, "name", "it can be changed, but not removed"}}},
		{"an update of a missing department", rename("nothing", "x"),
			UserErrors{{NotFound, "code", `there is no "nothing"`}}},
		{"an update from an old version", func(ctx context.Context, w *Writers) error {
			if err := rename("d2", "x")(ctx, w); err != nil {
				return err
			}
			_, err := w.UpdateDepartment(ctx, DepartmentChange{"d2", Change[string]{true, new("y")}, new("0")})
			var userErrors UserErrors
			if errors.As(err, &userErrors) {
				userErrors[0].Message, _, _ = strings.Cut(userErrors[0].Message, ":")
			}
			return err
		}, UserErrors{{Conflict, "expectedVersion", "it was changed by another request"}}},
		{"a move from an old version", func(ctx context.Context, w *Writers) error {
			_, err := w.MoveDepartment(ctx, "d2", nil, new("1"))
			return err
		}, UserErrors{{Conflict, "expectedVersion", `it was changed by another request: the version is now "0"`}}},
		{"a move of a missing department to a missing parent", move("nothing", "nowhere"),
			UserErrors{{NotFound, "code", `there is no "nothing"`}, {NotFound, "parent", `there is no "nowhere"`}}},
		{"a move under itself", move("d3", "d3"), UserErrors{{Cycle, "parent", `"d3" would be below itself`}}},
		{"a move under a descendant", move("d3", "d60"), UserErrors{{Cycle, "parent", `"d3" would be below itself`}}},
		{"a move that makes the tree too deep", func(ctx context.Context, w *Writers) error {
			for _, act := range []func(context.Context, *Writers) error{create("a", ""), create("b", "a"), move("a", "d63")} {
				if err := act(ctx, w); err != nil {
					return err
				}
			}
			return nil
		}, UserErrors{{LimitExceeded, "parent", `the tree has at most 64 levels: "a", or what is below it, would be deeper`}}},
		{"a deletion of a department with children", erase("d3", false),
			UserErrors{{HasChildren, "code", `"d3" has 1 sub-departments: move or delete them first, or set moveChildrenUp`}}},
		{"a deletion of a missing department", erase("nothing", true),
			UserErrors{{NotFound, "code", `there is no "nothing"`}}},
	} {
		store := openStore(t)
		chain(t, 64)(store)
		w := New(store, Options{})
		var got UserErrors
		if err := test.act(t.Context(), w); !errors.As(err, &got) {
			t.Errorf("%s: error %v", test.name, err)
		} else if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		w.Close(t.Context())
		store.Close()
	}
}

// The trees of old imports have no stored depth.
func TestCreateDepartmentWalksATreeOfUnknownDepth(t *testing.T) {
	unknown := func(store hbase.Store) {
		chain(t, 64)(store)
		depth := hbase.Deletion{Kind: hbase.AllVersions, Family: tables.Attributes, Qualifier: "depth", Timestamp: 1}
		mustMutate(t, store, hbase.Delete{Table: tables.Departments.Table, Row: tables.RowKey(tables.Root),
			Columns: []hbase.Deletion{depth}})
	}
	if n := rounds(t, unknown, create("new", "d63")); n != 5+62 {
		t.Errorf("got %d rounds, want %d", n, 5+62)
	}
	store := openStore(t)
	defer store.Close()
	unknown(store)
	w := New(store, Options{})
	defer w.Close(context.Background())
	if err := create("new", "d64")(t.Context(), w); outcome(err) != LimitExceeded {
		t.Errorf("below the last level: error %v", err)
	}
}

func TestConcurrentMovesCannotMakeACycle(t *testing.T) {
	for range 20 {
		store := openStore(t)
		ctx := context.Background()
		first, second := New(store, Options{}), New(store, Options{})
		for _, code := range []string{"a", "b"} {
			if err := create(code, "")(ctx, first); err != nil {
				t.Fatal(err)
			}
		}
		var errs [2]error
		var both sync.WaitGroup
		both.Go(func() { errs[0] = move("a", "b")(ctx, first) })
		both.Go(func() { errs[1] = move("b", "a")(ctx, second) })
		both.Wait()
		if a, b := outcome(errs[0]), outcome(errs[1]); !(a == "" && b == Cycle || a == Cycle && b == "") {
			t.Fatalf("got errors %v, want one CYCLE", errs)
		}
		first.Close(ctx)
		second.Close(ctx)
		if violations, err := checkStore(ctx, store); err != nil || len(violations) > 0 {
			t.Fatal(violations, err)
		}
		store.Close()
	}
}

func TestDeleteDepartmentMovesManyChildren(t *testing.T) {
	store := openStore(t)
	defer store.Close()
	ctx := context.Background()
	chain(t, 2)(store)
	const children = 300
	var rows []hbase.Mutation
	for i := range children {
		code := fmt.Sprintf("c%03d", i)
		rows = append(rows, tables.Departments.Put(code, &tables.Department{Name: &code, ParentCode: new("d2")}, 1),
			memberPut(tables.Children, "d2", tables.Child{Name: code, Code: code}))
	}
	mustMutate(t, store, append(rows, tables.Departments.Put("d2", &tables.Department{ChildCount: new(children)}, 1))...)
	w := New(store, Options{})
	if err := erase("d2", true)(ctx, w); err != nil {
		t.Fatal(err)
	}
	w.Close(ctx)
	if violations, err := checkStore(ctx, store); err != nil || len(violations) > 0 {
		t.Fatal(violations, err)
	}
	cells, err := cellsOf(ctx, store, departmentOf("d1"))
	if err != nil {
		t.Fatal(err)
	}
	if d, err := tables.Departments.Decode("d1", cells); err != nil || *d.ChildCount != children {
		t.Errorf("d1 is %+v, error %v", d, err)
	}
}

func TestTreeStoresItsDepth(t *testing.T) {
	store := openStore(t)
	defer store.Close()
	ctx := context.Background()
	w := New(store, Options{})
	parent := ""
	for level := 1; level <= tables.MaxDepth; level++ {
		code := fmt.Sprint("d", level)
		if err := create(code, parent)(ctx, w); err != nil {
			t.Fatal(err)
		}
		parent = code
	}
	if err := create("one", "d64")(ctx, w); outcome(err) != LimitExceeded {
		t.Errorf("one more level: error %v", err)
	}
	if err := create("other", "d63")(ctx, w); err != nil {
		t.Errorf("one more on the last level: error %v", err)
	}
	if err := move("d2", "")(ctx, w); err != nil {
		t.Errorf("a move to the top: error %v", err)
	}
	if err := create("one", "d64")(ctx, w); err != nil {
		t.Errorf("below the moved department: error %v", err)
	}
	w.Close(ctx)
	cells, err := cellsOf(ctx, store, tables.Tree.Get())
	if err != nil {
		t.Fatal(err)
	}
	if depth, known, err := tables.Tree.Depth(cells); err != nil || !known || depth != tables.MaxDepth {
		t.Errorf("got depth %d, known %v, error %v; want %d", depth, known, err, tables.MaxDepth)
	}
}
