package embedded

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"twibase/hbase"
)

func TestManyGetsAreAlignedWithTheirResults(t *testing.T) {
	d := newFixture(t)
	name := func(i int) string { return fmt.Sprint(i * 7919 % 64) }
	for i := range 64 {
		cell := hbase.Cell{Family: "i", Qualifier: "q", Value: fmt.Append(nil, i)}
		d.write(hbase.Put{Table: "t", Row: fmt.Sprint(i), Cells: []hbase.Cell{cell}})
	}
	gets := make([]hbase.Get, 100_000)
	for i := range gets {
		if gets[i] = (hbase.Get{Table: "t", Row: name(i), Columns: "i"}); i%1000 == 0 {
			gets[i].Table = "none"
		}
	}
	results, err := d.Get(context.Background(), gets)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		if i%1000 == 0 {
			if !errors.Is(r.Err, hbase.ErrTableNotFound) {
				t.Fatalf("Get %d of a missing table: %v", i, r.Err)
			}
		} else if r.Err != nil || len(r.Cells) != 1 || string(r.Cells[0].Value) != name(i) {
			t.Fatalf("Get %d of row %s: %v, %v", i, name(i), r.Cells, r.Err)
		}
	}
}
