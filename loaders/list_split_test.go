package loaders

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// During a split, old buckets have copies of moved members, but not of members added later.
func TestPagesAreCorrectDuringASplit(t *testing.T) {
	store, owner, l := openStore(t), "LiLei", tables.UserRoles
	row := func(bucket uint32, cells ...hbase.Cell) hbase.Put {
		return hbase.Put{Table: l.Table, Row: l.Row(owner, bucket), Cells: cells}
	}
	member := func(name string) hbase.Cell { return l.Cell(name, 1) }
	put(t, store,
		row(0, member("a"), member("c"), member("e"), l.MovedCell("f", 2), member("g"), member("k"), member("m"),
			l.BucketCell(tables.Bucket{Number: 1, Start: "c", Stop: "h"}, 1),
			l.BucketCell(tables.Bucket{Number: 3, Start: "h", Stop: "k"}, 1),
			l.BucketCell(tables.Bucket{Number: 2, Start: "k"}, 1)),
		// l was removed after k had moved.
		row(1, member("c"), member("e"), member("f"), member("g"), member("k"), member("l")),
		row(2, member("k"), member("m"), member("n")))
	want := []string{"a", "c", "e", "f", "g", "k", "m", "n"}
	ctx := With(context.Background(), store)
	for limit := 1; limit <= len(want)+1; limit++ {
		forward := readForward(t, ctx, UserRoles, owner, Range{Limit: limit})
		if diff := cmp.Diff(want, forward); diff != "" {
			t.Errorf("forward pages of %d (-want +got):\n%s", limit, diff)
		}
		backward := readBackward(t, ctx, UserRoles, owner, Range{Limit: limit})
		if diff := cmp.Diff(want, backward); diff != "" {
			t.Errorf("backward pages of %d (-want +got):\n%s", limit, diff)
		}
	}
	keys := []MemberKey{{owner, "e"}, {owner, "f"}, {owner, "m"}, {owner, "n"}, {owner, "h"}}
	members, err := UserRoles.Members(ctx, keys)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, true, true, true, false} {
		if got := members[i].Found; got != want {
			t.Errorf("member %s: found %v, want %v", keys[i].Position, got, want)
		}
	}
}

type splitting struct {
	hbase.Store
	split func()
}

func (l *splitting) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	results := make([]hbase.Result, len(gets))
	for _, directory := range []bool{true, false} {
		if !directory {
			l.split()
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

func TestPageIsCorrectWithADirectoryOlderThanASplit(t *testing.T) {
	store, owner, l := openStore(t), "LiLei", tables.UserRoles
	row := func(bucket uint32, names ...string) hbase.Put {
		put := hbase.Put{Table: l.Table, Row: l.Row(owner, bucket)}
		for _, name := range names {
			put.Cells = append(put.Cells, l.Cell(name, 1))
		}
		return put
	}
	put(t, store, row(0, "a", "c", "e", "g", "i"))
	split := sync.OnceFunc(func() {
		named := row(0)
		named.Cells = []hbase.Cell{l.MovedCell("f", 2), l.BucketCell(tables.Bucket{Number: 1, Start: "e"}, 1)}
		put(t, store, row(1, "e", "f", "g", "i"), named)
	})
	ctx := With(t.Context(), &splitting{store, split})
	pages, err := UserRoles.Page(ctx, []PageKey{{owner, &Range{After: "a", Limit: 9, Far: true}}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"c", "e", "f", "g", "i"}, pages[0].Members); diff != "" || pages[0].HasNext {
		t.Errorf("HasNext %v, members (-want +got):\n%s", pages[0].HasNext, diff)
	}
}

type changing struct {
	hbase.Store
	calls int
	after map[int]func()
}

func (c *changing) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	results, err := c.Store.Get(ctx, gets)
	if c.calls++; c.after[c.calls] != nil {
		c.after[c.calls]()
	}
	return results, err
}

func TestBackwardPageContinuesIfProbedMembersAreRemoved(t *testing.T) {
	store, l := &changing{Store: openStore(t)}, tables.UserRoles
	s := sparse{size: 4, members: []int{2, 1, 0, 0}}
	s.write(t, store, "LiLei")
	store.after = map[int]func(){5: func() { // call 5 is the probe
		put(t, store.Store, hbase.Delete{Table: l.Table, Row: l.Row("LiLei", 1), Columns: []hbase.Deletion{
			{Kind: hbase.AllVersions, Family: l.Family, Qualifier: s.at(1, 0), Timestamp: 1}}})
	}}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	pages, err := UserRoles.Page(With(ctx, store), []PageKey{{"LiLei", &Range{Limit: 2, Backward: true}}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{s.at(0, 0), s.at(0, 1)}, pages[0].Members); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPageStopsReadingWhenCancelled(t *testing.T) {
	store := &changing{Store: openStore(t)}
	sparse{size: 4, members: []int{0, 0, 0, 4}}.write(t, store, "LiLei")
	ctx, cancel := context.WithCancel(t.Context())
	store.after = map[int]func(){1: cancel}
	_, err := UserRoles.Page(With(ctx, store), []PageKey{{"LiLei", &Range{Limit: 2}}})
	if !errors.Is(err, context.Canceled) || store.calls != 1 {
		t.Errorf("got %d calls and error %v, want 1 and %v", store.calls, err, context.Canceled)
	}
}
