package loaders

import (
	"context"
	"fmt"
	"math/bits"
	"sort"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/listscan"
)

// counting counts the Gets of a store, round by round.
type counting struct {
	hbase.Store
	reads []int
}

func (c *counting) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	c.reads = append(c.reads, len(gets))
	return c.Store.Get(ctx, gets)
}

// A list whose rows had each members once, of whom so many are left, row by row, from the first on
// or behind some who left.
type sparse struct {
	each   int
	left   []int
	behind []int // nil is none
}

func (s sparse) at(row, i int) string { return fmt.Sprintf("m%06d", row*s.each+i) }

// write writes the list, and returns who is in it.
func (s sparse) write(t rapid.TB, store hbase.Store, owner string) (members []string) {
	l, rows := tables.UserRoles, make([]hbase.Put, len(s.left))
	for b, left := range s.left {
		rows[b] = hbase.Put{Table: l.Table, Row: l.Row(owner, uint32(b))}
		for i := range left {
			if s.behind != nil {
				i += s.behind[b]
			}
			members = append(members, s.at(b, i))
			rows[b].Cells = append(rows[b].Cells, l.Cell(s.at(b, i), 1))
		}
		if b == 0 {
			continue
		}
		bucket := tables.Bucket{Number: uint32(b), Start: s.at(b, 0)}
		if b < len(s.left)-1 {
			bucket.Stop = s.at(b+1, 0)
		}
		rows[0].Cells = append(rows[0].Cells, l.BucketCell(bucket, 1))
	}
	for _, row := range rows {
		if len(row.Cells) > 0 {
			put(t, store, row)
		}
	}
	return members
}

// within counts the rows that may have members in a window.
func (s sparse) within(w Range) (rows int) {
	for b := range s.left {
		if s.at(b+1, 0) > w.After && (w.Before == "" || s.at(b, 0) < w.Before) {
			rows++
		}
	}
	return rows
}

// However few members are left in the rows of a list, a page reads more and more rows at once. As
// long as at least half are left in each, it takes no more than its plan.
func TestAPageOfRowsThatMostMembersLeftTakesFewRounds(t *testing.T) {
	store, owners := &counting{Store: openStore(t)}, 0
	ctx := With(t.Context(), store)
	rapid.Check(t, func(t *rapid.T) {
		owners++
		owner, half := fmt.Sprintf("owner%d", owners), rapid.IntRange(1, 12).Draw(t, "half a row")
		s := sparse{each: 2 * half}
		full := rapid.Bool().Draw(t, "at least half are left")
		for range rapid.IntRange(1, 4).Draw(t, "stretches") {
			fewest, most := 0, rapid.SampledFrom([]int{0, 1, s.each}).Draw(t, "members left at most")
			if full {
				fewest, most = half, s.each
			}
			for range rapid.SampledFrom([]int{1, 2, 5, 40, 100}).Draw(t, "rows") {
				left := rapid.IntRange(fewest, most).Draw(t, "members")
				s.left, s.behind = append(s.left, left), append(s.behind, rapid.IntRange(0, s.each-left).Draw(t, "who left before them"))
			}
		}
		members := s.write(t, store, owner)
		position := rapid.Custom(func(t *rapid.T) string {
			return s.at(rapid.IntRange(0, len(s.left)-1).Draw(t, "row"), rapid.IntRange(0, s.each-1).Draw(t, "place"))
		})
		for range 10 {
			w := Range{Limit: rapid.IntRange(0, 100).Draw(t, "limit"), Backward: rapid.Bool().Draw(t, "backward")}
			if rapid.Bool().Draw(t, "behind a position") {
				w.After, w.Far = position.Draw(t, "after"), true
			}
			if rapid.Bool().Draw(t, "before a position") {
				w.Before = position.Draw(t, "before")
			}
			if w.Empty() {
				continue
			}
			from, end := sort.SearchStrings(members, hbase.Next(w.After)), len(members)
			if w.Before != "" {
				end = sort.SearchStrings(members, w.Before)
			}
			in := members[from:end]
			store.reads = nil
			pages, err := UserRoles.Page(ctx, []PageKey{{owner, w}})
			if err != nil {
				t.Fatal(err)
			}
			page, want := pages[0], in[:min(w.Limit, len(in))]
			if w.Backward { // it may be short
				if want = in[len(in)-min(len(page.Members), len(in)):]; len(want) == 0 && w.Limit > 0 {
					want = in
				}
			} else if page.HasNext != (len(in) > w.Limit) {
				t.Fatalf("of %v more follow: %v, of %d", w, page.HasNext, len(in))
			}
			if diff := cmp.Diff(append([]string{}, want...), append([]string{}, page.Members...)); diff != "" {
				t.Fatalf("%+v (-want +got):\n%s", w, diff)
			}
			rows := s.within(w)
			if most := 2*bits.Len(uint(rows)) + rows/listscan.MaxWidth + 2; len(store.reads) > most {
				t.Fatalf("%+v takes %d rounds, of %d rows", w, len(store.reads), rows)
			}
			rounds, gets, read := 0, 0, 0
			for _, o := range UserRoles.PageShapes(w, w.After == "", half) {
				if gets += o.Gets; !o.SameRound {
					rounds += o.Rounds
				}
			}
			for _, n := range store.reads {
				read += n
			}
			if full && (len(store.reads) > rounds || read > gets) {
				t.Fatalf("%+v takes %d rounds and %d Gets, planned are %d and %d", w, len(store.reads), read, rounds, gets)
			}
		}
	})
}

