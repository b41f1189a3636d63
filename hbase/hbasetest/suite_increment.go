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
		sum, err := s.store.Increment(s.ctx, hbase.Increment{Table: s.table, Row: key, Family: "i", Qualifier: "n", Delta: delta})
		if err != nil || sum != want {
			t.Errorf("Increment by %d: %d, %v; want %d", delta, sum, err, want)
		}
	}
	t.Run("an absent cell counts as zero", func(t *testing.T) {
		add(t, row(t, ""), 5, 5)
	})
	t.Run("the sum is stored as eight bytes, big-endian", func(t *testing.T) {
		add(t, row(t, ""), 258, 258)
		s.expectValues(t, []hbase.Get{{Table: s.table, Row: row(t, "")}}, []string{"\x00\x00\x00\x00\x00\x00\x01\x02"})
	})
	t.Run("deltas add up, negative ones too", func(t *testing.T) {
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
	t.Run("a sum is newer than what it replaces, even if that is of the future", func(t *testing.T) {
		future := time.Now().Add(24 * time.Hour).UnixMilli()
		s.write(t, s.table, row(t, ""), put1("i:n", future, long(7)))
		add(t, row(t, ""), 1, 8)
		if cells := s.get(t, hbase.Get{Row: row(t, "")}); len(cells) != 1 || cells[0].Timestamp <= future || string(cells[0].Value) != long(8) {
			t.Errorf("got %v after %d", text(cells), future)
		}
	})
	for name, value := range map[string]string{"no bytes": "", "seven bytes": "1234567", "nine bytes": "123456789"} {
		t.Run("a cell of "+name+" is not a number", func(t *testing.T) {
			s.write(t, s.table, row(t, ""), put1("i:n", 10, value))
			_, err := s.store.Increment(s.ctx, hbase.Increment{Table: s.table, Row: row(t, ""), Family: "i", Qualifier: "n", Delta: 1})
			if !errors.Is(err, hbase.ErrNotLong) {
				t.Errorf("got %v", err)
			}
			s.expect(t, hbase.Get{Row: row(t, "")}, "i:n@10="+value)
		})
	}
	t.Run("increments at once add up, and each sees a sum of its own", func(t *testing.T) {
		const workers, times = 8, 25
		var mu sync.Mutex
		seen := map[int64]bool{}
		s.each(t, workers, func(int) error {
			for range times {
				sum, err := s.store.Increment(s.ctx, hbase.Increment{Table: s.table, Row: row(t, ""), Family: "i", Qualifier: "n", Delta: 1})
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
			t.Errorf("%d sums of %d increments", len(seen), workers*times)
		}
		add(t, row(t, ""), 0, workers*times)
	})
}
