package cluster_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/tsuna/gohbase/filter"
	"github.com/tsuna/gohbase/hrpc"

	"twibase/hbase"
	"twibase/hbase/cluster"
)

// BenchmarkPageOfTwits compares ways to read the positions of 100 twits. Only a twit's value says
// who may see it: if only followers may, it ends with the field 4 of length 0.
//
//   - contents: as twibase does.
//   - positions: a KeyOnlyFilter, which hides who may see a twit.
//   - positions of public twits: also a ValueFilter. The region server searches each value.
//   - second family: positions stored again without values.
func BenchmarkPageOfTwits(b *testing.B) {
	public := filter.NewValueFilter(filter.NewCompareFilter(filter.NotEqual,
		filter.NewRegexStringComparator(`"\x00\z`, 0, "ISO-8859-1", "JAVA")))
	positions := filter.NewKeyOnlyFilter(false)
	for _, size := range []int{140, 40_000} {
		store := open(b)
		table := newTwits(b, store, size)
		for _, way := range []struct {
			name, family string
			filter       filter.Filter
		}{
			{"contents", "t", nil},
			{"positions", "t", positions},
			{"positions of public twits", "t", filter.NewList(filter.MustPassAll, public, positions)},
			{"second family", "p", nil},
		} {
			b.Run(fmt.Sprintf("%d bytes/%s", size, way.name), func(b *testing.B) {
				options := []func(hrpc.Call) error{hrpc.Families(map[string][]string{way.family: nil})}
				if way.filter != nil {
					options = append(options, hrpc.Filters(way.filter))
				}
				for b.Loop() {
					get, err := hrpc.NewGetStr(b.Context(), table, "author", options...)
					if err != nil {
						b.Fatal(err)
					}
					result, err := store.Client().Get(get)
					if err != nil || len(result.Cells) != 100 {
						b.Fatal(result, err)
					}
				}
			})
		}
	}
}

func newTwits(b *testing.B, store *cluster.Store, size int) string {
	b.Helper()
	table := createTable(b, store, hbase.Table{Families: []hbase.FamilySchema{{Name: "t"}, {Name: "p"}}})
	var puts []hbase.Mutation
	for i := range 100 {
		position := fmt.Sprintf("%08d", i)
		puts = append(puts, hbase.Put{Table: table, Row: "author", Cells: []hbase.Cell{
			{Family: "t", Qualifier: position, Value: bytes.Repeat([]byte("x"), size)},
			{Family: "p", Qualifier: position},
		}})
	}
	if err := hbase.MutateAll(b.Context(), store, puts); err != nil {
		b.Fatal(err)
	}
	if err := store.Flush(b.Context(), table); err != nil {
		b.Fatal(err)
	}
	return table
}
