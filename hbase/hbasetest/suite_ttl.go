package hbasetest

import (
	"slices"
	"testing"
	"time"

	"twibase/hbase"
)

// The clocks of the test and the store may differ by a minute.
func (s *suite) testTTL(t *testing.T) {
	now := time.Now()
	expired, alive := now.Add(-ttl-time.Minute).UnixMilli(), now.Add(-ttl+time.Minute).UnixMilli()
	r := row(t, "")
	s.write(t, s.table, r, put1("t:expired", expired, "1"), put1("t:alive", alive, "2"),
		put(cell("t:both", alive, "3")), put(cell("t:both", expired, "4")), put1("i:expired", expired, "5"))
	values := func(cells []hbase.Cell) (list []string) {
		for _, c := range cells {
			list = append(list, c.Family+":"+c.Qualifier+"="+string(c.Value))
		}
		return list
	}
	want := []string{"i:expired=5", "t:alive=2", "t:both=3"}
	for range 3 { // maybe from a cache
		cells, err := hbase.GetOne(s.ctx, s.store, hbase.Get{Table: s.table, Row: r, Versions: keep})
		if got := values(cells); err != nil || !slices.Equal(got, want) {
			t.Errorf("Get: got %q, error %v; want %q", got, err, want)
		}
	}
	page := hbase.Get{Table: s.table, Row: r, Columns: "t", Page: hbase.Page{Start: "b", Limit: 1}}
	if cells, err := hbase.GetOne(s.ctx, s.store, page); err != nil || !slices.Equal(values(cells), []string{"t:both=3"}) {
		t.Errorf("a page: got %q, error %v", values(cells), err)
	}
	only := row(t, "only")
	s.write(t, s.table, only, put1("t:expired", expired, "1"))
	for found, err := range s.store.Scan(s.ctx, hbase.Scan{Table: s.table, Start: r, Stop: hbase.PrefixEnd(r)}) {
		if err != nil || found.Key != r {
			t.Errorf("Scan: got %q, error %v; want %q only", found.Key, err, r)
		}
	}
	check := hbase.Check{Family: "t", Qualifier: "expired"}
	again := hbase.Put{Table: s.table, Row: only, Cells: []hbase.Cell{cell("t:expired", alive, "again")}}
	if did, err := s.store.CheckAndPut(s.ctx, check, again); !did || err != nil {
		t.Errorf("CheckAndPut of an expired cell: got %t, error %v; want true", did, err)
	}
}
