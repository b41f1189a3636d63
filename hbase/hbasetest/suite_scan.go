package hbasetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
)

func (s *suite) testScan(t *testing.T) {
	rows := []string{"a", "b", "b\x00", "bb", "f\xff\xff", "g", "g\x00", "h", "o", "p", "q", "z", "\xff\xff"}
	var mutations []hbase.Mutation
	for _, key := range rows {
		mutations = append(mutations, put(cell("i:x", 1, key), cell("i:y", 1, ""))(s.split, key))
	}
	if errs, err := s.store.Mutate(s.ctx, mutations); errs != nil || err != nil {
		t.Fatal(errs, err)
	}
	for _, c := range []struct {
		name        string
		start, stop string
		limit       int
		want        []string
	}{
		{"without bounds, a scan returns the whole table", "", "", 0, rows},
		{"a range includes its Start", "b", "", 0, rows[1:]},
		{"a range excludes its Stop", "", "g", 0, rows[:5]},
		{"a range lies between Start and Stop", "b\x00", "p", 0, rows[2:9]},
		{"bounds need not be rows", "aa", "gg", 0, rows[1:7]},
		{"a range with Start equal to Stop is empty", "b", "b", 0, nil},
		{"a range with Start after Stop is empty", "h", "b", 0, nil},
		{"a range after the last row is empty", "\xff\xff\xff", "", 0, nil},
		{"a limit ends a scan", "b", "", 3, rows[1:4]},
		{"a limit holds across regions", "", "", 8, rows[:8]},
		{"a limit may exceed the rows", "", "", 100, rows},
		{"a Stop may come before the limit", "b", "g", 100, rows[1:5]},
	} {
		for _, size := range []int{0, 1, 3, 8} {
			t.Run(fmt.Sprintf("%s, in pages of %d", c.name, size), func(t *testing.T) {
				scan := hbase.Scan{Table: s.split, Start: c.start, Stop: c.stop, Limit: c.limit, PageSize: size}
				s.expectRows(t, scan, c.want...)
			})
		}
	}
	down := slices.Clone(rows)
	slices.Reverse(down)
	for _, c := range []struct {
		name        string
		start, stop string
		limit       int
		want        []string
	}{
		{"a reversed scan without a Start begins with the last row of the last region", "", "", 0, down},
		{"a reversed scan includes its Start", "p", "", 0, down[3:]},
		{"a reversed scan begins before a missing Start", "pp", "", 0, down[3:]},
		{"a reversed scan excludes its Stop", "", "g", 0, down[:7]},
		{"a reversed scan lies between Start and Stop", "p", "b\x00", 0, down[3:10]},
		{"a reversed scan with Start equal to Stop is empty", "b", "b", 0, nil},
		{"a reversed scan with Start before Stop is empty", "b", "h", 0, nil},
		{"a reversed scan ends at its limit", "", "", 5, down[:5]},
		{"a reversed scan from before the first row is empty", "A", "", 0, nil},
	} {
		for _, size := range []int{0, 1, 3, 8} {
			t.Run(fmt.Sprintf("%s, in pages of %d", c.name, size), func(t *testing.T) {
				scan := hbase.Scan{Table: s.split, Start: c.start, Stop: c.stop, Limit: c.limit, PageSize: size, Reversed: true}
				s.expectRows(t, scan, c.want...)
			})
		}
	}
	t.Run("the cells of a reversed scan ascend", func(t *testing.T) {
		for row, err := range s.store.Scan(s.ctx, hbase.Scan{Table: s.split, Start: "q", Reversed: true, Limit: 1}) {
			if diff := cmp.Diff([]string{"i:x@1=q", "i:y@1="}, text(row.Cells)); err != nil || diff != "" {
				t.Error(err, diff)
			}
		}
	})
	t.Run("rows hold any bytes and sort bytewise", s.testScanBytes)
	t.Run("rows without a selected cell are skipped", s.testScanSkips)
	t.Run("a scan selects cells as a Get does", s.testScanSelects)
	t.Run("a scan can end early", func(t *testing.T) {
		for range 3 {
			for range s.store.Scan(s.ctx, hbase.Scan{Table: s.split, PageSize: 2}) {
				break
			}
		}
		s.expectRows(t, hbase.Scan{Table: s.split, PageSize: 2}, rows...)
	})
	t.Run("a scan can be repeated", func(t *testing.T) {
		scan := s.store.Scan(s.ctx, hbase.Scan{Table: s.split, PageSize: 4, Limit: 6})
		for range 2 {
			n := 0
			for _, err := range scan {
				if n++; err != nil {
					t.Fatal(err)
				}
			}
			if n != 6 {
				t.Errorf("got %d rows, want 6", n)
			}
		}
	})
	t.Run("other calls during a scan", func(t *testing.T) {
		for r, err := range s.store.Scan(s.ctx, hbase.Scan{Table: s.split, PageSize: 3}) {
			if err != nil {
				t.Fatal(err)
			}
			s.expect(t, hbase.Get{Table: s.split, Row: r.Key}, "i:x@1="+escape(r.Key), "i:y@1=")
			s.write(t, s.split, r.Key, put1("i:y", 1, ""))
		}
	})
	t.Run("a scan returns the error of its ctx", func(t *testing.T) {
		ctx, cancel := context.WithCancel(s.ctx)
		defer cancel()
		n := 0
		var last error
		for _, err := range s.store.Scan(ctx, hbase.Scan{Table: s.split, PageSize: 1}) {
			n++
			last = err
			cancel()
		}
		if n >= len(rows) || !errors.Is(last, context.Canceled) {
			t.Errorf("got %d rows, then %v", n, last)
		}
	})
}

