package writers

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

func splitOf(department string) *splitArgs {
	list := listName{tables.Children.Table, tables.Children.Family}
	return &splitArgs{bucketRef: bucketRef{List: list, Owner: []byte(department)}, Bound: 2}
}

func importChildren(t *testing.T, store hbase.Store, codes ...string) {
	for _, code := range codes {
		mustMutate(t, store, tables.Departments.Put(code, &tables.Department{Name: &code, ParentCode: new("d2")}, 1),
			memberPut(tables.Children, "d2", tables.Child{Name: code, Code: code}))
	}
	mustMutate(t, store, tables.Departments.Put("d2", &tables.Department{ChildCount: new(len(codes))}, 1))
}

func TestDeletionIsCompleteWhenAllChildrenAreMoved(t *testing.T) {
	for _, test := range []struct {
		name  string
		fails func(op hbasetest.Op) bool
		then  func(context.Context, *Writers) error
	}{
		{"the child's parent is not stored yet", func(op hbasetest.Op) bool {
			return op.Kind == "Put" && op.Table == "departments" && op.Row == tables.RowKey("b")
		}, rename("b", "x")},
		{"the child is not in the parent's list yet", func(op hbasetest.Op) bool {
			return op.Kind == "Put" && op.Table == "departments" && op.Row == tables.RowKey("d1")
		}, erase("d1", true)},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, store := t.Context(), openStore(t)
				defer store.Close()
				chain(t, 2)(store)
				importChildren(t, store, "a", "b")
				var moving atomic.Bool
				deleter := New(hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
					if moving.Load() && test.fails(op) {
						return hbasetest.Fault{Err: hbase.ErrUnavailable}
					}
					return hbasetest.Fault{}
				}), Options{})
				deleter.observe = func(ctx context.Context, c client, purpose []string) (context.Context, func()) {
					if strings.HasPrefix(purpose[0], "later") {
						moving.Store(true)
					}
					return ctx, func() {}
				}
				if err := erase("d2", true)(ctx, deleter); err != nil {
					t.Fatal(err)
				}
				deleter.Close(ctx)
				other := New(store, Options{})
				if err := test.then(ctx, other); err != nil {
					t.Fatal(err)
				}
				other.Close(ctx)
				time.Sleep(time.Minute)
				if err := New(store, Options{}).Sweep(ctx); err != nil {
					t.Fatal(err)
				}
				if violations, err := checkStore(ctx, store); len(violations) > 0 || err != nil {
					t.Error(violations, err)
				}
			})
		})
	}
}

func TestMovedChildDoesNotReturnToBucketsOfASplit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, store := t.Context(), openStore(t)
		defer store.Close()
		chain(t, 2)(store)
		importChildren(t, store, "a", "x")
		deleter := New(hbasetest.NewFaults(store, hbasetest.When(func(op hbasetest.Op) bool {
			return op.Table == "intents" && op.Kind == "Delete"
		}, hbasetest.Fault{Err: hbase.ErrUnavailable})), Options{})
		if err := erase("d2", true)(ctx, deleter); err != nil {
			t.Fatal(err)
		}
		deleter.Close(ctx)
		other := New(store, Options{ListBound: 2})
		if err := move("x", "")(ctx, other); err != nil {
			t.Fatal(err)
		}
		observe, reached, proceed := holdFirst(func(opType, purpose string) bool {
			return opType == "cut" && purpose == "later 2 put departments"
		})
		synctest.Wait()
		other.observe = observe
		for _, code := range []string{"b", "c"} {
			if err := create(code, "d1")(ctx, other); err != nil {
				t.Fatal(err)
			}
		}
		<-reached
		time.Sleep(10 * time.Second)
		if err := New(store, Options{}).Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		proceed()
		other.Close(ctx)
		time.Sleep(time.Minute)
		if err := New(store, Options{}).Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		if violations, err := checkStore(ctx, store); len(violations) > 0 || err != nil {
			t.Error(violations, err)
		}
	})
}

// The deletion masks late copies of the split.
func TestDeletionClearsBucketsOfASplit(t *testing.T) {
	for _, test := range []struct {
		name string
		// empty: the split starts first
		holdAt string
		fails  int32
	}{
		{"deletion is interrupted", "", 2},
		{"deletion starts before the announcement", "clear", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, store := t.Context(), openStore(t)
				defer store.Close()
				chain(t, 2)(store)
				importChildren(t, store, "a", "b", "c", "d")
				splitter := New(store, Options{ListBound: 2})
				var copying <-chan struct{}
				var copied func()
				splitter.observe, copying, copied = holdFirst(func(opType, purpose string) bool {
					return opType == "cut" && strings.HasSuffix(purpose, "each copy put departments")
				})
				startSplit := func() {
					if err := execute(ctx, splitter, nil, split, splitOf("d2")); err != nil {
						t.Error(err)
					}
					<-copying
				}
				var failed atomic.Int32
				deleter := New(hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
					owner, bucket, err := tables.Children.OwnerOf(op.Row)
					clears := op.Kind == "Delete" && op.Table == "departments" && err == nil && owner == "d2" && bucket != 0
					if clears && failed.Add(1) <= test.fails {
						return hbasetest.Fault{Err: hbase.ErrUnavailable}
					}
					return hbasetest.Fault{}
				}), Options{})
				var emptying <-chan struct{}
				var empty func()
				if test.holdAt == "" {
					startSplit()
				} else {
					deleter.observe, emptying, empty = holdFirst(func(_, purpose string) bool { return purpose == test.holdAt })
				}
				if err := erase("d2", true)(ctx, deleter); err != nil {
					t.Fatal(err)
				}
				if test.holdAt != "" {
					<-emptying
					startSplit()
					empty()
				}
				deleter.Close(ctx)
				copied()
				splitter.Close(ctx)
				time.Sleep(grace + time.Second)
				if err := New(store, Options{}).Sweep(ctx); err != nil {
					t.Fatal(err)
				}
				if failed.Load() <= test.fails {
					t.Error("no bucket of the split was cleared")
				}
				if violations, err := checkStore(ctx, store); len(violations) > 0 || err != nil {
					t.Error(violations, err)
				}
			})
		})
	}
}