func TestAPageFromTheEndReads(t *testing.T) {
	for _, test := range []struct {
		name   string
		list   sparse
		before string
		want   string // the last member of the page, which is one
		reads  []int
	}{
		{"a row of few members in one round", sparse{each: 255, left: []int{255}}, "", "m000254", []int{2}},
		{"a row of many whole, in another", sparse{each: 256, left: []int{256}}, "", "m000255", []int{2, 1}},
		{"what precedes the first of a row in the row before", sparse{each: 4, left: []int{4, 4, 4}}, "m000008", "m000007", []int{2, 1}},
		{"what precedes the first who is left in a row when it found nobody before them", sparse{each: 4, left: []int{4, 4, 2}, behind: []int{0, 0, 2}},
			"m000010", "m000007", []int{2, 1, 1, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := &counting{Store: openStore(t)}
			test.list.write(t, store, "LiLei")
			pages, err := UserRoles.Page(With(t.Context(), store), []PageKey{{"LiLei", Range{Limit: 1, Before: test.before, Backward: true}}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.reads, store.reads); diff != "" || len(pages[0].Members) != 1 || pages[0].Members[0] != test.want {
				t.Errorf("it has %q, by reads (-want +got):\n%s", pages[0].Members, diff)
			}
		})
	}
}

func TestAPageOfAListOfWhichLittleIsLeftReads(t *testing.T) {
	const rows = 400
	for _, test := range []struct {
		name   string
		every  int // in which rows one member is left
		window Range
		names  int
		reads  []int // of each round
	}{
		{"twenty of which one is in each row", 1, Range{Limit: 20}, 20, []int{1, 2, 4, 8, 6}},
		{"a hundred of which one is in each row", 1, Range{Limit: 100}, 100, []int{1, 2, 4, 8, 16, 32, 32, 6}},
		{"twenty of which one is in each tenth row", 10, Range{Limit: 20}, 20, []int{1, 2, 4, 8, 6, 1, 32, 32, 32, 32, 32, 16, 16}},
		{"all of which one is in each tenth row", 10, Range{Limit: 100}, 40, []int{1, 2, 4, 8, 16, 32, 32, 6, 1, 32, 32, 32, 32, 32, 32, 32, 32, 1, 32, 11}},
		{"all before the second row, of which one is in the first", rows, Range{Limit: 20, Before: "m000004"}, 1, []int{1}},
		{"all before the fourth row, of which one is in the first", rows, Range{Limit: 20, Before: "m000012"}, 1, []int{1, 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			store, s := &counting{Store: openStore(t)}, sparse{each: 4, left: make([]int, rows)}
			for row := 0; row < rows; row += test.every {
				s.left[row] = 1
			}
			s.write(t, store, "LiLei")
			pages, err := UserRoles.Page(With(t.Context(), store), []PageKey{{"LiLei", test.window}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.reads, store.reads); diff != "" || len(pages[0].Members) != test.names {
				t.Errorf("it has %d members, by reads (-want +got):\n%s", len(pages[0].Members), diff)
			}
		})
	}
}
