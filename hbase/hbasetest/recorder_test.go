package hbasetest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/hbasetest"
)

func newStore(t *testing.T) hbase.Store {
	t.Helper()
	s, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	table := hbase.Table{Name: "t", Families: []hbase.FamilySchema{{Name: "f"}, {Name: "i"}}}
	if err := s.CreateTable(context.Background(), table); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRecorderWritesALinePerCall(t *testing.T) {
	r := hbasetest.NewRecorder(newStore(t), hbasetest.Names{
		Row: func(table, row string) string { return strings.TrimPrefix(row, "##") },
	})
	ctx := context.Background()
	r.Get(ctx, []hbase.Get{
		{Table: "t", Row: "##b", Columns: "i:name  i:email"},
		{Table: "t", Row: "##a"},
		{Table: "t", Row: "##a", Columns: "f", Page: hbase.Page{Start: "x\xff\x00", Limit: 21}},
		{Table: "t", Row: "##a", Columns: "f", Page: hbase.Exactly("x")},
		{Table: "t", Row: "##a", Columns: "f", Page: hbase.Page{Start: "a", Stop: "b"}},
		{Table: "t", Row: "##a", Columns: "i", Versions: 3},
	})
	scan := hbase.Scan{
		Table: "t", Start: "##a", Columns: "f", Page: hbase.Page{Limit: 2}, Reversed: true, Limit: 20,
	}
	for range r.Scan(ctx, scan) {
	}
	r.Mutate(ctx, []hbase.Mutation{
		hbase.Put{Table: "t", Row: "##小红", Cells: []hbase.Cell{
			{Family: "i", Qualifier: "name", Timestamp: 5},
			{Family: "f", Qualifier: "\x01"},
		}},
		hbase.Delete{Table: "t", Row: "##a"},
		hbase.Delete{Table: "t", Row: "##b", Columns: []hbase.Deletion{
			{Kind: hbase.Family, Family: "i"},
			{Kind: hbase.AllVersions, Family: "f", Qualifier: "q"},
			{Kind: hbase.AllVersions, Family: "f", Qualifier: ""}}},
	})
	put := hbase.Put{Table: "t", Row: "##a", Cells: []hbase.Cell{{Family: "i", Qualifier: "q"}}}
	r.CheckAndPut(ctx, hbase.Check{Family: "i", Qualifier: "q"}, put)
	r.CreateTable(ctx, hbase.Table{Name: "u", Families: []hbase.FamilySchema{{Name: "i"}}})
	r.Tables(ctx)
	r.DropTable(ctx, "u")

	want := [][]string{
		{
			`Get t a *`,
			`Get t a f [after "x\xff" limit 21]`,
			`Get t a f [exactly "x"]`,
			`Get t a f [start "a" stop "b"]`,
			`Get t a i [3 versions]`,
			`Get t b i:name,i:email`,
		},
		{`Scan t [start a, ) f [limit 2] reversed limit 20`},
		{`Delete t a *`, `Delete t b i,f:q,f:""`, `Put t 小红 i:name,f:"\x01"`},
		{`CheckAndPut t a if i:q then i:q`},
		{`CreateTable u`},
		{`Tables`},
		{`DropTable u`},
	}
	if diff := cmp.Diff(want, r.Calls()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(append(append(append([]string{}, want[0]...), want[1]...), want[5]...), r.Reads()); diff != "" {
		t.Errorf("reads (-want +got):\n%s", diff)
	}
	if got := len(r.Writes()); got != 6 {
		t.Errorf("got %d writes, want 6: %q", got, r.Writes())
	}
	r.Reset()
	if calls := r.Calls(); calls != nil {
		t.Errorf("after Reset: %q", calls)
	}
}

func TestDecoratorsPassTheSuite(t *testing.T) {
	open := func(t *testing.T) hbase.Store {
		s, err := embedded.Open("")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Run("Recorder", func(t *testing.T) {
		hbasetest.Run(t, func(t *testing.T) hbase.Store { return hbasetest.NewRecorder(open(t), hbasetest.Names{}) })
	})
	t.Run("Faults without a fault", func(t *testing.T) {
		never := hbasetest.When(func(hbasetest.Op) bool { return false }, hbasetest.Fault{})
		hbasetest.Run(t, func(t *testing.T) hbase.Store { return hbasetest.NewFaults(open(t), never) })
	})
}
