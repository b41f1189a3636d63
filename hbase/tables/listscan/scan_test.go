package listscan_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
	"twibase/hbase/tables/listscan"
)

const owner = "LiLei"

// Bucket 0 has old copies of members of bucket 2, and bucket 7 is pending.
func openList(t *testing.T) hbase.Store {
	store, err := embedded.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	for _, table := range tables.Definitions(1) {
		if err := store.CreateTable(context.Background(), table); err != nil {
			t.Fatal(err)
		}
	}
	l := tables.UserRoles
	row := func(bucket uint32, cells ...hbase.Cell) hbase.Put {
		return hbase.Put{Table: l.Table, Row: l.Row(owner, bucket), Cells: cells}
	}
	member := func(name string) hbase.Cell { return l.Cell(name, 1) }
	_, err = store.Mutate(context.Background(), []hbase.Mutation{
		row(0, member("a"), member("b"), member("d"), l.MovedCell("e", 2), member("f"),
			l.BucketCell(tables.Bucket{Number: 2, Start: "d", Stop: "m"}, 1),
			l.BucketCell(tables.Bucket{Number: 1, Start: "m"}, 1),
			l.PendingCell([]tables.Bucket{{Number: 7, Start: "p"}}, 1)),
		row(2, member("d"), member("e"), member("f")),
		row(1, member("m"), member("p")),
		row(7, member("p")),
	})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

type reader struct {
	store  hbase.Store
	rounds [][]string
}

func (r *reader) read(gets ...hbase.Get) ([][]hbase.Cell, error) {
	var round []string
	var cells [][]hbase.Cell
	for _, g := range gets {
		_, bucket, err := tables.UserRoles.OwnerOf(g.Row)
		if err != nil {
			return nil, err
		}
		round = append(round, fmt.Sprintf("%d [%q %q) %d", bucket, g.Page.Start, g.Page.Stop, g.Page.Limit))
		results, err := r.store.Get(context.Background(), []hbase.Get{g})
		if err != nil {
			return nil, err
		}
		cells = append(cells, results[0].Cells)
	}
	r.rounds = append(r.rounds, round)
	return cells, nil
}

func names(cells []hbase.Cell) (all []string) {
	for _, c := range cells {
		all = append(all, c.Qualifier)
	}
	return all
}

func TestPageReadsItsBucketsOnly(t *testing.T) {
	for _, test := range []struct {
		name              string
		of                listscan.Range
		want              []string
		previous, hasNext bool
		rounds            [][]string
	}{
		{"the first page from bucket 0", listscan.Range{Limit: 2}, []string{"a", "b"}, false, true,
			[][]string{{`0 ["" "") 3`}}},
		{"past a moved marker", listscan.Range{Limit: 4}, []string{"a", "b", "d", "e"}, false, true,
			[][]string{{`0 ["" "") 5`}, {`0 ["\xffd\x00\x00" "") 256`}, {`2 ["d\x00" "m") 2`, `1 ["m" "\xff") 2`}}},
		{"the whole list", listscan.Range{Limit: 99}, []string{"a", "b", "d", "e", "f", "m", "p"}, false, false,
			[][]string{{`0 ["" "") 100`}, {`2 ["d\x00" "m") 97`, `1 ["m" "\xff") 97`}}},
		{"after a position, far", listscan.Range{After: "e", Limit: 1, Far: true}, []string{"f"}, true, true,
			[][]string{{`0 ["e\x00" "") 2`, `0 ["\xffe\x00" "") 2`}, {`2 ["f\x00" "m") 1`, `1 ["m" "\xff") 1`}}},
		{"between two positions", listscan.Range{From: "b", Before: "e", Limit: 9}, []string{"b", "d"}, true, false,
			[][]string{{`0 ["b" "") 10`}, {`2 ["d\x00" "e") 8`}}},
		{"the end of the list", listscan.Range{Limit: 1, Backward: true}, []string{"p"}, true, false,
			[][]string{{`0 ["\xff\xff" "") 1`, `0 ["" "\xff") 256`}, {`1 ["m" "\xff") 0`}}},
		{"positions in the wrong order", listscan.Range{After: "e", Before: "b", Limit: 9}, nil, true, false, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := reader{store: openList(t)}
			s := listscan.New(&tables.UserRoles.AnyList, owner, &test.of)
			if err := listscan.Run(r.read, s); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, names(s.Cells())); diff != "" {
				t.Errorf("members (-want +got):\n%s", diff)
			}
			if s.HasPrevious() != test.previous || s.HasNext() != test.hasNext {
				t.Errorf("HasPrevious %v, HasNext %v, want %v, %v", s.HasPrevious(), s.HasNext(), test.previous, test.hasNext)
			}
			if diff := cmp.Diff(test.rounds, r.rounds); diff != "" {
				t.Errorf("rounds (-want +got):\n%s", diff)
			}
		})
	}
}

