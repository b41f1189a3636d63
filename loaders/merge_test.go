package loaders

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

func TestMergedReadsReturnTheSameCells(t *testing.T) {
	store := openStore(t)
	for i := range 3 {
		row := hbase.Put{Table: "users", Row: fmt.Sprint("row", i)}
		for j := range 6 {
			for _, family := range []string{"i", "f", "t"} {
				row.Cells = append(row.Cells, hbase.Cell{
					Family: family, Qualifier: fmt.Sprint("c", j), Timestamp: 1, Value: []byte{byte(i), byte(j)}})
			}
		}
		put(t, store, row)
	}
	columns := rapid.SampledFrom([]string{"i:c1", "i:c1 i:c3", "i:c0 i:c5 i:nothing", "f", "t", "i", "f t", "f:c2", ""})
	get := rapid.Custom(func(t *rapid.T) hbase.Get {
		row := fmt.Sprint("row", rapid.IntRange(0, 3).Draw(t, "row"))
		g := hbase.Get{Table: "users", Row: row, Columns: columns.Draw(t, "columns")}
		if rapid.Bool().Draw(t, "limited") {
			g.Page.Limit = rapid.IntRange(1, 4).Draw(t, "limit")
		}
		if len(g.Columns) == 1 && rapid.Bool().Draw(t, "bounded") {
			g.Page.Start = "c2"
		}
		return g
	})
	rapid.Check(t, func(t *rapid.T) {
		gets := rapid.SliceOfN(get, 1, 8).Draw(t, "gets")
		want, err := store.Get(context.Background(), gets)
		if err != nil {
			t.Fatal(err)
		}
		recorder := hbasetest.NewRecorder(store, hbasetest.Names{})
		ctx := With(context.Background(), recorder)
		set := readAll(ctx, gets)
		for i := range gets {
			got := set.result(i)
			if got.Err != nil {
				t.Fatal(got.Err)
			}
			if diff := cmp.Diff(want[i].Cells, got.Cells, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("get %d of %+v (-alone +merged):\n%s", i, gets, diff)
			}
		}
	})
}

func TestRowAndFirstPageAreOneGet(t *testing.T) {
	recorder := hbasetest.NewRecorder(openStore(t), hbasetest.Names{})
	ctx := With(context.Background(), recorder)
	users := Users.Enqueue(ctx, []ObjectKey{{"a", tables.Users.Columns([]string{"name", "age"})}})
	counts := Users.Enqueue(ctx, []ObjectKey{{"a", tables.Users.Columns([]string{"followerCount"})}})
	if _, err := Followers.Page(ctx, []PageKey{{"a", &Range{Limit: 20}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := users(); err != nil {
		t.Fatal(err)
	}
	if _, err := counts(); err != nil {
		t.Fatal(err)
	}
	row := fmt.Sprintf("%q", tables.RowKey("a"))
	want := []string{"Get users " + row + " i:name,i:age,i:followerCount,f [limit 21]"}
	if diff := cmp.Diff(want, recorder.Reads()); diff != "" {
		t.Fatal(diff)
	}
}

func TestLongestFirstPageIsMergedWithTheRow(t *testing.T) {
	first := func(limit int) hbase.Get {
		return hbase.Get{Table: "games", Row: "r", Columns: "p", Page: hbase.Page{Limit: limit}}
	}
	row := hbase.Get{Table: "games", Row: "r", Columns: "i:name"}
	want := []hbase.Get{{Table: "games", Row: "r", Columns: "p i:name", Page: hbase.Page{Limit: 11}}, first(1)}
	one, eleven := first(1), first(11)
	for _, gets := range [][]hbase.Get{{row, one, eleven}, {one, row, eleven}, {eleven, one, row}, {one, eleven, row}} {
		got := readAll(With(context.Background(), openStore(t)), gets).batch
		for i := range got.gets {
			got.gets[i].Columns = sortedColumns(got.gets[i].Columns)
		}
		want[0].Columns = sortedColumns(want[0].Columns)
		longestFirst := cmpopts.SortSlices(func(a, b hbase.Get) bool { return a.Page.Limit > b.Page.Limit })
		if diff := cmp.Diff(want, got.gets, longestFirst); diff != "" {
			t.Errorf("Gets of %+v (-want +got):\n%s", gets, diff)
		}
	}
}

func readAll(ctx context.Context, gets []hbase.Get) *readSet {
	set := newReadSet(len(gets))
	for _, g := range gets {
		set.add(g)
	}
	from(ctx).enqueue(ctx, "test", set)
	from(ctx).wait(set)
	return set
}

func sortedColumns(columns string) string {
	list := strings.Fields(columns)
	slices.Sort(list)
	return strings.Join(list, " ")
}
