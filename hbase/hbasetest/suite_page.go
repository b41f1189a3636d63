package hbasetest

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
)

func (s *suite) testPage(t *testing.T) {
	key := row(t, "")
	s.write(t, s.table, key, put(
		cell("f:a", 1, ""), cell("f:b", 1, ""), cell("f:c", 1, ""),
		cell("i:a", 1, ""), cell("i:b", 1, ""), cell("i:ba", 1, ""), cell("i:c", 1, ""), cell("i:d", 1, ""),
		cell("v:a", 1, ""), cell("v:a", 2, ""), cell("v:b", 1, ""), cell("v:b", 2, ""), cell("v:c", 1, "")))
	for _, c := range []struct {
		name, columns string
		page          hbase.Page
		want          []string
	}{
		{"a limit counts columns", "i", hbase.Page{Limit: 2}, []string{"i:a", "i:b"}},
		{"a limit counts per family", "", hbase.Page{Limit: 2}, []string{"f:a", "f:b", "i:a", "i:b", "v:a", "v:b"}},
		{"a limit counts per selected family", "f v", hbase.Page{Limit: 1}, []string{"f:a", "v:a"}},
		{"a limit may exceed the columns", "i", hbase.Page{Limit: 100}, []string{"i:a", "i:b", "i:ba", "i:c", "i:d"}},
		{"a limit counts named columns too", "i:a i:c i:d f", hbase.Page{Limit: 2}, []string{"f:a", "f:b", "i:a", "i:c"}},
		{"a page starts with its Start", "i", hbase.Page{Start: "b"}, []string{"i:b", "i:ba", "i:c", "i:d"}},
		{"a page starts after an absent Start", "i", hbase.Page{Start: "bb"}, []string{"i:c", "i:d"}},
		{"a page ends before its Stop", "i", hbase.Page{Stop: "c"}, []string{"i:a", "i:b", "i:ba"}},
		{"a page lies between Start and Stop", "i", hbase.Page{Start: "b", Stop: "d"}, []string{"i:b", "i:ba", "i:c"}},
		{"a limit holds between Start and Stop", "i", hbase.Page{Start: "b", Stop: "d", Limit: 2}, []string{"i:b", "i:ba"}},
		{"a Stop may come before the limit", "i", hbase.Page{Start: "b", Stop: "c", Limit: 5}, []string{"i:b", "i:ba"}},
		{"a page with Start equal to Stop is empty", "i", hbase.Page{Start: "b", Stop: "b"}, nil},
		{"a page after a column leaves that column out", "i", after("b", 2), []string{"i:ba", "i:c"}},
		{"a page after the last column is empty", "f", after("c", 2), nil},
		{"a page ends with its family", "f", hbase.Page{Start: "c"}, []string{"f:c"}},
		{"a page of exactly one column", "i", hbase.Exactly("b"), []string{"i:b"}},
		{"a page of an absent column is empty", "i", hbase.Exactly("bb"), nil},
		{"a page has one version of each column", "v", hbase.Page{Limit: 2}, []string{"v:a", "v:b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, cell := range s.get(t, hbase.Get{Row: key, Columns: c.columns, Page: c.page}) {
				got = append(got, cell.Family+":"+cell.Qualifier)
				if cell.Family == "v" && cell.Qualifier != "c" && cell.Timestamp != 2 {
					t.Errorf("%s@%d is not the newest version", cell.Qualifier, cell.Timestamp)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("consecutive pages are the whole list", s.testPages)
	t.Run("a page without values", func(t *testing.T) {
		s.write(t, s.table, row(t, ""), put(
			cell("f:a", 1, "A"), cell("i:a", 1, "A"), cell("i:b", 2, "B"), cell("i:c", 3, "C"), cell("i:d", 4, "D")),
			remove(hbase.AllVersions, "i:b", 2))
		for _, c := range []struct {
			columns string
			page    hbase.Page
			want    []string
		}{
			{"", hbase.Page{}, []string{"f:a@1=", "i:a@1=", "i:c@3=", "i:d@4="}},
			{"i:a i:c", hbase.Page{}, []string{"i:a@1=", "i:c@3="}},
			{"i", hbase.Page{Limit: 2}, []string{"i:a@1=", "i:c@3="}},
			{"i", hbase.Page{Start: "b", Stop: "d", Limit: 2}, []string{"i:c@3="}},
			{"i", hbase.Exactly("c"), []string{"i:c@3="}},
		} {
			get := hbase.Get{Row: row(t, ""), Columns: c.columns, Page: c.page}
			values := text(s.get(t, get))
			get.Page.NoValues = true
			s.expect(t, get, c.want...)
			get.Page.NoValues = false
			s.expect(t, get, values...) // maybe from a cache
		}
	})
	t.Run("a limit ignores deleted columns", func(t *testing.T) {
		var cells []hbase.Cell
		for i := range 20 {
			cells = append(cells, cell(fmt.Sprintf("i:%02d", i), 1, ""))
		}
		writes := []write{put(cells...)}
		for i := range 10 {
			writes = append(writes, remove(hbase.AllVersions, fmt.Sprintf("i:%02d", i), 2))
		}
		s.write(t, s.table, row(t, ""), writes...)
		s.expect(t, hbase.Get{Row: row(t, ""), Columns: "i", Page: hbase.Page{Limit: 3}}, "i:10@1=", "i:11@1=", "i:12@1=")
		s.expect(t, hbase.Get{Row: row(t, ""), Columns: "i", Page: after("04", 2)}, "i:10@1=", "i:11@1=")
		s.write(t, s.table, row(t, ""), remove(hbase.Family, "i", 3), put1("i:05", 4, ""), put1("i:99", 4, ""))
		s.expect(t, hbase.Get{Row: row(t, ""), Columns: "i", Page: after("04", 2)}, "i:05@4=", "i:99@4=")
	})
	t.Run("bounds hold any bytes", func(t *testing.T) {
		var cells []hbase.Cell
		for _, q := range awkward {
			cells = append(cells, hbase.Cell{Family: "i", Qualifier: q, Timestamp: 1})
		}
		s.write(t, s.table, row(t, ""), put(cells...))
		for i, q := range awkward {
			rest := cells[i+1:]
			s.expect(t, hbase.Get{Row: row(t, ""), Columns: "i", Page: after(q, 3)}, text(rest[:min(3, len(rest))])...)
			s.expect(t, hbase.Get{Row: row(t, ""), Columns: "i", Page: hbase.Page{Stop: q}}, text(cells[:i])...)
		}
	})
}

// after returns the page of the columns that follow qualifier.
func after(qualifier string, limit int) hbase.Page {
	return hbase.Page{Start: hbase.Next(qualifier), Limit: limit}
}

func (s *suite) testPages(t *testing.T) {
	var cells []hbase.Cell
	for i := range 57 {
		cells = append(cells, cell(fmt.Sprintf("i:%03d\x00\xff", i*3), 1, fmt.Sprint(i)))
	}
	s.write(t, s.table, row(t, ""), put(cells...))
	var got []hbase.Cell
	for page := (hbase.Page{Limit: 10}); ; {
		next := s.get(t, hbase.Get{Row: row(t, ""), Columns: "i", Page: page})
		if len(next) > 10 {
			t.Fatalf("got a page of %d columns, want at most 10", len(next))
		}
		if got = append(got, next...); len(next) < 10 {
			break
		}
		page = after(next[9].Qualifier, 10)
	}
	if diff := cmp.Diff(cells, got); diff != "" {
		t.Error(diff)
	}
}