func TestScansRunTogether(t *testing.T) {
	r := reader{store: openList(t)}
	all, short := listscan.Range{Limit: 99}, listscan.Range{After: "a", Limit: 1}
	empty := listscan.Range{From: "b", Before: "a"}
	scans := []*listscan.Scan{
		listscan.New(&tables.UserRoles.AnyList, owner, &short),
		listscan.New(&tables.UserRoles.AnyList, owner, &empty),
		listscan.New(&tables.UserRoles.AnyList, owner, &all),
	}
	if err := listscan.Run(r.read, scans...); err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{{"b"}, nil, {"a", "b", "d", "e", "f", "m", "p"}} {
		if diff := cmp.Diff(want, names(scans[i].Cells())); diff != "" {
			t.Errorf("scan %d (-want +got):\n%s", i, diff)
		}
	}
	rounds := [][]string{{`0 ["a\x00" "") 2`, `0 ["" "") 100`}, {`2 ["d\x00" "m") 97`, `1 ["m" "\xff") 97`}}
	if diff := cmp.Diff(rounds, r.rounds); diff != "" {
		t.Errorf("rounds (-want +got):\n%s", diff)
	}
}

func TestRowsReadsEveryBucketOnce(t *testing.T) {
	for _, test := range []struct {
		name   string
		of     listscan.RowsOptions
		pages  []string
		rounds [][]string
	}{
		{"all rows of the directory", listscan.RowsOptions{First: 99, Next: 99},
			[]string{"0 [a b d e f] true", "2 [d e f] true", "1 [m p] true"},
			[][]string{{`0 ["" "") 99`}, {`2 ["" "") 99`}, {`1 ["" "") 99`}}},
		{"the directory, if bucket 0 is long", listscan.RowsOptions{First: 2, Next: 99},
			[]string{"0 [a b] false", "0 [d e f] true", "2 [d e f] true", "1 [m p] true"},
			[][]string{{`0 ["" "") 2`}, {`0 ["\xff" "") 0`}, {`0 ["b\x00" "") 99`}, {`2 ["" "") 99`}, {`1 ["" "") 99`}}},
		{"pending buckets, and the directory again", listscan.RowsOptions{First: 99, Next: 2, Pending: true},
			[]string{"0 [a b d e f] true", "2 [d e] false", "2 [f] true", "1 [m p] false", "1 [] true", "7 [p] true"},
			[][]string{{`0 ["" "") 99`}, {`2 ["" "") 2`}, {`2 ["e\x00" "") 2`}, {`1 ["" "") 2`}, {`1 ["p\x00" "") 2`},
				{`7 ["" "") 2`}, {`0 ["\xff" "") 0`}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := reader{store: openList(t)}
			rows := listscan.NewRows(&tables.UserRoles.AnyList, owner, test.of)
			var pages []string
			for !rows.Done() {
				cells, err := r.read(rows.Get())
				if err != nil {
					t.Fatal(err)
				}
				page, ok, err := rows.Take(cells[0])
				if err != nil {
					t.Fatal(err)
				}
				if ok {
					pages = append(pages, fmt.Sprint(page.Bucket, " ", names(page.Cells), " ", page.Last))
				}
			}
			if diff := cmp.Diff(test.pages, pages); diff != "" {
				t.Errorf("pages (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.rounds, r.rounds); diff != "" {
				t.Errorf("rounds (-want +got):\n%s", diff)
			}
		})
	}
}
