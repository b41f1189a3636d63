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

// longTexts has rows of ten cells. Like a cluster, it counts results after the call.
type longTexts struct {
	Store
	cell  int  // bytes
	stops bool // it does not reserve memory, like the embedded engine
	mu    sync.Mutex
	calls []int
	hold  chan struct{} // may be nil
}

func (s *longTexts) Get(ctx context.Context, gets []Get) (results []Result, err error) {
	if !s.stops {
		release, err := Reserve(ctx, gets)
		if err != nil {
			return nil, err
		}
		defer func() { release(results) }()
	}
	s.mu.Lock()
	s.calls = append(s.calls, len(gets))
	s.mu.Unlock()
	if s.hold != nil {
		<-s.hold
	}
	results = make([]Result, len(gets))
	for i := range results {
		for n := range 10 {
			cell := Cell{Family: "t", Qualifier: fmt.Sprint(n), Value: []byte(strings.Repeat("x", s.cell))}
			results[i].Cells = append(results[i].Cells, cell)
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

func TestLargeReadsWaitForReadMemory(t *testing.T) {
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
	t.Run("a request that is likely to exceed its budget reads once per second", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, m := &longTexts{cell: cell}, NewMemory(64<<20, maxCell, true)
			request := func() (answered int) {
				store.calls = nil
				ctx, end := context.WithCancel(t.Context())
				defer synctest.Wait()
				defer end()
				var over *OverBudget
				answered, err := read(t, ctx, Budgeted(ctx, store, "", 32<<20, m), 200)
				if !errors.As(err, &over) {
					t.Errorf("got %d rows and error %v, want OverBudget", answered, err)
				}
				return answered
			}
			if request() == 0 {
				t.Error("the first request got no rows")
			}
			for range 4 { // in each, more rows become known as large
				request()
			}
			if request(); store.calls != nil {
				t.Errorf("got calls of %v rows, want none", store.calls)
			}
			time.Sleep(time.Second)
			if n := request(); n == 0 || n > 20 {
				t.Errorf("got %d rows a second later, want 1 to 20", n)
			}
		})
	})
	t.Run("a response takes memory until its request ends", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := NewMemory(16<<20, maxCell, true)
			first, end := context.WithCancel(t.Context())
			store := Budgeted(first, &longTexts{cell: cell}, "a", 32<<20, m)
			if _, err := read(t, first, store, 10); err != nil { // 4 MB
				t.Fatal(err)
			}
			before, _ := m.Load()
			if err := HoldResponse(store, 8<<20); err != nil {
				t.Fatal(err)
			}
			if held, _ := m.Load(); held < before+4<<20 {
				t.Errorf("%d bytes are held, %d before the response", held, before)
			}
			other := Budgeted(t.Context(), &longTexts{cell: cell}, "b", 32<<20, m)
			var busy *Busy
			if err := HoldResponse(other, 8<<20); !errors.As(err, &busy) {
				t.Errorf("another response: got error %v, want Busy", err)
			}
			end()
			synctest.Wait()
			if err := HoldResponse(other, 100<<20); err != nil { // holds at most all memory
				t.Errorf("after the first: %v", err)
			}
		})
	})
	for _, reserves := range []bool{true, false} {
		t.Run(fmt.Sprintf("rows known as large are read in pieces; the engine reserves memory: %t", reserves), func(t *testing.T) {
			store, m := &longTexts{cell: cell, stops: !reserves}, NewMemory(64<<20, maxCell, reserves)
			for range 2 {
				store.calls = nil
				if n, err := read(t, t.Context(), Budgeted(t.Context(), store, "", 0, m), 50); n != 50 || err != nil {
					t.Fatalf("got %d rows and error %v, want 50", n, err)
				}
			}
			if want := "[19 19 12]"; fmt.Sprint(store.calls) != want {
				t.Errorf("got calls of %v rows, want %v", store.calls, want)
			}
		})
	}
	t.Run("the estimate of a large row uses its columns, not the limit", func(t *testing.T) {
		store, m := &longTexts{cell: cell}, NewMemory(64<<20, maxCell, true)
		gets := pagesOf(50) // 20 MB
		for i := range gets {
			gets[i].Page.Limit = 100
		}
		for range 3 {
			if _, err := GetAll(t.Context(), Budgeted(t.Context(), store, "", 32<<20, m), gets); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("small rows take one call and no memory", func(t *testing.T) {
		store, m := &longTexts{cell: 100}, NewMemory(64<<20, maxCell, true)
		n, err := read(t, t.Context(), Budgeted(t.Context(), store, "", 32<<20, m), 100)
		if n != 100 || err != nil || len(store.calls) != 1 {
			t.Errorf("got %d rows, error %v and calls of %v rows, want one call of 100", n, err, store.calls)
		}
		if held, _ := m.Load(); held != 0 {
			t.Errorf("%d bytes are held, want 0", held)
		}
	})
	t.Run("an engine that reserves no memory reads all rows of unknown size in one call", func(t *testing.T) {
		store, m := &longTexts{cell: 100, stops: true}, NewMemory(16<<20, maxCell, false)
		n, err := read(t, t.Context(), Budgeted(t.Context(), store, "", 32<<20, m), 60)
		if n != 60 || err != nil || len(store.calls) != 1 {
			t.Errorf("got %d rows, error %v and calls of %v rows, want one call of 60", n, err, store.calls)
		}
	})
	t.Run("a request holds memory until it ends, and another one is rejected", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, m := &longTexts{cell: cell}, NewMemory(16<<20, maxCell, true)
			first, end := context.WithCancel(t.Context())
			if _, err := read(t, first, Budgeted(first, store, "", 0, m), 30); err != nil {
				t.Fatal(err)
			}
			var busy *Busy
			if _, err := read(t, t.Context(), Budgeted(t.Context(), store, "", 0, m), 30); !errors.As(err, &busy) {
				t.Errorf("another request: got error %v, want Busy", err)
			}
			end()
			synctest.Wait()
			second, end := context.WithCancel(t.Context())
			defer end()
			if _, err := read(t, second, Budgeted(second, store, "", 0, m), 30); err != nil {
				t.Errorf("after the end of the first: %v", err)
			}
			end()
			synctest.Wait()
			if held, rejected := m.Load(); held != 0 || rejected != 1 {
				t.Errorf("%d bytes are held, %d requests were rejected; want 0 and 1", held, rejected)
			}
		})
	})
	t.Run("a client leaves memory for others", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, m := &longTexts{cell: cell}, NewMemory(40<<20, maxCell, true)
			ctx, end := context.WithCancel(t.Context())
			defer synctest.Wait()
			defer end()
			request := func(client string) error {
				_, err := read(t, ctx, Budgeted(ctx, store, client, 0, m), 25) // 10 MB
				return err
			}
			if err := errors.Join(request("modest"), request("greedy")); err != nil {
				t.Fatal(err)
			}
			var busy *Busy
			if err := request("greedy"); !errors.As(err, &busy) {
				t.Errorf("a second request: got error %v, want Busy", err)
			}
			if err := request("third"); err != nil {
				t.Errorf("another client: got error %v", err)
			}
		})
	})
	t.Run("requests in pieces do not wait for each other", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, m := &longTexts{cell: cell}, NewMemory(32<<20, maxCell, true)
			request := func() {
				ctx, end := context.WithCancel(t.Context())
				defer end()
				if _, err := read(t, ctx, Budgeted(ctx, store, "", 0, m), 50); err != nil { // 20 MB
					t.Error(err)
				}
			}
			request()
			synctest.Wait()
			store.hold = make(chan struct{})
			for range 2 {
				go request()
			}
			for range 6 { // three pieces each
				synctest.Wait()
				store.hold <- struct{}{}
			}
			synctest.Wait()
		})
	})
	t.Run("calls with rows of unknown size take turns", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, m := &longTexts{cell: 100, hold: make(chan struct{})}, NewMemory(32<<20, maxCell, true)
			for range 3 {
				go read(t, t.Context(), Budgeted(t.Context(), store, "", 0, m), 50) // 24 of 32 MiB
			}
			for n := 1; n <= 3; n++ {
				if synctest.Wait(); len(store.calls) != n {
					t.Errorf("%d calls are in flight, want %d", len(store.calls), n)
				}
				store.hold <- struct{}{}
			}
		})
	})
	t.Run("calls with rows known as small run concurrently", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, m := &longTexts{cell: 100}, NewMemory(32<<20, maxCell, true)
			if _, err := read(t, t.Context(), Budgeted(t.Context(), store, "", 0, m), 50); err != nil {
				t.Fatal(err)
			}
			store.calls, store.hold = nil, make(chan struct{})
			for range 3 {
				go read(t, t.Context(), Budgeted(t.Context(), store, "", 0, m), 50) // 1 MB
			}
			if synctest.Wait(); len(store.calls) != 3 {
				t.Errorf("%d calls are in flight, want 3", len(store.calls))
			}
			close(store.hold)
		})
	})
}

