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

type counting struct {
	hbase.Store
	reads []int
}

func (c *counting) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	c.reads = append(c.reads, len(gets))
	return c.Store.Get(ctx, gets)
}

// sparse is a list whose buckets have the same size, and consecutive members.
type sparse struct {
	size    int
	members []int // by bucket
	removed []int // before the members, by bucket; nil for none
}

func (s sparse) at(bucket, i int) string { return fmt.Sprintf("m%06d", bucket*s.size+i) }

func (s sparse) write(t rapid.TB, store hbase.Store, owner string) (members []string) {
	l, rows := tables.UserRoles, make([]hbase.Put, len(s.members))
	for b, n := range s.members {
		rows[b] = hbase.Put{Table: l.Table, Row: l.Row(owner, uint32(b))}
		for i := range n {
			if s.removed != nil {
				i += s.removed[b]
			}
			members = append(members, s.at(b, i))
			rows[b].Cells = append(rows[b].Cells, l.Cell(s.at(b, i), 1))
		}
		if b == 0 {
			continue
		}
		bucket := tables.Bucket{Number: uint32(b), Start: s.at(b, 0)}
		if b < len(s.members)-1 {
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

func (s sparse) within(r Range) (buckets int) {
	for b := range s.members {
		if s.at(b+1, 0) > r.After && (r.Before == "" || s.at(b, 0) < r.Before) {
			buckets++
		}
	}
	return buckets
}

// With buckets at least half full, a page reads no more than declared.
func TestPageRoundsAreBounded(t *testing.T) {
	store, owners := &counting{Store: openStore(t)}, 0
	ctx := With(t.Context(), store)
	rapid.Check(t, func(t *rapid.T) {
		owners++
		list := UserRoles
		if rapid.Bool().Draw(t, "large members") {
			list = largeRoles()
		}
		owner, half := fmt.Sprintf("owner%d", owners), rapid.IntRange(1, 12).Draw(t, "half a bucket")
		s := sparse{size: 2 * half}
		full := rapid.Bool().Draw(t, "at least half full")
		for range rapid.IntRange(1, 4).Draw(t, "runs of buckets") {
			fewest, most := 0, rapid.SampledFrom([]int{0, 1, s.size}).Draw(t, "members at most")
			if full {
				fewest, most = half, s.size
			}
			for range rapid.SampledFrom([]int{1, 2, 5, 40, 100}).Draw(t, "buckets") {
				n := rapid.IntRange(fewest, most).Draw(t, "members")
				s.members = append(s.members, n)
				s.removed = append(s.removed, rapid.IntRange(0, s.size-n).Draw(t, "removed before them"))
			}
		}
		members := s.write(t, store, owner)
		position := rapid.Custom(func(t *rapid.T) string {
			bucket := rapid.IntRange(0, len(s.members)-1).Draw(t, "bucket")
			return s.at(bucket, rapid.IntRange(0, s.size-1).Draw(t, "member"))
		})
		for range 10 {
			r := Range{Limit: rapid.IntRange(0, 100).Draw(t, "limit"), Backward: rapid.Bool().Draw(t, "backward")}
			if rapid.Bool().Draw(t, "after a position") {
				r.After, r.Far = position.Draw(t, "after"), true
			}
			if rapid.Bool().Draw(t, "before a position") {
				r.Before = position.Draw(t, "before")
			}
			if r.Empty() {
				continue
			}
			from, end := sort.SearchStrings(members, hbase.Next(r.After)), len(members)
			if r.Before != "" {
				end = sort.SearchStrings(members, r.Before)
			}
			in := members[from:end]
			store.reads = nil
			pages, err := list.Page(ctx, []PageKey{{owner, &r}})
			if err != nil {
				t.Fatal(err)
			}
			page, want := pages[0], in[:min(r.Limit, len(in))]
			if r.Backward { // the page may be short
				if want = in[len(in)-min(len(page.Members), len(in)):]; len(want) == 0 && r.Limit > 0 {
					want = in
				}
			} else if page.HasNext != (len(in) > r.Limit) {
				t.Fatalf("%+v: HasNext %v, members in the range: %d", r, page.HasNext, len(in))
			}
			if diff := cmp.Diff(append([]string{}, want...), append([]string{}, page.Members...)); diff != "" {
				t.Fatalf("%+v (-want +got):\n%s", r, diff)
			}
			buckets := s.within(r)
			if most := 2*bits.Len(uint(buckets)) + buckets/listscan.MaxWidth + 3; len(store.reads) > most {
				t.Fatalf("%+v of %d buckets took %d rounds, want at most %d", r, buckets, len(store.reads), most)
			}
			rounds, gets, read := 0, 0, 0
			for _, o := range list.PageShapes(r, r.After == "", half) {
				if gets += o.Gets; !o.SameRound {
					rounds += o.Rounds
				}
			}
			for _, n := range store.reads {
				read += n
			}
			if full && (len(store.reads) > rounds || read > gets) {
				t.Fatalf("%+v took %d rounds and %d Gets, declared: %d and %d", r, len(store.reads), read, rounds, gets)
			}
		}
	})
}

func TestBackwardPageReadsItsEndOnly(t *testing.T) {
	for _, test := range []struct {
		name   string
		list   sparse
		before string
		want   string
		reads  []int
		large  []int // if large
	}{
		{"a short list in one round", sparse{size: 255, members: []int{255}}, "", "m000254", []int{2}, []int{2, 1}},
		{"a long bucket in a second round", sparse{size: 256, members: []int{256}}, "", "m000255",
			[]int{2, 1}, []int{2, 1, 1}},
		{"before the start of a bucket", sparse{size: 4, members: []int{4, 4, 4}}, "m000008", "m000007",
			[]int{2, 1}, []int{2, 1, 1}},
		{"before the first member of a bucket whose start was removed",
			sparse{size: 4, members: []int{4, 4, 2}, removed: []int{0, 0, 2}}, "m000010", "m000007",
			[]int{2, 1, 1, 1}, []int{2, 1, 1, 1, 1}},
	} {
		for name, list := range map[string]List[string]{"": UserRoles, ", large": largeRoles()} {
			t.Run(test.name+name, func(t *testing.T) {
				store, reads := &counting{Store: openStore(t)}, test.reads
				if list.of.MaxMember > 0 {
					reads = test.large
				}
				test.list.write(t, store, "LiLei")
				r := Range{Limit: 1, Before: test.before, Backward: true}
				pages, err := list.Page(With(t.Context(), store), []PageKey{{"LiLei", &r}})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]string{test.want}, pages[0].Members); diff != "" {
					t.Errorf("members (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(reads, store.reads); diff != "" {
					t.Errorf("Gets by round (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func largeRoles() List[string] {
	of := *tables.UserRoles
	of.MaxMember = 1 << 20
	return list("largeRoles", &of)
}

func TestBackwardPageReadsChangedMembersAgain(t *testing.T) {
	list, s := largeRoles(), sparse{size: 300, members: []int{300}}
	role := func(i int) hbase.Cell { return list.of.Cell(s.at(0, i), 1) }
	row := list.of.Row("LiLei", 0)
	for _, test := range []struct {
		name   string
		change hbase.Mutation
		want   []string
		reads  []int
	}{
		{"the end is removed", hbase.DeleteCells(list.of.Table, row, role(297), role(298), role(299)),
			[]string{s.at(0, 295), s.at(0, 296)}, []int{2, 1, 1, 1}},
		{"a member of the end is removed", hbase.DeleteCells(list.of.Table, row, role(298)),
			[]string{s.at(0, 297), s.at(0, 299)}, []int{2, 1, 1}},
		{"a member is added", hbase.Put{Table: list.of.Table, Row: row, Cells: []hbase.Cell{list.of.Cell(s.at(0, 298)+"x", 1)}},
			[]string{s.at(0, 298) + "x", s.at(0, 299)}, []int{2, 1, 1, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			counted := &counting{Store: openStore(t)}
			store := &changing{Store: counted}
			s.write(t, store, "LiLei")
			store.after = map[int]func(){2: func() { put(t, store.Store, test.change) }}
			pages, err := list.Page(With(t.Context(), store), []PageKey{{"LiLei", &Range{Limit: 2, Backward: true}}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, pages[0].Members); diff != "" || !pages[0].HasPrevious {
				t.Errorf("HasPrevious %v, members (-want +got):\n%s", pages[0].HasPrevious, diff)
			}
			if diff := cmp.Diff(test.reads, counted.reads); diff != "" {
				t.Errorf("Gets by round (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPageReadsMoreSparseBucketsEachRound(t *testing.T) {
	const buckets = 400
	for _, test := range []struct {
		name    string
		every   int // every n-th bucket has a member
		of      Range
		members int
		reads   []int
	}{
		{"20 members, one per bucket", 1, Range{Limit: 20}, 20, []int{1, 2, 4, 8, 6}},
		{"100 members, one per bucket", 1, Range{Limit: 100}, 100, []int{1, 2, 4, 8, 16, 32, 32, 6}},
		{"20 members, one per 10 buckets", 10, Range{Limit: 20}, 20,
			[]int{1, 2, 4, 8, 6, 1, 32, 32, 32, 32, 32, 16, 16}},
		{"all members, one per 10 buckets", 10, Range{Limit: 100}, 40,
			[]int{1, 2, 4, 8, 16, 32, 32, 6, 1, 32, 32, 32, 32, 32, 32, 32, 32, 1, 32, 11}},
		{"the only member, before bucket 1", buckets, Range{Limit: 20, Before: "m000004"}, 1, []int{1}},
		{"the only member, before bucket 3", buckets, Range{Limit: 20, Before: "m000012"}, 1, []int{1, 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			store, s := &counting{Store: openStore(t)}, sparse{size: 4, members: make([]int, buckets)}
			for b := 0; b < buckets; b += test.every {
				s.members[b] = 1
			}
			s.write(t, store, "LiLei")
			pages, err := UserRoles.Page(With(t.Context(), store), []PageKey{{"LiLei", &test.of}})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(pages[0].Members); got != test.members {
				t.Errorf("got %d members, want %d", got, test.members)
			}
			if diff := cmp.Diff(test.reads, store.reads); diff != "" {
				t.Errorf("Gets by round (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPageTakesFewRoundsWhereverItBegins(t *testing.T) {
	const members, bucket = 300, 3
	startsOf := func(members int) (starts []int) {
		for start := bucket; start < members; start += bucket {
			starts = append(starts, start)
		}
		return starts
	}
	starts := startsOf(members)
	at := func(i int) string { return tables.Followers.Position(follower(i)) }
	emptied := func(first, end int) []bool {
		empty := make([]bool, len(starts)+1)
		for i := first; i < end; i++ {
			empty[i] = true
		}
		return empty
	}
	allBut := func(bucket int) []bool {
		empty := emptied(0, len(starts)+1)
		empty[bucket] = false
		return empty
	}
	none, all := emptied(0, 0), emptied(0, len(starts)+1)
	for _, test := range []struct {
		name    string
		empty   []bool
		of      Range
		members int
		reads   []int64
	}{
		{"in bucket 0", none, Range{Limit: 2}, 2, []int64{1}},
		{"in bucket 0 and the next", none, Range{Limit: 5}, 5, []int64{1, 1}},
		{"in three buckets", none, Range{Limit: 8}, 8, []int64{1, 2}},
		{"after bucket 0", none, Range{After: at(2), Limit: 2}, 2, []int64{1, 1}},
		{"inside a bucket that the first read finds", none, Range{After: at(4), Limit: 2}, 2, []int64{1, 2}},
		{"in the last bucket that the first read finds", none, Range{After: at(10), Limit: 2}, 2, []int64{1, 1, 2}},
		{"deep in the list", none, Range{After: at(202), Limit: 2}, 2, []int64{1, 1, 2}},
		{"deep in the list, in many buckets", none, Range{After: at(202), Limit: 9}, 9, []int64{1, 1, 2, 2}},
		{"the last member", none, Range{After: at(298), Limit: 2}, 1, []int64{1, 1, 1}},
		{"after the last member", none, Range{After: at(299), Limit: 2}, 0, []int64{1, 1, 1}},
		{"after bucket 0, far", none, Range{After: at(2), Limit: 2, Far: true}, 2, []int64{2, 1}},
		{"in bucket 0, far", none, Range{After: at(0), Limit: 1, Far: true}, 1, []int64{2}},
		{"deep in the list, far", none, Range{After: at(202), Limit: 2, Far: true}, 2, []int64{2, 2}},
		{"after the last member, far", none, Range{After: at(299), Limit: 2, Far: true}, 0, []int64{2, 1}},
		{"deep in the list, far, in many buckets", none, Range{After: at(202), Limit: 9, Far: true}, 9, []int64{2, 2, 1, 2}},
		{"in a list of one bucket, far", none[:1], Range{After: at(1), Limit: 2, Far: true}, 1, []int64{2}},
		{"backward", none, Range{Limit: 2, Backward: true}, 2, []int64{2, 1}},
		{"in a list of one bucket, backward", none[:1], Range{Limit: 2, Backward: true}, 2, []int64{2}},
		{"bucket 0 is empty", emptied(0, 1), Range{Limit: 2}, 2, []int64{1, 2}},
		{"ten buckets are empty", emptied(1, 11), Range{Limit: 5}, 5, []int64{1, 1, 2, 1, 8}},
		{"ten buckets deep in the list are empty", emptied(50, 60), Range{After: at(148), Limit: 2}, 2,
			[]int64{1, 1, 2, 2, 4, 8}},
		{"all of forty buckets are empty", all[:40], Range{Limit: 20}, 0, []int64{1, 2, 4, 8, 7, 1, 18}},
		{"all buckets are empty", all, Range{Limit: 2}, 0, []int64{1, 2, 1, 1, 8, 16, 32, 32, 8}},
		{"the last bucket is empty, backward", emptied(99, 100), Range{Limit: 2, Backward: true}, 2, []int64{2, 1, 1, 1}},
		{"all but bucket 5 are empty, backward", allBut(5), Range{Limit: 2, Backward: true}, 2,
			[]int64{2, 1, 1, 1, 2, 4, 8, 16, 32, 32, 1}},
		{"all but bucket 0 are empty, backward", allBut(0), Range{Limit: 2, Backward: true}, 2,
			[]int64{2, 1, 1, 1, 2, 4, 8, 16, 32, 32, 4, 1}},
		{"all but bucket 0 are empty, backward to a position", allBut(0), Range{Limit: 2, After: at(277), Backward: true}, 0,
			[]int64{2, 1, 1, 1, 2, 4}},
		{"all buckets are empty, backward", all, Range{Limit: 2, Backward: true}, 0,
			[]int64{2, 1, 1, 1, 2, 4, 8, 16, 32, 32, 4}},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := openStore(t)
			members := bucket * len(test.empty)
			starts := startsOf(members)
			remove(t, store, "hub", followers(t, store, "hub", members, starts, false), starts, test.empty)
			ctx := With(hbase.WithStats(t.Context(), new(hbase.Stats)), store)
			rounds := Trace(ctx, func(context.Context) string { return "f" })
			pages, err := Followers.Page(ctx, []PageKey{{"hub", &test.of}})
			if err != nil {
				t.Fatal(err)
			}
			var reads []int64
			for _, r := range rounds() {
				reads = append(reads, r.Stats.Gets.Load())
			}
			if got := len(pages[0].Members); got != test.members {
				t.Errorf("got %d members, want %d", got, test.members)
			}
			if diff := cmp.Diff(test.reads, reads); diff != "" {
				t.Errorf("Gets by round (-want +got):\n%s", diff)
			}
		})
	}
}
