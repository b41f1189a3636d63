package live

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

type measured struct {
	hbase.Store
	mu   sync.Mutex
	most int64
}

func (m *measured) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	results, err := m.Store.Get(ctx, gets)
	bytes := int64(0)
	for _, r := range results {
		bytes += hbase.Size(r.Cells)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.most = max(m.most, bytes)
	return results, err
}

// Between two polls, 30 authors post 600 twits of 40 KB, 24 MB.
func TestPollReadsNoTexts(t *testing.T) {
	withFixture(t, func(t *testing.T, f *fixture) {
		const authors, each = 30, 20
		store := &measured{Store: f.store}
		checked, largest := 0, 0
		p := New(store, Options{Visible: func(_ context.Context, all []Candidate) ([]any, []error) {
			checked, largest = checked+len(all), max(largest, len(all))
			entries := make([]any, len(all))
			for i, c := range all {
				if c.Entry != nil {
					t.Error("a candidate has its text")
				}
				entries[i] = c.Key.Position
			}
			return entries, nil
		}})
		ctx, stop := run(t, p)
		defer stop()
		var all []*Subscription
		for i := range authors {
			s, err := p.Subscribe(ctx, "", Posts, fmt.Sprint(i), time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			all = append(all, s)
		}
		text := strings.Repeat("x", 40_000)
		for i := range authors {
			var cells []hbase.Cell
			for n := range each {
				twit := &tables.Twit{AuthorName: fmt.Sprint(i), PostedAt: time.Now(), Name: fmt.Sprint(n), Content: text}
				cells = append(cells, tables.Twits.Cell(twit, 1))
			}
			f.put(hbase.Put{Table: tables.Twits.Table, Row: tables.Twits.Row(fmt.Sprint(i), 0), Cells: cells})
		}
		time.Sleep(2 * Interval)
		synctest.Wait()
		for i, s := range all {
			if n := len(s.Events()); n != each {
				t.Errorf("subscriber %d got %d twits, want %d", i, n, each)
			}
		}
		if checked != authors*each || largest > entriesPerCall {
			t.Errorf("%d candidates were checked, want %d, at most %d at a time", checked, authors*each, largest)
		}
		if store.most > 100<<10 {
			t.Errorf("a call returned %d bytes, want at most 100 KiB", store.most)
		}
	})
}

func TestCandidatesAreReadInBoundedCalls(t *testing.T) {
	var all []Candidate
	for i := range 2*entriesPerCall + 1 {
		for range 3 { // subscribers
			all = append(all, Candidate{Key: Key{"author", fmt.Sprint(i)}})
		}
	}
	var parts []int
	for rest := all; len(rest) > 0; rest = rest[nextEntries(rest):] {
		parts = append(parts, nextEntries(rest))
	}
	if want := fmt.Sprint([]int{3 * entriesPerCall, 3 * entriesPerCall, 3}); fmt.Sprint(parts) != want {
		t.Errorf("got parts of %v candidates, want %v", parts, want)
	}
}
