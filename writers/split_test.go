package writers

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

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
			if err := w.Relate(ctx, tables.Assignments, name, "lead"); err != nil {
				t.Fatal(err)
			}
		}
		w.Close(ctx)
		must(t, store, user("e"))
		time.Sleep(grace + time.Second)
		watch, reached, on := halts(func(kind, what string) bool { return kind == "empty" && what == "delete copies" })
		sweeper, other := New(store, Options{ListBound: 2}), New(store, Options{ListBound: 2})
		sweeper.watch = watch
		swept := make(chan error)
		go func() { swept <- sweeper.Sweep(ctx) }()
		<-reached
		err := other.Relate(ctx, tables.Assignments, "e", "lead")
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
