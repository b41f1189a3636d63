package hbasetest

import (
	"testing"

	"twibase/hbase"
	"twibase/hbase/embedded"
)

func TestWritesToResultsAreDetected(t *testing.T) {
	store, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	table := hbase.Table{Name: "t", Families: []hbase.FamilySchema{{Name: "i"}}}
	if err := store.CreateTable(t.Context(), table); err != nil {
		t.Fatal(err)
	}
	put := hbase.Put{Table: "t", Row: "r", Cells: []hbase.Cell{
		{Family: "i", Qualifier: "a", Value: []byte("x")},
		{Family: "i", Qualifier: "b", Value: []byte("y")},
	}}
	if errs, err := store.Mutate(t.Context(), []hbase.Mutation{put}); err != nil || errs != nil {
		t.Fatal(err, errs)
	}
	for _, test := range []struct {
		name  string
		write func([]hbase.Cell)
		found bool
	}{
		{"none", func([]hbase.Cell) {}, false},
		{"an append", func(cells []hbase.Cell) { _ = append(cells, hbase.Cell{}) }, false},
		{"a write to a cell", func(cells []hbase.Cell) { cells[0].Timestamp++ }, true},
		{"a swap of cells", func(cells []hbase.Cell) { cells[0], cells[1] = cells[1], cells[0] }, true},
		{"a write to a value", func(cells []hbase.Cell) { cells[1].Value[0] = 'z' }, true},
		{"a new value of a memo", func(cells []hbase.Cell) { cells[1].Memo.Remember(&[]string{"made"}, 1) }, false},
		{"a write to a memo's value", func(cells []hbase.Cell) {
			(*cells[0].Memo.Made().(*[]string))[0] = "written"
		}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			u := NewWriteDetector(store)
			var results []hbase.Result
			for range 3 { // to cache the row
				if results, err = u.Get(t.Context(), []hbase.Get{{Table: "t", Row: "r"}}); err != nil {
					t.Fatal(err)
				}
				if memo := results[0].Cells[0].Memo; memo != nil {
					memo.Remember(&[]string{"made"}, 1)
				}
			}
			results, err = u.Get(t.Context(), []hbase.Get{{Table: "t", Row: "r"}})
			if err != nil || u.Err() != nil {
				t.Fatal(err, u.Err())
			}
			test.write(results[0].Cells)
			if err := u.Err(); (err != nil) != test.found {
				t.Error(err)
			}
		})
	}
}
