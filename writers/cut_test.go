package writers

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

// Who joins a bucket that was cut off, while bucket 0 may still be read for what it had, is told of there. Nothing of that stays when the
// range is emptied, also of who joined after it was read.
func TestWhoJoinsWhileTheRangeOfACutIsEmptiedLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, store := t.Context(), openStore(t)
		defer store.Close()
		w := New(store, Options{ListBound: 2})
		if err := createLead(ctx, w); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "b", "c", "d"} {
			must(t, store, user(name))
			if err := w.AssignRole(ctx, name, "lead"); err != nil {
				t.Fatal(err)
			}
		}
		w.Close(ctx)
		must(t, store, user("e"))
		time.Sleep(grace + time.Second)
		trace, reached, on := halts(func(kind, what string) bool { return kind == "empty" && what == "empty" })
		sweeper, other := New(store, Options{ListBound: 2}), New(store, Options{ListBound: 2})
		sweeper.trace = trace
		swept := make(chan error)
		go func() { swept <- sweeper.Sweep(ctx) }()
		<-reached
		err := other.AssignRole(ctx, "e", "lead")
		other.Close(ctx)
		on()
		if err := errors.Join(err, <-swept); err != nil {
			t.Fatal(err)
		}
		breaches, err := checkStore(ctx, store)
		if len(breaches) > 0 || err != nil {
			t.Error(breaches, err)
		}
	})
}

// A deletion of a department takes children out of a list that is being cut. Done in part it is done again, though they are not where it finds
// them any more: or the copies of the cut, which come late, are there for ever.
func TestADeletionThatIsDoneInPartLeavesNothingInTheBucketsOfACut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, store := t.Context(), openStore(t)
		defer store.Close()
		chain(t, 2)(store)
		const children = 4
		for _, code := range []string{"a", "b", "c", "d"} {
			must(t, store, tables.Departments.Put(code, &tables.Department{Name: &code, ParentCode: pointer("d2")}, 1),
				lists(tables.Children, "d2", tables.Child{Name: code, Code: code}))
		}
		must(t, store, tables.Departments.Put("d2", &tables.Department{ChildCount: pointer(children)}, 1))
		trace, reached, on := halts(func(kind, what string) bool {
			return kind == "cut" && strings.Contains(what, "fill") && !strings.Contains(what, "read")
		})
		cutter := New(store, Options{ListBound: 2})
		cutter.trace = trace
		if err := create("e", "d2")(ctx, cutter); err != nil {
			t.Fatal(err)
		}
		<-reached
		var failed atomic.Int32
		deleter := New(hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
			if owner, bucket, err := tables.Children.OwnerOf(op.Row); op.Table != "departments" || err != nil || owner != "d2" || bucket == 0 || op.Kind != "Delete" {
				return hbasetest.Fault{}
			}
			if failed.Add(1) > 2 {
				return hbasetest.Fault{}
			}
			return hbasetest.Fault{Err: hbase.ErrUnavailable}
		}), Options{ListBound: 2})
		if err := erase("d2", true)(ctx, deleter); err != nil {
			t.Fatal(err)
		}
		deleter.Close(ctx)
		on()
		cutter.Close(ctx)
		time.Sleep(grace + time.Second)
		if err := New(store, Options{ListBound: 2}).Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		if failed.Load() == 0 {
			t.Error("nothing was taken out of a bucket of the cut")
		}
		if breaches, err := checkStore(ctx, store); len(breaches) > 0 || err != nil {
			t.Error(breaches, err)
		}
	})
}
