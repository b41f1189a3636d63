package hbase

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// longTexts is a store whose rows have ten cells each. It spends what it reads, as a cluster does.
type longTexts struct {
	Store
	cell  int // bytes
	mu    sync.Mutex
	calls []int
	hold  chan struct{} // unless it is nil, calls wait for it
}

func (s *longTexts) Get(ctx context.Context, gets []Get) (results []Result, err error) {
	land, err := BudgetOf(ctx).Fly(ctx, gets)
	if err != nil {
		return nil, err
	}
	defer func() { land(results) }()
	s.mu.Lock()
	s.calls = append(s.calls, len(gets))
	s.mu.Unlock()
	if s.hold != nil {
		<-s.hold
	}
	results = make([]Result, len(gets))
	for i := range results {
		for n := range 10 {
			results[i].Cells = append(results[i].Cells, Cell{Family: "t", Qualifier: fmt.Sprint(n), Value: []byte(strings.Repeat("x", s.cell))})
		}
	}
	CountResults(ctx, results)
	return results, nil
}

func pagesOf(rows int) (gets []Get) {
	for i := range rows {
		gets = append(gets, Get{Table: "users", Row: fmt.Sprint(i), Columns: "t", Page: Page{Limit: 10}})
	}
	return gets
}

func maxCell(string, string) int { return 48 << 10 }

func TestMemory(t *testing.T) {
	const cell = 40 << 10
	read := func(t *testing.T, ctx context.Context, store Store, rows int) (answered int, err error) {
		t.Helper()
		results, err := store.Get(ctx, pagesOf(rows))
		for _, r := range results {
			if r.Err != nil {
				return answered, r.Err
			}
			answered++
		}
		return answered, err
	}
	t.Run("a request that is known to exceed its budget reads nothing, but once a second", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, m := &longTexts{cell: cell}, NewMemory(64<<20, maxCell)
			request := func() (answered int) {
				store.calls = nil
				ctx, end := context.WithCancel(t.Context())
				defer synctest.Wait()
				defer end()
				var over *OverBudget
				answered, err := read(t, ctx, Budgeted(ctx, store, 32<<20, m), 200)
				if !errors.As(err, &over) {
					t.Errorf("%d rows, and the error %v", answered, err)
				}
				return answered
			}
			if request() == 0 {
				t.Error("the first one is not answered anything")
			}
			for range 4 { // each finds more rows that are large
				request()
			}
			if request(); store.calls != nil {
				t.Errorf("calls of %v rows", store.calls)
			}
			time.Sleep(time.Second)
			if n := request(); n == 0 || n > 20 {
				t.Errorf("%d rows are read a second later", n)
			}
		})
	})
	t.Run("large rows that are known are read in pieces", func(t *testing.T) {
		store, m := &longTexts{cell: cell}, NewMemory(64<<20, maxCell)
		for range 2 {
			store.calls = nil
			if n, err := read(t, t.Context(), Budgeted(t.Context(), store, 0, m), 50); n != 50 || err != nil {
				t.Fatalf("%d rows, and the error %v", n, err)
			}
		}
		if want := "[19 19 12]"; fmt.Sprint(store.calls) != want {
			t.Errorf("calls of %v rows, not %v", store.calls, want)
		}
	})
	t.Run("a row that has fewer columns than are asked for counts for those that it has", func(t *testing.T) {
		store, m := &longTexts{cell: cell}, NewMemory(64<<20, maxCell)
		gets := pagesOf(50) // 20 MB
		for i := range gets {
			gets[i].Page.Limit = 100
		}
		for range 3 {
			if _, err := GetAll(t.Context(), Budgeted(t.Context(), store, 32<<20, m), gets); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("small rows are read in one call, and take no memory", func(t *testing.T) {
		store, m := &longTexts{cell: 100}, NewMemory(64<<20, maxCell)
		if n, err := read(t, t.Context(), Budgeted(t.Context(), store, 32<<20, m), 100); n != 100 || err != nil || len(store.calls) != 1 {
			t.Errorf("%d rows, the error %v, calls of %v rows", n, err, store.calls)
		}
		if held, _ := m.Load(); held != 0 {
			t.Errorf("%d bytes are held", held)
		}
	})
	t.Run("a request holds its memory until it ends, and another one waits or is refused", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, m := &longTexts{cell: cell}, NewMemory(16<<20, maxCell)
			first, end := context.WithCancel(t.Context())
			if _, err := read(t, first, Budgeted(first, store, 0, m), 30); err != nil {
				t.Fatal(err)
			}
			var busy *Busy
			if _, err := read(t, t.Context(), Budgeted(t.Context(), store, 0, m), 30); !errors.As(err, &busy) {
				t.Errorf("another one has the error %v", err)
			}
			end()
			synctest.Wait()
			second, end := context.WithCancel(t.Context())
			defer end()
			if _, err := read(t, second, Budgeted(second, store, 0, m), 30); err != nil {
				t.Errorf("after its end: %v", err)
			}
			end()
			synctest.Wait()
			if held, refused := m.Load(); held != 0 || refused != 1 {
				t.Errorf("%d bytes are held, %d were refused", held, refused)
			}
		})
	})
	t.Run("rows that may be large are in flight one call after the other", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, m := &longTexts{cell: 100, hold: make(chan struct{})}, NewMemory(32<<20, maxCell)
			for range 3 {
				go read(t, t.Context(), Budgeted(t.Context(), store, 0, m), 50) // 24 MB at most, of 32 MiB
			}
			for n := 1; n <= 3; n++ {
				if synctest.Wait(); len(store.calls) != n {
					t.Errorf("%d calls are in flight", len(store.calls))
				}
				store.hold <- struct{}{}
			}
		})
	})
	t.Run("rows whose cells are known to be small are in flight together", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, m := &longTexts{cell: 100}, NewMemory(32<<20, maxCell)
			if _, err := read(t, t.Context(), Budgeted(t.Context(), store, 0, m), 50); err != nil {
				t.Fatal(err)
			}
			store.calls, store.hold = nil, make(chan struct{})
			for range 3 {
				go read(t, t.Context(), Budgeted(t.Context(), store, 0, m), 50) // 1 MB at most
			}
			if synctest.Wait(); len(store.calls) != 3 {
				t.Errorf("%d calls are in flight", len(store.calls))
			}
			close(store.hold)
		})
	})
}
