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

// below are departments as an import makes them, below d2.
func below(t *testing.T, store hbase.Store, codes ...string) {
	for _, code := range codes {
		must(t, store, tables.Departments.Put(code, &tables.Department{Name: &code, ParentCode: pointer("d2")}, 1),
			lists(tables.Children, "d2", tables.Child{Name: code, Code: code}))
	}
	must(t, store, tables.Departments.Put("d2", &tables.Department{ChildCount: pointer(len(codes))}, 1))
}

// Who changes the tree next finds all that a deletion moves whole: what it still had to say of a child would be older than the change.
func TestADeletionIsWholeOnlyWhenAllThatItMovedAre(t *testing.T) {
	for _, test := range []struct {
		name  string
		fails func(op hbasetest.Op) bool
		then  func(context.Context, *Writers) error
	}{
		{"the child does not say so yet", func(op hbasetest.Op) bool {
			return op.Kind == "Put" && op.Table == "departments" && op.Row == tables.RowKey("b")
		}, rename("b", "x")},
		{"it is not in the list of its parent yet", func(op hbasetest.Op) bool {
			return op.Kind == "Put" && op.Table == "departments" && op.Row == tables.RowKey("d1")
		}, erase("d1", true)},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, store := t.Context(), openStore(t)
				defer store.Close()
				chain(t, 2)(store)
				below(t, store, "a", "b")
				var moving atomic.Bool
				deleter := New(hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
					// What follows the answer: the first child was moved before.
					if moving.Load() && test.fails(op) {
						return hbasetest.Fault{Err: hbase.ErrUnavailable}
					}
					return hbasetest.Fault{}
				}), Options{})
				deleter.watch = func(ctx context.Context, kind string, what []string) (context.Context, func()) {
					if strings.HasPrefix(what[0], "later") {
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
				if breaches, err := checkStore(ctx, store); len(breaches) > 0 || err != nil {
					t.Error(breaches, err)
				}
			})
		})
	}
}

// Who carries a deletion on may be late: a child that has gone on from where it was moved does not come back into a bucket that is just being filled.
func TestAChildThatIsMovedUpDoesNotComeBackIntoTheBucketsOfACut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, store := t.Context(), openStore(t)
		defer store.Close()
		chain(t, 2)(store)
		below(t, store, "a", "x")
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
		watch, reached, on := halts(func(kind, what string) bool { return kind == "cut" && what == "later 2 put departments" })
		other.watch = watch
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
		on()
		other.Close(ctx)
		time.Sleep(time.Minute)
		if err := New(store, Options{}).Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		if breaches, err := checkStore(ctx, store); len(breaches) > 0 || err != nil {
			t.Error(breaches, err)
		}
	})
}

// A deletion empties a list that is being cut, and whose members are just being copied. Done in part, or with a cut that is announced when it has
// begun, it leaves none of the copies, which come late.
func TestADeletionLeavesNothingInTheBucketsOfACut(t *testing.T) {
	for _, test := range []struct {
		name string
		// halts is where the deletion waits for the cut, nowhere if that comes first.
		halts string
		fails int32
	}{
		{"done in part", "", 2},
		{"before the cut is announced", "clear", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, store := t.Context(), openStore(t)
				defer store.Close()
				chain(t, 2)(store)
				below(t, store, "a", "b", "c", "d")
				cutter := New(store, Options{ListBound: 2})
				var copying <-chan struct{}
				var copied func()
				cutter.watch, copying, copied = halts(func(kind, what string) bool {
					return kind == "cut" && strings.HasSuffix(what, "each copy put departments")
				})
				cut := func() {
					err := do(ctx, cutter, split, &splitArgs{bucketRef: bucketRef{List: listName{"departments", "c"}, Owner: []byte("d2")}, Bound: 2})
					if err != nil {
						t.Error(err)
					}
					<-copying
				}
				var failed atomic.Int32
				deleter := New(hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
					owner, bucket, err := tables.Children.OwnerOf(op.Row)
					if op.Kind != "Delete" || op.Table != "departments" || err != nil || owner != "d2" || bucket == 0 || failed.Add(1) > test.fails {
						return hbasetest.Fault{}
					}
					return hbasetest.Fault{Err: hbase.ErrUnavailable}
				}), Options{})
				var emptying <-chan struct{}
				var empty func()
				if test.halts == "" {
					cut()
				} else {
					deleter.watch, emptying, empty = halts(func(_, what string) bool { return what == test.halts })
				}
				if err := erase("d2", true)(ctx, deleter); err != nil {
					t.Fatal(err)
				}
				if test.halts != "" {
					<-emptying
					cut()
					empty()
				}
				deleter.Close(ctx)
				copied()
				cutter.Close(ctx)
				time.Sleep(grace + time.Second)
				if err := New(store, Options{}).Sweep(ctx); err != nil {
					t.Fatal(err)
				}
				if failed.Load() <= test.fails {
					t.Error("nothing was taken out of a bucket of the cut")
				}
				if breaches, err := checkStore(ctx, store); len(breaches) > 0 || err != nil {
					t.Error(breaches, err)
				}
			})
		})
	}
}

