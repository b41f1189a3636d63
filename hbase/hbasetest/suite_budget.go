package hbasetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"twibase/hbase"
)

func (s *suite) testBudget(t *testing.T) {
	const rows, size, most = 8, 1000, 3500
	var gets []hbase.Get
	prefix := row(t, "")
	for i := range rows {
		key := prefix + fmt.Sprint(i)
		s.write(t, s.table, key, put1("i:q", 1, strings.Repeat("x", size)))
		gets = append(gets, hbase.Get{Table: s.table, Row: key})
	}
	over := func(err error) bool {
		var over *hbase.OverBudget
		return errors.As(err, &over) && over.Most == most && over.Read > most
	}
	t.Run("Gets beyond the budget have its error", func(t *testing.T) {
		store := hbase.Budgeted(s.ctx, s.store, "", most, nil)
		results, err := store.Get(s.ctx, gets)
		if err != nil {
			t.Fatal(err)
		}
		answered := 0
		for i, r := range results {
			switch {
			case len(r.Cells) == 1 && r.Err == nil:
				answered++
			case len(r.Cells) > 0 || !over(r.Err):
				t.Errorf("item %d: %d cells, error %v", i, len(r.Cells), r.Err)
			}
		}
		if answered != 4 {
			t.Errorf("got %d rows of %d bytes within a budget of %d, want 4", answered, size, most)
		}
		if _, err := store.Get(s.ctx, gets[:1]); !over(err) {
			t.Errorf("next read: got error %v, want OverBudget", err)
		}
		if results, err := s.store.Get(s.ctx, gets[:1]); err != nil || len(results[0].Cells) != 1 {
			t.Errorf("the store without a budget: got %v, %v", results, err)
		}
	})
	t.Run("a scan ends with the budget's error", func(t *testing.T) {
		answered := 0
		var last error
		scan := hbase.Scan{Table: s.table, Start: prefix, Stop: hbase.PrefixEnd(prefix)}
		for _, err := range hbase.Budgeted(s.ctx, s.store, "", most, nil).Scan(s.ctx, scan) {
			if last = err; err == nil {
				answered++
			}
		}
		if answered != 3 || !over(last) {
			t.Errorf("got %d rows and error %v, want 3 rows and OverBudget", answered, last)
		}
	})
}
