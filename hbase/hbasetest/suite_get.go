package hbasetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
)

// awkward has keys that are hard to encode, ascending.
var awkward = []string{
	"\x00", "\x00\x00", "\x00\x00\x00", "\x00\x01", "\x00\x01\x00", "\x00\xfe", "\x00\xff", "\x01", "\x01\x00",
	"a", "a\x00", "a\x00\x01", "a\x00b", "a\x00\xff", "a\x01", "ab", "小红",
	"\xfe\xff", "\xff", "\xff\x00", "\xff\x01", "\xff\xff", "\xff\xff\xff",
}

func (s *suite) testGet(t *testing.T) {
	t.Run("a missing row has no cells and no error", func(t *testing.T) {
		s.expect(t, hbase.Get{Row: row(t, "none")})
	})
	t.Run("no gets have no results", func(t *testing.T) {
		if results, err := s.store.Get(s.ctx, nil); len(results) != 0 || err != nil {
			t.Errorf("got %v, %v", results, err)
		}
	})

	key := row(t, "selection")
	s.write(t, s.table, key, put(
		cell("v:x", 3, "vx"), cell("i:name", 3, "iname"), cell("i:b", 3, "ib"), cell("f:a", 3, "fa"), cell("f:", 3, "f")))
	for _, c := range []struct {
		name, columns string
		want          []string
	}{
		{"a Get without columns selects every family, ordered by family and qualifier", "",
			[]string{"f:@3=f", "f:a@3=fa", "i:b@3=ib", "i:name@3=iname", "v:x@3=vx"}},
		{"a family selects all its columns", "f", []string{"f:@3=f", "f:a@3=fa"}},
		{"columns select no other column", "i:name f:a", []string{"f:a@3=fa", "i:name@3=iname"}},
		{"families and columns are combined", "v i:b", []string{"i:b@3=ib", "v:x@3=vx"}},
		{"a family and one of its columns is the whole family", "f f:a", []string{"f:@3=f", "f:a@3=fa"}},
		{"a column named twice is read once", "i:b i:b", []string{"i:b@3=ib"}},
		{"an absent column is left out", "i:none i:b i:zzz", []string{"i:b@3=ib"}},
		{"a row without a selected column has no cells", "i:none", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.expect(t, hbase.Get{Row: key, Columns: c.columns}, c.want...)
		})
	}

	t.Run("qualifiers hold any bytes and sort bytewise", func(t *testing.T) {
		qualifiers := append([]string{""}, awkward...)
		var cells []hbase.Cell
		for _, q := range qualifiers {
			cells = append(cells, hbase.Cell{Family: "i", Qualifier: q, Timestamp: 1, Value: []byte(q)})
		}
		key := row(t, "wide")
		s.write(t, s.table, key, put(cells...))
		if diff := cmp.Diff(text(cells), text(s.get(t, hbase.Get{Row: key}))); diff != "" {
			t.Error(diff)
		}
		for _, q := range qualifiers {
			want := text([]hbase.Cell{{Family: "i", Qualifier: q, Timestamp: 1, Value: []byte(q)}})
			s.expect(t, hbase.Get{Row: key, Columns: "i", Page: hbase.Exactly(q)}, want...)
		}
	})
	t.Run("rows hold any bytes", func(t *testing.T) {
		var gets []hbase.Get
		for _, suffix := range append([]string{""}, awkward...) {
			key := row(t, "") + suffix
			s.write(t, s.table, key, put1("i:q", 1, suffix))
			gets = append(gets, hbase.Get{Table: s.table, Row: key})
		}
		s.expectValues(t, gets, append([]string{""}, awkward...))
	})
	t.Run("results are aligned with gets", func(t *testing.T) {
		for _, name := range []string{"a", "b", "c"} {
			s.write(t, s.table, row(t, name), put1("i:q", 1, name))
		}
		var gets []hbase.Get
		names := []string{"c", "a", "none", "b", "a", "c", "c"}
		for _, name := range names {
			gets = append(gets, hbase.Get{Table: s.table, Row: row(t, name)})
		}
		names[2] = absent
		s.expectValues(t, gets, names)
	})
	t.Run("hundreds of rows of several tables", func(t *testing.T) {
		var gets []hbase.Get
		var want []string
		var mutations []hbase.Mutation
		for i := range 350 {
			table, value := []string{s.table, s.split}[i%2], fmt.Sprint(i)
			key := string(rune('a'+i%26)) + row(t, value)
			if i%7 != 0 {
				mutations = append(mutations, put1("i:q", 1, value)(table, key))
			} else {
				value = absent
			}
			gets, want = append(gets, hbase.Get{Table: table, Row: key, Columns: "i:q"}), append(want, value)
		}
		if errs, err := s.store.Mutate(s.ctx, mutations); errs != nil || err != nil {
			t.Fatal(errs, err)
		}
		s.expectValues(t, gets, want)
		slices.Reverse(gets)
		slices.Reverse(want)
		s.expectValues(t, gets, want)
		// Later tests scan whole tables.
		for _, g := range gets {
			mutations = append(mutations, hbase.Delete{Table: g.Table, Row: g.Row, Timestamp: 2})
		}
		if errs, err := s.store.Mutate(s.ctx, mutations); errs != nil || err != nil {
			t.Fatal(errs, err)
		}
	})
	t.Run("an empty value", func(t *testing.T) {
		s.write(t, s.table, row(t, ""), put1("i:empty", 1, ""))
		s.expect(t, hbase.Get{Row: row(t, "")}, "i:empty@1=")
	})
	t.Run("large and small values", func(t *testing.T) {
		key, large := row(t, ""), string(make([]byte, 300_000))
		s.write(t, s.table, key, put(cell("i:a", 1, "small"), cell("i:b", 1, large), cell("i:c", 1, "also small")))
		s.expect(t, hbase.Get{Row: key}, "i:a@1=small", "i:b@1="+escape(large), "i:c@1=also small")
	})
	t.Run("an append to a result or its value changes no other result", func(t *testing.T) {
		key := row(t, "")
		want := []string{"i:a@1=one", "i:b@1=two"}
		s.write(t, s.table, key, put(cell("i:a", 1, "one"), cell("i:b", 1, "two")))
		for range 4 {
			cells := s.get(t, hbase.Get{Row: key})
			if diff := cmp.Diff(want, text(cells)); diff != "" {
				t.Fatal(diff)
			}
			more := append(cells, cell("i:more", 1, string(append(cells[0].Value, "????"...))))
			if diff := cmp.Diff([]string{"i:a@1=one", "i:b@1=two", "i:more@1=one????"}, text(more)); diff != "" {
				t.Fatal(diff)
			}
		}
	})
	t.Run("a write does not change earlier results", func(t *testing.T) {
		key := row(t, "")
		s.write(t, s.table, key, put(cell("i:a", 1, "one"), cell("i:b", 1, "two")))
		var before [][]hbase.Cell
		for range 3 {
			before = append(before, s.get(t, hbase.Get{Row: key}))
		}
		s.write(t, s.table, key, put(cell("i:a", 2, "ONE"), cell("i:b", 2, "TWO")))
		for range 3 {
			s.expect(t, hbase.Get{Row: key}, "i:a@2=ONE", "i:b@2=TWO")
		}
		for _, cells := range before {
			if diff := cmp.Diff([]string{"i:a@1=one", "i:b@1=two"}, text(cells)); diff != "" {
				t.Error(diff)
			}
		}
	})
}

const absent = "(absent)"

func (s *suite) expectValues(t *testing.T, gets []hbase.Get, want []string) {
	t.Helper()
	results, err := s.store.Get(s.ctx, gets)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, r := range results {
		switch {
		case r.Err != nil:
			t.Fatalf("%+v: %v", gets[i], r.Err)
		case len(r.Cells) == 0:
			got = append(got, absent)
		default:
			got = append(got, string(r.Cells[0].Value))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