// The children join a list that is just being cut, and are taken out of the list that they would be found by again: by then the new buckets have them too.
func TestADeletionTakesNoChildAwayBeforeItIsInTheBucketsOfACut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, store := t.Context(), openStore(t)
		defer store.Close()
		chain(t, 2)(store)
		below(t, store, "x", "y")
		for _, code := range []string{"c", "d", "e"} {
			must(t, store, tables.Departments.Put(code, &tables.Department{Name: &code, ParentCode: pointer("d1")}, 1),
				lists(tables.Children, "d1", tables.Child{Name: code, Code: code}))
		}
		must(t, store, tables.Departments.Put("d1", &tables.Department{ChildCount: pointer(4)}, 1))
		adding, added, add := halts(func(_, what string) bool { return strings.HasPrefix(what, "later 1 each departments:c add") })
		var vacated, dead atomic.Bool
		deleter := New(hbasetest.NewFaults(store, func(hbasetest.Op) hbasetest.Fault {
			if dead.Load() {
				return hbasetest.Fault{Err: hbase.ErrUnavailable}
			}
			return hbasetest.Fault{}
		}), Options{})
		deleter.watch = func(ctx context.Context, kind string, what []string) (context.Context, func()) {
			vacated.Store(vacated.Load() || what[0] == "clear")
			dead.Store(dead.Load() || vacated.Load() && what[0] == "check buckets")
			return adding(ctx, kind, what)
		}
		if err := erase("d2", true)(ctx, deleter); err != nil {
			t.Fatal(err)
		}
		<-added
		cutter := New(store, Options{ListBound: 2})
		filling, filled, fill := halts(func(kind, what string) bool {
			return kind == "cut" && strings.HasSuffix(what, "each copy put departments")
		})
		cutter.watch = filling
		if err := do(ctx, cutter, split, &splitArgs{bucketRef: bucketRef{List: listName{"departments", "c"}, Owner: []byte("d1")}, Bound: 2}); err != nil {
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
		cutter.Close(ctx)
		time.Sleep(grace + time.Second)
		if err := New(store, Options{}).Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		if breaches, err := checkStore(ctx, store); len(breaches) > 0 || err != nil {
			t.Error(breaches, err)
		}
	})
}

// A list may have a million members: whoever goes through it remembers none of those that are where they belong.
func TestNoPlacesOfThePagesBehindAreKept(t *testing.T) {
	ctx, store := t.Context(), openStore(t)
	defer store.Close()
	var children []hbase.Mutation
	for i := range 3 * pageSize {
		code := fmt.Sprint(i)
		children = append(children, lists(tables.Children, "d2", tables.Child{Name: code, Code: code}))
	}
	must(t, store, children...)
	w := New(store, Options{})
	o := operation{w.newOp(time.Now()), time.Now().UnixMilli()}
	intent := tables.Intents.Put(tables.Intent{ID: o.id, Kind: deleteDepartment.name, Arguments: `{"Code":"d2"}`, At: o.at})
	x, _, err := w.parse(intent.Row, intent.Cells)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.mutate(ctx, x.intended()); err != nil {
		t.Fatal(err)
	}
	join := eachMember(tables.Children, "d2", func(c tables.Child) effect { return add(tables.Children, "d1", c, o.at) })
	if err := x.each(ctx, join.(each), ""); err != nil {
		t.Fatal(err)
	}
	joined, err := membersOf(ctx, store, tables.Children, "d1")
	if err != nil || len(joined) != 3*pageSize {
		t.Fatalf("%d joined: %v", len(joined), err)
	}
	if n := len(x.unverified); n > 0 {
		t.Errorf("%d places are kept", n)
	}
}

// A list that nothing clears would keep the members of a deleted owner.
func TestEveryListOfTheCatalogueIsClearedWithItsOwner(t *testing.T) {
	ofRelations := map[*tables.AnyList]bool{}
	for _, x := range tables.Relations() {
		ofRelations[x.From.List], ofRelations[x.To.List] = true, true
	}
	for _, l := range tables.Lists() {
		if _, known := clearings[l]; known == ofRelations[l] {
			t.Errorf("%s: among clearings %v, of a relation %v; it must be one of both", l, known, ofRelations[l])
		}
	}
}
