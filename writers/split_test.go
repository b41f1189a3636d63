package writers

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func TestMemberAddedDuringCleanupLeavesNoMarker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, store := t.Context(), openStore(t)
		defer store.Close()
		w := New(store, Options{ListBound: 2})
		if err := createLeadRole(ctx, w); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "b", "c", "d"} {
			mustMutate(t, store, importedUsers(name)...)
			if err := w.Relate(ctx, tables.Assignments, name, "lead"); err != nil {
				t.Fatal(err)
			}
		}
		w.Close(ctx)
		mustMutate(t, store, importedUsers("e")...)
		time.Sleep(grace + time.Second)
		observe, reached, proceed := holdFirst(func(opType, purpose string) bool {
			return opType == "empty" && purpose == "delete copies"
		})
		sweeper, other := New(store, Options{ListBound: 2}), New(store, Options{ListBound: 2})
		sweeper.observe = observe
		swept := make(chan error)
		go func() { swept <- sweeper.Sweep(ctx) }()
		<-reached
		err := other.Relate(ctx, tables.Assignments, "e", "lead")
		other.Close(ctx)
		proceed()
		if err := errors.Join(err, <-swept); err != nil {
			t.Fatal(err)
		}
		violations, err := checkStore(ctx, store)
		if len(violations) > 0 || err != nil {
			t.Error(violations, err)
		}
	})
}

func TestHeightCountsMembersThatASplitMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, store := t.Context(), openStore(t)
		defer store.Close()
		chain(t, 2)(store)
		importChildren(t, store, "a", "b", "c", "d")
		mustMutate(t, store, memberPut(tables.Children, "d", tables.Child{Name: "e", Code: "e"}))
		get := func(gets ...hbase.Get) ([][]hbase.Cell, error) { return hbase.GetAll(ctx, store, gets) }
		var cleaned atomic.Bool
		options := Options{ListBound: 2}
		options.Observe = func(ctx context.Context, opType string, _ []string) (context.Context, func()) {
			cleaned.Store(cleaned.Load() || opType == "empty")
			if height, err := heightOf("d2", get); height != 3 || err != nil {
				t.Errorf("before a call of %s: height %d, error %v, want 3", opType, height, err)
			}
			return ctx, func() {}
		}
		w := New(store, options)
		if err := execute(ctx, w, nil, split, splitOf("d2")); err != nil {
			t.Fatal(err)
		}
		w.Close(ctx)
		time.Sleep(grace + time.Second)
		if err := New(store, options).Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		if !cleaned.Load() {
			t.Error("no split was cleaned up")
		}
	})
}
