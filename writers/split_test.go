package writers

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase/tables"
)

// A member that joins a new bucket of a split leaves a moved marker in bucket 0 until the cleanup,
// which removes all markers, also those written after it read the range.
func TestMemberAddedDuringCleanupLeavesNoMarker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, store := t.Context(), openStore(t)
		defer store.Close()
		w := New(store, Options{ListBound: 2})
		if err := createLead(ctx, w); err != nil {
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
