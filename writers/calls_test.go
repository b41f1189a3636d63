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

// calls returns what act has the store asked for until it is answered, a line a round. What begins when the round before is over is the
// next; every call takes a millisecond of the test's own time.
func calls(t *testing.T, prepare func(ctx context.Context, store hbase.Store, w *Writers), act func(ctx context.Context, w *Writers) error) (lines []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := openStore(t)
		defer store.Close()
		prepare(t.Context(), store, New(store, Options{}))
		time.Sleep(time.Second)
		var mu sync.Mutex
		var asked []map[string]int
		began := time.Now()
		w := New(hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
			mu.Lock()
			defer mu.Unlock()
			for n := int(time.Since(began) / time.Millisecond); len(asked) <= n; {
				asked = append(asked, map[string]int{})
			}
			asked[len(asked)-1][op.Kind+" "+op.Table]++
			return hbasetest.Fault{Delay: time.Millisecond}
		}), Options{})
		if err := act(t.Context(), w); err != nil {
			t.Error(err)
		}
		answered := int(time.Since(began) / time.Millisecond)
		w.Close(t.Context())
		for _, round := range asked[:answered] {
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

// called is a mutation, and what it asks of the store before it answers, when nobody is in its way.
type called struct {
	mutation string
	act      func(ctx context.Context, w *Writers) error
	want     []string
}

func TestTheCallsOfMutations(t *testing.T) {
	mutations := map[string]bool{}
	for _, of := range []func(t *testing.T) (prepare func(context.Context, hbase.Store, *Writers), all []called){
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
		t.Errorf("there are 24 mutations, and here are %d: %q", len(all), all)
	}
}