func (s *suite) testScanBytes(t *testing.T) {
	prefix := row(t, "")
	var want []string
	for _, suffix := range append([]string{""}, awkward...) {
		s.write(t, s.table, prefix+suffix, put1("i:q", 1, ""))
		want = append(want, prefix+suffix)
	}
	for _, size := range []int{0, 1, 4} {
		s.expectRows(t, hbase.Scan{Table: s.table, Start: prefix, Stop: hbase.PrefixEnd(prefix), PageSize: size}, want...)
	}
	for i := range want {
		s.expectRows(t, hbase.Scan{Table: s.table, Start: hbase.Next(want[i]), Stop: hbase.PrefixEnd(prefix)}, want[i+1:]...)
	}
	slices.Reverse(want)
	for i := range want {
		scan := hbase.Scan{Table: s.table, Start: want[i], Stop: prefix, Reversed: true, PageSize: 5}
		s.expectRows(t, scan, want[i:len(want)-1]...)
	}
}

func (s *suite) testScanSkips(t *testing.T) {
	prefix := row(t, "")
	var want []string
	for i := range 24 {
		key := fmt.Sprintf("%s%02d", prefix, i)
		s.write(t, s.table, key, put1("i:name", 1, ""))
		switch {
		case i%5 == 0:
			s.write(t, s.table, key, put1("f:mark", 1, ""))
			want = append(want, key)
		case i%5 == 1:
			s.write(t, s.table, key, put1("f:mark", 1, ""), removeRow(2))
		}
	}
	scan := hbase.Scan{Table: s.table, Start: prefix, Stop: hbase.PrefixEnd(prefix), Columns: "f"}
	for _, size := range []int{0, 1, 2, 5} {
		scan.PageSize = size
		s.expectRows(t, scan, want...)
	}
	scan.Limit = 2
	s.expectRows(t, scan, want[:2]...)
	scan.Limit, scan.Reversed, scan.Start, scan.Stop = 0, true, prefix+"99", prefix
	slices.Reverse(want)
	s.expectRows(t, scan, want...)
}

func (s *suite) testScanSelects(t *testing.T) {
	prefix := row(t, "")
	for i := range 3 {
		s.write(t, s.table, prefix+fmt.Sprint(i), put(
			cell("v:a", 1, "a1"), cell("v:a", 2, "a2"), cell("v:a", 3, "a3"),
			cell("v:b", 3, "b3"), cell("i:a", 3, "i"), cell("i:b", 3, "i")))
	}
	for _, scan := range []hbase.Scan{
		{},
		{Columns: "v:a i"},
		{Columns: "v"},
		{Page: hbase.Page{Limit: 1}},
		{Columns: "v", Page: after("a", 1)},
		{Columns: "i", Page: hbase.Page{Start: "a", Stop: "b"}},
	} {
		scan.Table, scan.Start, scan.Stop, scan.PageSize = s.table, prefix, hbase.PrefixEnd(prefix), 2
		n := 0
		for r, err := range s.store.Scan(s.ctx, scan) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			got := s.get(t, hbase.Get{Row: r.Key, Columns: scan.Columns, Page: scan.Page})
			if diff := cmp.Diff(text(got), text(r.Cells)); diff != "" || len(r.Cells) == 0 {
				t.Errorf("%+v: Get and Scan differ (-get +scan):\n%s", scan, diff)
			}
		}
		if n != 3 {
			t.Errorf("%+v: got %d rows, want 3", scan, n)
		}
	}
}

func (s *suite) expectRows(t *testing.T, scan hbase.Scan, want ...string) {
	t.Helper()
	var got []string
	for row, err := range s.store.Scan(s.ctx, scan) {
		if err != nil {
			t.Fatalf("%+v: %v", scan, err)
		}
		if len(row.Cells) == 0 {
			t.Errorf("%+v: row %q without cells", scan, row.Key)
		}
		got = append(got, row.Key)
	}
	if !slices.Equal(want, got) {
		t.Errorf("%+v:\nwant %q\n got %q", scan, want, got)
	}
}
