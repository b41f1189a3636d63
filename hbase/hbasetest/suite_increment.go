package hbasetest

import (
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"twibase/hbase"
)

func (s *suite) testIncrement(t *testing.T) {
	add := func(t *testing.T, key string, delta, want int64) {
		t.Helper()
		inc := hbase.Increment{Table: s.table, Row: key, Family: "i", Qualifier: "n", Delta: delta}
		sum, err := s.store.Increment(s.ctx, inc)
		if err != nil || sum != want {
			t.Errorf("Increment by %d: got %d, %v; want %d", delta, sum, err, want)
		}
	}
	t.Run("an absent cell counts as zero", func(t *testing.T) {
		add(t, row(t, ""), 5, 5)
	})
	t.Run("the sum is stored as eight bytes, big-endian", func(t *testing.T) {
		add(t, row(t, ""), 258, 258)
		s.expectValues(t, []hbase.Get{{Table: s.table, Row: row(t, "")}}, []string{"\x00\x00\x00\x00\x00\x00\x01\x02"})
	})
	t.Run("positive and negative deltas", func(t *testing.T) {
		key := row(t, "")
		add(t, key, 5, 5)
		add(t, key, -7, -2)
		add(t, key, 1<<40, 1<<40-2)
	})
	t.Run("a put cell of eight bytes is a number", func(t *testing.T) {
		s.write(t, s.table, row(t, ""), put1("i:n", 10, long(-3)))
		add(t, row(t, ""), 4, 1)
	})
	t.Run("a sum beyond the greatest number wraps around", func(t *testing.T) {
		s.write(t, s.table, row(t, ""), put1("i:n", 10, long(math.MaxInt64)))
		add(t, row(t, ""), 1, math.MinInt64)
	})
	t.Run("a deleted cell counts as zero", func(t *testing.T) {
		s.write(t, s.table, row(t, ""), put1("i:n", 10, long(7)), remove(hbase.AllVersions, "i:n", 20))
		add(t, row(t, ""), 1, 1)
	})
	t.Run("a sum is newer than the cell that it replaces", func(t *testing.T) {
		future := time.Now().Add(24 * time.Hour).UnixMilli()
		s.write(t, s.table, row(t, ""), put1("i:n", future, long(7)))
		add(t, row(t, ""), 1, 8)
		cells := s.get(t, hbase.Get{Row: row(t, "")})
		if len(cells) != 1 || cells[0].Timestamp <= future || string(cells[0].Value) != long(8) {
			t.Errorf("got %v, want 8 after timestamp %d", text(cells), future)
		}
	})
	for name, value := range map[string]string{"no bytes": "", "seven bytes": "1234567", "nine bytes": "123456789"} {
		t.Run("a cell of "+name+" is not a number", func(t *testing.T) {
			s.write(t, s.table, row(t, ""), put1("i:n", 10, value))
			inc := hbase.Increment{Table: s.table, Row: row(t, ""), Family: "i", Qualifier: "n", Delta: 1}
			_, err := s.store.Increment(s.ctx, inc)
			if !errors.Is(err, hbase.ErrNotLong) {
				t.Errorf("got %v", err)
			}
			s.expect(t, hbase.Get{Row: row(t, "")}, "i:n@10="+value)
		})
	}
	t.Run("concurrent increments return different sums", func(t *testing.T) {
		const workers, times = 8, 25
		var mu sync.Mutex
		seen := map[int64]bool{}
		s.each(t, workers, func(int) error {
			for range times {
				inc := hbase.Increment{Table: s.table, Row: row(t, ""), Family: "i", Qualifier: "n", Delta: 1}
				sum, err := s.store.Increment(s.ctx, inc)
				if err != nil {
					return err
				}
				mu.Lock()
				seen[sum] = true
				mu.Unlock()
			}
			return nil
		})
		if len(seen) != workers*times {
			t.Errorf("got %d sums, want %d", len(seen), workers*times)
		}
		add(t, row(t, ""), 0, workers*times)
	})
}
