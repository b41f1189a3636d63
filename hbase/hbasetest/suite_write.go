package hbasetest

import (
	"fmt"
	"strings"
	"testing"

	"twibase/hbase"
)

func (s *suite) testMutate(t *testing.T) {
	t.Run("no mutations", func(t *testing.T) {
		if errs, err := s.store.Mutate(s.ctx, nil); errs != nil || err != nil {
			t.Error(errs, err)
		}
	})
	t.Run("a put keeps the row's other cells", func(t *testing.T) {
		s.write(t, s.table, row(t, ""), put1("i:old", 1, "old"))
		s.write(t, s.table, row(t, ""), put(cell("f:a", 1, "a"), cell("i:b", 1, "b"), cell("v:c", 1, "c")))
		s.expect(t, hbase.Get{Row: row(t, "")}, "f:a@1=a", "i:b@1=b", "i:old@1=old", "v:c@1=c")
	})
	t.Run("one put writes several versions of a column", func(t *testing.T) {
		s.write(t, s.table, row(t, ""), put(cell("v:c", 1, "one"), cell("v:c", 3, "three"), cell("v:c", 2, "two")))
		s.expect(t, hbase.Get{Row: row(t, ""), Versions: keep}, "v:c@3=three", "v:c@2=two", "v:c@1=one")
	})
	t.Run("one call writes many rows of several tables", func(t *testing.T) {
		var mutations []hbase.Mutation
		var gets []hbase.Get
		var want []string
		for i := range 500 {
			table, key := []string{s.table, s.split}[i%2], "Z"+row(t, fmt.Sprint(i))
			mutations = append(mutations, put1("i:q", 1, fmt.Sprint(i))(table, key))
			gets, want = append(gets, hbase.Get{Table: table, Row: key}), append(want, fmt.Sprint(i))
		}
		if errs, err := s.store.Mutate(s.ctx, mutations); errs != nil || err != nil {
			t.Fatal(errs, err)
		}
		s.expectValues(t, gets, want)
	})
	t.Run("one call has puts and deletes", func(t *testing.T) {
		s.write(t, s.table, row(t, "old"), put1("i:q", 1, "old"))
		errs, err := s.store.Mutate(s.ctx, []hbase.Mutation{
			put1("i:q", 1, "new")(s.table, row(t, "new")),
			removeRow(2)(s.table, row(t, "old")),
			put1("i:q", 3, "again")(s.table, row(t, "old")),
		})
		if errs != nil || err != nil {
			t.Fatal(errs, err)
		}
		s.expect(t, hbase.Get{Row: row(t, "new")}, "i:q@1=new")
		s.expect(t, hbase.Get{Row: row(t, "old")}, "i:q@3=again")
	})
	t.Run("writes are idempotent", func(t *testing.T) {
		for range 2 {
			s.write(t, s.table, row(t, ""),
				put(cell("v:a", 7, "a"), cell("v:b", 7, "b")), remove(hbase.AllVersions, "v:b", 7))
		}
		s.expect(t, hbase.Get{Row: row(t, ""), Versions: keep}, "v:a@7=a")
	})
	t.Run("the caller may reuse its slices", func(t *testing.T) {
		value := []byte("value")
		cells := []hbase.Cell{{Family: "i", Qualifier: "q", Timestamp: 1, Value: value}}
		mutations := []hbase.Mutation{hbase.Put{Table: s.table, Row: row(t, ""), Cells: cells}}
		if errs, err := s.store.Mutate(s.ctx, mutations); errs != nil || err != nil {
			t.Fatal(errs, err)
		}
		copy(value, "!!!!!")
		cells[0].Qualifier, mutations[0] = "!", nil
		s.expect(t, hbase.Get{Row: row(t, "")}, "i:q@1=value")
	})
	t.Run("a row key of 32,767 bytes", func(t *testing.T) {
		key := strings.Repeat("k", hbase.MaxRowLength)
		s.write(t, s.table, key, put1("i:q", 1, "long"))
		s.expect(t, hbase.Get{Row: key}, "i:q@1=long")
		s.expectRows(t, hbase.Scan{Table: s.table, Start: key[:100], Stop: key[:99] + "l"}, key)
	})
	t.Run("a cell of megabytes", func(t *testing.T) {
		value := strings.Repeat("0123456789abcdef", 9<<16)
		s.write(t, s.table, row(t, ""), put1("i:q", 1, value))
		if cells := s.get(t, hbase.Get{Row: row(t, "")}); len(cells) != 1 || string(cells[0].Value) != value {
			t.Errorf("got %d cells, want 1 with the value", len(cells))
		}
	})
	t.Run("the least and the greatest timestamp", func(t *testing.T) {
		const last = 1<<63 - 2
		s.write(t, s.table, row(t, ""), put(
			cell("v:q", 1, "first"), cell("v:q", 1<<40, "middle"), cell("v:q", last, "last")))
		s.expect(t, hbase.Get{Row: row(t, ""), Versions: 3},
			fmt.Sprintf("v:q@%d=last", last), fmt.Sprintf("v:q@%d=middle", 1<<40), "v:q@1=first")
	})
}
