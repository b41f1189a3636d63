package writers

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

// Other operations may have changed the rows since.
func TestSupersededExecutionWritesNothing(t *testing.T) {
	followers := tables.Followers
	for _, test := range []struct {
		name, held string // the last call before the execution is superseded
		meanwhile  func(t *testing.T, store hbase.Store)
	}{
		{"before it writes members", "own intent", func(*testing.T, hbase.Store) {}},
		{"before it writes members again after a split", "check ends", func(t *testing.T, store hbase.Store) {
			row := followers.Row("LiLei", 0)
			results, err := store.Get(t.Context(), []hbase.Get{followers.Get("LiLei", 0, hbase.Page{})})
			if err != nil || len(results[0].Cells) != 1 {
				t.Fatalf("%v, error %v", results, err)
			}
			bucket := tables.Bucket{Number: 1, Start: results[0].Cells[0].Qualifier}
			mustMutate(t, store, hbase.PutCells(followers.Table, row, followers.BucketCell(bucket, 1)))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, store := t.Context(), openStore(t)
			defer store.Close()
			mustMutate(t, store, importedUsers("Lucy", "LiLei")...)
			dead := New(hbasetest.NewFaults(store, hbasetest.When(func(op hbasetest.Op) bool {
				return op.Table == tables.Following.Table && op.Kind == "Put"
			}, hbasetest.Fault{Err: errDead})), Options{})
			_ = dead.Relate(ctx, tables.Follows, "Lucy", "LiLei")
			dead.Close(ctx)
			id := onlyIntent(t, store)

			late, other := New(store, Options{}), New(store, Options{})
			hold, held, release := holdFirst(func(opType, purpose string) bool {
				return opType == "follow" && strings.HasSuffix(purpose, test.held)
			})
			var mu sync.Mutex
			var calls []string
			late.observe = func(ctx context.Context, c client, purposes []string) (context.Context, func()) {
				observed, end := hold(ctx, c, purposes)
				mu.Lock()
				defer mu.Unlock()
				calls = append(calls, strings.Join(purposes, ", "))
				return observed, end
			}
			completed := make(chan error)
			go func() { completed <- late.client("test").complete(ctx, id) }()
			<-held
			if err := other.client("test").complete(ctx, id); err != nil {
				t.Fatal(err)
			}
			test.meanwhile(t, store)
			mu.Lock()
			before := len(calls)
			mu.Unlock()
			release()
			if err := <-completed; err != nil {
				t.Error(err)
			}
			late.Close(ctx)
			other.Close(ctx)
			written := slices.DeleteFunc(calls[before:], func(call string) bool {
				return strings.HasSuffix(call, "own intent") || strings.HasSuffix(call, "check ends")
			})
			if len(written) > 0 {
				t.Errorf("calls after the operation was complete: %q", written)
			}
		})
	}
}
