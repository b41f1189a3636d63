package writers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
)

func calls(
	t *testing.T, prepare func(ctx context.Context, store hbase.Store, w *Writers),
	act func(ctx context.Context, w *Writers) error,
) (lines []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := openStore(t)
		defer store.Close()
		prepare(t.Context(), store, New(store, Options{}))
		time.Sleep(time.Second)
		var mu sync.Mutex
		var rounds []map[string]int
		began := time.Now()
		w := New(hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
			mu.Lock()
			defer mu.Unlock()
			for n := int(time.Since(began) / time.Millisecond); len(rounds) <= n; {
				rounds = append(rounds, map[string]int{})
			}
			rounds[len(rounds)-1][op.Kind+" "+op.Table]++
			return hbasetest.Fault{Delay: time.Millisecond}
		}), Options{})
		if err := act(t.Context(), w); err != nil {
			t.Error(err)
		}
		returned := int(time.Since(began) / time.Millisecond)
		w.Close(t.Context())
		for _, round := range rounds[:returned] {
			var items []string
			for _, item := range slices.Sorted(maps.Keys(round)) {
				if n := round[item]; n > 1 {
					item += fmt.Sprint(" ", n)
				}
				items = append(items, item)
			}
			lines = append(lines, strings.Join(items, ", "))
		}
	})
	return lines
}

type mutationCalls struct {
	mutation string
	act      func(ctx context.Context, w *Writers) error
	want     []string
}

func TestMutationsMakeTheirDocumentedStoreCalls(t *testing.T) {
	mutations := map[string]bool{}
	for _, of := range []func(t *testing.T) (prepare func(context.Context, hbase.Store, *Writers), all []mutationCalls){
		callsOfTwits, callsOfPeople, callsOfDepartments, callsOfGames,
	} {
		prepare, all := of(t)
		for _, test := range all {
			mutation, _, _ := strings.Cut(test.mutation, ",")
			mutations[mutation] = true
			t.Run(test.mutation, func(t *testing.T) {
				got := calls(t, prepare, test.act)
				if diff := cmp.Diff(test.want, got); diff != "" || len(got) > 6 && mutation != "moveDepartment" {
					t.Errorf("%d rounds (-want +got):\n%s", len(got), diff)
				}
			})
		}
	}
	if all := slices.Sorted(maps.Keys(mutations)); len(all) != 24 {
		t.Errorf("got %d mutations, want 24: %q", len(all), all)
	}
}
