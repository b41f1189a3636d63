package hbasetest

import (
	"errors"
	"math"
	"strings"
	"testing"

	"twibase/hbase"
)

const missing = "conformance-missing"

func (s *suite) testErrors(t *testing.T) {
	t.Run("a Get has its own error", s.testGetErrors)
	t.Run("a mutation has its own error", s.testMutateErrors)
	t.Run("an error ends a scan", s.testScanErrors)
	t.Run("errors of CheckAndPut", s.testCheckErrors)
}

func (s *suite) testGetErrors(t *testing.T) {
	key := row(t, "")
	s.write(t, s.table, key, put1("i:q", 1, "good"))
	good := hbase.Get{Table: s.table, Row: key}
	long := strings.Repeat("k", hbase.MaxRowLength+1)
	bad := []struct {
		name string
		get  hbase.Get
		want error
	}{
		{"a table that does not exist", hbase.Get{Table: missing, Row: "r"}, hbase.ErrTableNotFound},
		{"a family that does not exist", hbase.Get{Table: s.table, Row: key, Columns: "nope"}, hbase.ErrFamilyNotFound},
		{"a column of a family that does not exist",
			hbase.Get{Table: s.table, Row: key, Columns: "i:q nope:q"}, hbase.ErrFamilyNotFound},
		{"an unknown family of a row that does not exist",
			hbase.Get{Table: s.table, Row: key + "none", Columns: "nope"}, hbase.ErrFamilyNotFound},
		{"an empty row key", hbase.Get{Table: s.table}, hbase.ErrInvalid},
		{"a row key of 32,768 bytes", hbase.Get{Table: s.table, Row: long}, hbase.ErrInvalid},
		{"malformed columns", hbase.Get{Table: s.table, Row: key, Columns: "i:"}, hbase.ErrInvalid},
		{"a negative limit", hbase.Get{Table: s.table, Row: key, Page: hbase.Page{Limit: -1}}, hbase.ErrInvalid},
		{"negative versions", hbase.Get{Table: s.table, Row: key, Versions: -1}, hbase.ErrInvalid},
		{"a page of several versions",
			hbase.Get{Table: s.table, Row: key, Versions: 2, Page: hbase.Page{Limit: 1}}, hbase.ErrInvalid},
		{"a page with bounds over several families",
			hbase.Get{Table: s.table, Row: key, Columns: "f i", Page: after("a", 1)}, hbase.ErrInvalid},
		{"a page with bounds of a single column",
			hbase.Get{Table: s.table, Row: key, Columns: "f:a", Page: after("a", 1)}, hbase.ErrInvalid},
	}
	gets := []hbase.Get{good}
	for _, b := range bad {
		gets = append(gets, b.get, good)
	}
	results, err := s.store.Get(s.ctx, gets)
	if err != nil || len(results) != len(gets) {
		t.Fatalf("%d results, %v", len(results), err)
	}
	for i, r := range results {
		if i%2 == 0 {
			if r.Err != nil || len(r.Cells) != 1 || string(r.Cells[0].Value) != "good" {
				t.Errorf("valid Get at %d: %+v", i, r)
			}
		} else if b := bad[i/2]; !errors.Is(r.Err, b.want) || r.Cells != nil {
			t.Errorf("%s: got %v, %v; want %v", b.name, text(r.Cells), r.Err, b.want)
		}
	}
}