func TestSizesOfColumnsAreBounded(t *testing.T) {
	m := NewMemory(64<<20, maxCell, true)
	for n := range MaxCachedColumns + 100 {
		m.sizesOf(&Get{Table: "users", Columns: fmt.Sprintf("i:q%d", n)}, nil)
	}
	if got := m.sizes.Len(); got != MaxCachedColumns {
		t.Errorf("got %d sizes, want %d", got, MaxCachedColumns)
	}
}

func TestEstimateUsesTheSizesOfEarlierReads(t *testing.T) {
	m := NewMemory(64<<20, maxCell, true)
	row := func(name string, cells, bytes int) (Get, Result) {
		var r Result
		for range cells {
			r.Cells = append(r.Cells, Cell{Value: make([]byte, bytes)})
		}
		return Get{Table: "users", Row: name, Columns: "t", Page: Page{Limit: 5000}}, r
	}
	for _, test := range []struct {
		name         string
		cells, bytes int
		want         size
	}{
		{"no cells", 0, 0, size{assumed: maxColumns << 10}},
		{"small cells", 10, 100, size{assumed: maxColumns << 10}},
		{"cells of 4 KiB", 10, 4 << 10, size{assumed: maxColumns * 5 << 10}},
		{"large cells", 10, 40 << 10, size{known: 10 * 41 << 10}},
		{"more cells than are counted", 4500, 8 << 10, size{known: maxColumns * 9 << 10}},
	} {
		t.Run(test.name, func(t *testing.T) {
			get, result := row(test.name, test.cells, test.bytes)
			for _, get.Page.Limit = range []int{0, 5000} {
				m.learn([]Get{get}, []Result{result})
				if _, got := m.estimate([]Get{get}, unlimited); got != test.want {
					t.Errorf("limit %d: got %+v, want %+v", get.Page.Limit, got, test.want)
				}
			}
		})
	}
	t.Run("unknown", func(t *testing.T) {
		get, _ := row("another", 0, 0)
		if _, got := m.estimate([]Get{get}, unlimited); got.known != 0 || got.assumed != maxColumns*48<<10 {
			t.Errorf("got %+v, want the largest cells", got)
		}
	})
	t.Run("small cells of a part", func(t *testing.T) {
		get, result := row("part", 10, 100)
		get.Page.Limit = 10
		m.learn([]Get{get}, []Result{result})
		for _, test := range []struct {
			page Page
			want int64
		}{
			{Page{Limit: 10}, 10 << 10},
			{Page{Limit: 12}, 10<<10 + 2*48<<10},
			{Page{Start: "a", Limit: 10}, 10 * 48 << 10},
		} {
			get.Page = test.page
			if _, got := m.estimate([]Get{get}, unlimited); got != (size{assumed: test.want}) {
				t.Errorf("%+v: got %+v, want %d assumed bytes", test.page, got, test.want)
			}
		}
	})
	t.Run("a large row becomes small if it is read completely", func(t *testing.T) {
		large, cells := row("was large", 10, 40<<10)
		m.learn([]Get{large}, []Result{cells})
		for _, test := range []struct {
			page  Page
			cells int
			large bool
		}{
			{Page{Limit: 1}, 1, true},
			{Page{Start: "z", Limit: 100}, 0, true},
			{Page{Stop: "a", Limit: 100}, 0, true},
			{Page{Limit: 100}, 1, false},
		} {
			get, cells := row("was large", test.cells, 1)
			get.Page = test.page
			m.learn([]Get{get}, []Result{cells})
			if _, got := m.estimate([]Get{get}, unlimited); got.known > 0 != test.large {
				t.Errorf("after %d small cells of %+v: %+v", test.cells, test.page, got)
			}
		}
	})
	t.Run("many small rows replace no large one", func(t *testing.T) {
		for i := range 3 << slotBits {
			get, result := row(fmt.Sprint(i), 1, 1)
			m.learn([]Get{get}, []Result{result})
		}
		get, _ := row("large cells", 0, 0)
		if _, got := m.estimate([]Get{get}, unlimited); got.known == 0 {
			t.Errorf("got %+v, want a large row", got)
		}
	})
}
