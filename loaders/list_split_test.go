package loaders

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// While the buckets of a list are being cut, those that were cut still hold what was moved: not
// what was added since, nor always what was removed.
func TestAListIsReadWhileItsBucketsAreCut(t *testing.T) {
	store, owner, l := openStore(t), "LiLei", tables.UserRoles
	row := func(bucket uint32, cells ...hbase.Cell) hbase.Put {
		return hbase.Put{Table: l.Table, Row: l.Row(owner, bucket), Cells: cells}
	}
	is := func(name string) hbase.Cell { return l.Cell(name, 1) }
	put(t, store,
		row(0, is("a"), is("c"), is("e"), l.MovedCell("f", 2), is("g"), is("k"), is("m"),
			l.BucketCell(tables.Bucket{Number: 1, Start: "c", Stop: "h"}, 1), l.BucketCell(tables.Bucket{Number: 3, Start: "h", Stop: "k"}, 1),
			l.BucketCell(tables.Bucket{Number: 2, Start: "k"}, 1)),
		row(1, is("c"), is("e"), is("f"), is("g"), is("k"), is("l")), // l was removed when k had moved, and all of bucket 3 left
		row(2, is("k"), is("m"), is("n")))
	want := []string{"a", "c", "e", "f", "g", "k", "m", "n"}
	ctx := With(context.Background(), store)
	for limit := range len(want) + 1 {
		limit++
		var forward, backward []string
		for w := (Range{Limit: limit}); ; {
			pages, err := UserRoles.Page(ctx, []PageKey{{owner, w}})
			if err != nil {
				t.Fatal(err)
			}
			forward = append(forward, pages[0].Members...)
			if !pages[0].HasNext {
				break
			}
			w.After = pages[0].Positions[len(pages[0].Positions)-1]
		}
		for w := (Range{Limit: limit, Backward: true}); ; {
			pages, err := UserRoles.Page(ctx, []PageKey{{owner, w}})
			if err != nil {
				t.Fatal(err)
			}
			backward = append(append([]string{}, pages[0].Members...), backward...)
			if !pages[0].HasPrevious {
				break
			}
			w.Before = pages[0].Positions[0]
		}
		if diff := cmp.Diff(want, forward); diff != "" {
			t.Errorf("pages of %d (-want +got):\n%s", limit, diff)
		}
		if diff := cmp.Diff(want, backward); diff != "" {
			t.Errorf("pages of %d from the end (-want +got):\n%s", limit, diff)
		}
	}
	found, err := UserRoles.Members(ctx, []MemberKey{{owner, "e"}, {owner, "f"}, {owner, "m"}, {owner, "n"}, {owner, "h"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, true, true, true, false} {
		if found[i].Found != want {
			t.Errorf("member %d is found: %v", i, found[i].Found)
		}
	}
}

// late is a store that answers Gets of a directory at once, and others when what is then put has
// been put.
type late struct {
	hbase.Store
	then func()
}

func (l *late) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	results := make([]hbase.Result, len(gets))
	for _, directory := range []bool{true, false} {
		if !directory {
			l.then()
		}
		for i, g := range gets {
			if directory == (g.Page.Start >= tables.MembersEnd) {
				one, err := l.Store.Get(ctx, gets[i:i+1])
				if err != nil {
					return nil, err
				}
				results[i] = one[0]
			}
		}
	}
	return results, nil
}

func TestAListIsReadWhoseDirectoryWasReadBeforeItWasCut(t *testing.T) {
	store, owner, l := openStore(t), "LiLei", tables.UserRoles
	row := func(bucket uint32, names ...string) hbase.Put {
		put := hbase.Put{Table: l.Table, Row: l.Row(owner, bucket)}
		for _, name := range names {
			put.Cells = append(put.Cells, l.Cell(name, 1))
		}
		return put
	}
	put(t, store, row(0, "a", "c", "e", "g", "i"))
	cut := sync.OnceFunc(func() {
		named := row(0)
		named.Cells = []hbase.Cell{l.MovedCell("f", 2), l.BucketCell(tables.Bucket{Number: 1, Start: "e"}, 1)}
		put(t, store, row(1, "e", "f", "g", "i"), named)
	})
	pages, err := UserRoles.Page(With(t.Context(), &late{store, cut}), []PageKey{{owner, Range{After: "a", Limit: 9, Far: true}}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"c", "e", "f", "g", "i"}, pages[0].Members); diff != "" || pages[0].HasNext {
		t.Errorf("more follow: %v, (-want +got):\n%s", pages[0].HasNext, diff)
	}
}