func (s *suite) testMutateErrors(t *testing.T) {
	long := strings.Repeat("k", hbase.MaxRowLength+1)
	deletion := func(table string, d hbase.Deletion) hbase.Mutation {
		return hbase.Delete{Table: table, Row: row(t, ""), Columns: []hbase.Deletion{d}}
	}
	bad := []struct {
		name     string
		mutation hbase.Mutation
		want     error
	}{
		{"a put to a table that does not exist", put1("i:q", 1, "")(missing, "r"), hbase.ErrTableNotFound},
		{"a delete in a table that does not exist", removeRow(1)(missing, "r"), hbase.ErrTableNotFound},
		{"a put to a family that does not exist",
			put(cell("i:half", 1, ""), cell("nope:q", 1, ""))(s.table, row(t, "half")), hbase.ErrFamilyNotFound},
		{"a delete of a family that does not exist",
			remove(hbase.Family, "nope", 1)(s.table, row(t, "")), hbase.ErrFamilyNotFound},
		{"a delete of a column of a family that does not exist",
			remove(hbase.AllVersions, "nope:q", 1)(s.table, row(t, "")), hbase.ErrFamilyNotFound},
		{"a put without cells", put()(s.table, row(t, "")), hbase.ErrInvalid},
		{"a put of an empty row key", put1("i:q", 1, "")(s.table, ""), hbase.ErrInvalid},
		{"a put of a row key of 32,768 bytes", put1("i:q", 1, "")(s.table, long), hbase.ErrInvalid},
		{"a put of a negative timestamp", put1("i:q", -1, "")(s.table, row(t, "")), hbase.ErrInvalid},
		{"a put of the greatest number as timestamp", put1("i:q", math.MaxInt64, "")(s.table, row(t, "")), hbase.ErrInvalid},
		{"a put of a cell of more than 10 MB",
			put(cell("i:half", 1, ""), cell("i:q", 1, strings.Repeat("x", hbase.MaxCellSize)))(s.table, row(t, "half")),
			hbase.ErrCellTooLarge},
		{"a delete of an empty row key", removeRow(1)(s.table, ""), hbase.ErrInvalid},
		{"a delete of a negative timestamp", removeRow(-1)(s.table, row(t, "")), hbase.ErrInvalid},
		{"a delete of the greatest number as timestamp", removeRow(math.MaxInt64)(s.table, row(t, "")), hbase.ErrInvalid},
		{"a delete of an unknown kind",
			deletion(s.table, hbase.Deletion{Kind: 9, Family: "i", Timestamp: 1}), hbase.ErrInvalid},
	}
	good := func(i int) (string, hbase.Mutation) {
		key := row(t, "good") + string(rune('a'+i))
		return key, put1("i:q", 1, "good")(s.table, key)
	}
	_, first := good(0)
	mutations := []hbase.Mutation{first}
	for i, b := range bad {
		_, m := good(i + 1)
		mutations = append(mutations, b.mutation, m)
	}
	errs, err := s.store.Mutate(s.ctx, mutations)
	if err != nil || len(errs) != len(mutations) {
		t.Fatalf("%d errors, %v", len(errs), err)
	}
	for i, e := range errs {
		if i%2 == 0 {
			key, _ := good(i / 2)
			if e != nil {
				t.Errorf("valid mutation at %d: %v", i, e)
			}
			s.expect(t, hbase.Get{Row: key}, "i:q@1=good")
		} else if b := bad[i/2]; !errors.Is(e, b.want) {
			t.Errorf("%s: got %v, want %v", b.name, e, b.want)
		}
	}
	s.expect(t, hbase.Get{Row: row(t, "half")})
}

func (s *suite) testScanErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		scan hbase.Scan
		want error
	}{
		{"a table that does not exist", hbase.Scan{Table: missing}, hbase.ErrTableNotFound},
		{"a family that does not exist", hbase.Scan{Table: s.table, Columns: "nope"}, hbase.ErrFamilyNotFound},
		{"malformed columns", hbase.Scan{Table: s.table, Columns: ":q"}, hbase.ErrInvalid},
		{"a negative limit", hbase.Scan{Table: s.table, Limit: -1}, hbase.ErrInvalid},
		{"a negative page size", hbase.Scan{Table: s.table, PageSize: -1}, hbase.ErrInvalid},
		{"a page with bounds and no family", hbase.Scan{Table: s.table, Page: after("a", 1)}, hbase.ErrInvalid},
	} {
		n := 0
		for row, err := range s.store.Scan(s.ctx, c.scan) {
			if n++; !errors.Is(err, c.want) || len(row.Cells) > 0 {
				t.Errorf("%s: got %+v, %v; want %v", c.name, row, err, c.want)
			}
		}
		if n != 1 {
			t.Errorf("%s: got %d rows or errors, want 1", c.name, n)
		}
	}
}

func (s *suite) testCheckErrors(t *testing.T) {
	key := row(t, "")
	for _, c := range []struct {
		name               string
		table, row, family string
		want               error
	}{
		{"a table that does not exist", missing, key, "i", hbase.ErrTableNotFound},
		{"a family that does not exist", s.table, key, "nope", hbase.ErrFamilyNotFound},
		{"an empty row key", s.table, "", "i", hbase.ErrInvalid},
		{"a row key of 32,768 bytes", s.table, strings.Repeat("k", hbase.MaxRowLength+1), "i", hbase.ErrInvalid},
	} {
		check := hbase.Check{Family: "i", Qualifier: "q"}
		put := hbase.Put{Table: c.table, Row: c.row, Cells: []hbase.Cell{cell(c.family+":q", 1, "")}}
		done, err := s.store.CheckAndPut(s.ctx, check, put)
		if done || !errors.Is(err, c.want) {
			t.Errorf("CheckAndPut, %s: got %v, %v; want %v", c.name, done, err, c.want)
		}
	}
	for _, c := range []struct {
		name  string
		check hbase.Check
		cells []hbase.Cell
		want  error
	}{
		{"a check of a family that does not exist",
			hbase.Check{Family: "nope", Qualifier: "q"}, []hbase.Cell{cell("i:q", 1, "")}, hbase.ErrFamilyNotFound},
		{"a put without cells", hbase.Check{Family: "i", Qualifier: "q"}, nil, hbase.ErrInvalid},
		{"a cell of more than 10 MB",
			hbase.Check{Family: "i", Qualifier: "q"}, []hbase.Cell{cell("i:q", 1, strings.Repeat("x", hbase.MaxCellSize))},
			hbase.ErrCellTooLarge},
	} {
		done, err := s.store.CheckAndPut(s.ctx, c.check, hbase.Put{Table: s.table, Row: key, Cells: c.cells})
		if done || !errors.Is(err, c.want) {
			t.Errorf("CheckAndPut, %s: got %v, %v; want %v", c.name, done, err, c.want)
		}
	}
	s.expect(t, hbase.Get{Row: key})
}