// The new parent's list is being split. A repetition would look for the children in the old list.
func TestDeletionVerifiesMovedChildrenBeforeClearing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, store := t.Context(), openStore(t)
		defer store.Close()
		chain(t, 2)(store)
		importChildren(t, store, "x", "y")
		for _, code := range []string{"c", "d", "e"} {
			mustMutate(t, store, tables.Departments.Put(code, &tables.Department{Name: &code, ParentCode: new("d1")}, 1),
				memberPut(tables.Children, "d1", tables.Child{Name: code, Code: code}))
		}
		mustMutate(t, store, tables.Departments.Put("d1", &tables.Department{ChildCount: new(4)}, 1))
		adding, added, add := holdFirst(func(_, purpose string) bool {
			return strings.HasPrefix(purpose, "later 1 each departments:c add")
		})
		var cleared, dead atomic.Bool
		deleter := New(hbasetest.NewFaults(store, func(hbasetest.Op) hbasetest.Fault {
			if dead.Load() {
				return hbasetest.Fault{Err: hbase.ErrUnavailable}
			}
			return hbasetest.Fault{}
		}), Options{})
		deleter.observe = func(ctx context.Context, c client, purpose []string) (context.Context, func()) {
			cleared.Store(cleared.Load() || purpose[0] == "clear")
			dead.Store(dead.Load() || cleared.Load() && purpose[0] == "check buckets")
			return adding(ctx, c, purpose)
		}
		if err := erase("d2", true)(ctx, deleter); err != nil {
			t.Fatal(err)
		}
		<-added
		splitter := New(store, Options{ListBound: 2})
		filling, filled, fill := holdFirst(func(opType, purpose string) bool {
			return opType == "cut" && strings.HasSuffix(purpose, "each copy put departments")
		})
		splitter.observe = filling
		if err := execute(ctx, splitter, nil, split, splitOf("d1")); err != nil {
			t.Fatal(err)
		}
		<-filled
		add()
		deleter.Close(ctx)
		time.Sleep(10 * time.Second)
		if err := New(store, Options{}).Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		fill()
		splitter.Close(ctx)
		time.Sleep(grace + time.Second)
		if err := New(store, Options{}).Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		if violations, err := checkStore(ctx, store); len(violations) > 0 || err != nil {
			t.Error(violations, err)
		}
	})
}

// x.unverified must not grow with the list.
func TestEachForgetsVerifiedMembers(t *testing.T) {
	ctx, store := t.Context(), openStore(t)
	defer store.Close()
	var children []hbase.Mutation
	for i := range 3 * pageSize {
		code := fmt.Sprint(i)
		children = append(children, memberPut(tables.Children, "d2", tables.Child{Name: code, Code: code}))
	}
	mustMutate(t, store, children...)
	w := New(store, Options{})
	o := operation{w.newOp(time.Now()), time.Now().UnixMilli()}
	intent := tables.Intents.Put(tables.Intent{ID: o.id, OpType: deleteDepartment.name,
		Arguments: `{"Code":"d2"}`, At: o.at})
	x, _, err := w.parse(intent.Row, intent.Cells)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.mutate(ctx, x.leasedIntent()); err != nil {
		t.Fatal(err)
	}
	join := eachMember(tables.Children, "d2", func(c tables.Child) effect { return add(tables.Children, "d1", c, o.at) })
	if err := x.each(ctx, join.(each), ""); err != nil {
		t.Fatal(err)
	}
	joined, err := membersOf(ctx, store, tables.Children, "d1")
	if err != nil || len(joined) != 3*pageSize {
		t.Fatalf("%d members were added: %v", len(joined), err)
	}
	if n := len(x.unverified); n > 0 {
		t.Errorf("%d unverified members, want 0", n)
	}
}

func TestEveryListIsClearedWithItsOwner(t *testing.T) {
	ofRelations := map[*tables.AnyList]bool{}
	for _, x := range tables.Relations() {
		ofRelations[x.From.List], ofRelations[x.To.List] = true, true
	}
	for _, l := range tables.Lists() {
		if _, known := clearings[l]; known == ofRelations[l] {
			t.Errorf("%s: in clearings %v, of a relation %v, want one of them", l, known, ofRelations[l])
		}
	}
}
