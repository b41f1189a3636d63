package hbase

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMemoKeepsTheFirstValue(t *testing.T) {
	var mu sync.Mutex
	taken, cells := 0, make([]Cell, 2)
	GiveMemos(cells, func(bytes int) bool {
		mu.Lock()
		defer mu.Unlock()
		taken++
		return bytes > 8
	})
	m := cells[0].Memo
	if made := m.Made(); made != nil {
		t.Errorf("a new memo has %v", made)
	}
	var all sync.WaitGroup
	seen := make([]any, 8)
	for i := range seen {
		all.Go(func() {
			m.Remember(&seen[i], 8)
			seen[i] = m.Made()
		})
	}
	all.Wait()
	for i, made := range seen {
		if made == nil || made != seen[0] {
			t.Errorf("reader %d got %v, reader 0 %v", i, made, seen[0])
		}
	}
	if taken != 1 || cells[1].Memo.Made() != nil {
		t.Errorf("room was called %d times, want once; the other cell has %v", taken, cells[1].Memo.Made())
	}
}

func TestMemoKeepsNothingWithoutRoom(t *testing.T) {
	cells := make([]Cell, 1)
	GiveMemos(cells, func(bytes int) bool { return bytes < 100 })
	m := cells[0].Memo
	m.Remember("large", 100)
	if made := m.Made(); made != nil {
		t.Errorf("got %v, want nil", made)
	}
	if m.Remember("small", 50); m.Made() != "small" {
		t.Errorf("got %v, want small", m.Made())
	}
}

func TestEqualIgnoresMemos(t *testing.T) {
	cells := []Cell{{Value: []byte("v")}, {Value: []byte("v")}}
	GiveMemos(cells, func(int) bool { return true })
	cells[1].Memo.Remember(1, 8)
	without := Cell{Value: []byte("v")}
	if diff := cmp.Diff([]Cell{cells[0], cells[1], without}, []Cell{cells[1], without, cells[0]}); diff != "" {
		t.Error(diff)
	}
}
