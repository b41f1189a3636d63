package loaders

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"twibase/hbase"
	"twibase/hbase/embedded"
	"twibase/hbase/tables"
)

func openStore(t testing.TB) hbase.Store {
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
	return store
}

func put(t rapid.TB, store hbase.Store, puts ...hbase.Mutation) {
	errs, err := store.Mutate(context.Background(), puts)
	if err != nil || errs != nil {
		t.Fatal(err, errs)
	}
}

// followers writes a list of n followers of the owner, and returns their names in the list's order.
// Sealed buckets start at the given members. During a split, bucket 0 still has copies of bucket 1.
func followers(t rapid.TB, store hbase.Store, owner string, n int, starts []int, splitting bool) []string {
	var all []tables.Follow
	for i := range n {
		all = append(all, follower(i))
	}
	l := tables.Followers
	row0 := hbase.Put{Table: l.Table, Row: l.Row(owner, 0)}
	var rows []hbase.Mutation
	bucket, start := uint32(0), 0
	for _, stop := range append(starts, n) {
		row := hbase.Put{Table: l.Table, Row: l.Row(owner, bucket)}
		for _, f := range all[start:stop] {
			row.Cells = append(row.Cells, l.Cell(f, 1))
		}
		if bucket == 0 {
			row0.Cells = append(row0.Cells, row.Cells...)
		} else {
			b := tables.Bucket{Number: bucket, Start: l.Position(all[start])}
			if stop < n {
				b.Stop = l.Position(all[stop])
			}
			row0.Cells = append(row0.Cells, l.BucketCell(b, 1))
			rows = append(rows, row)
			if splitting && bucket == 1 {
				row0.Cells = append(row0.Cells, row.Cells...)
			}
		}
		bucket, start = bucket+1, stop
	}
	if len(row0.Cells) > 0 {
		put(t, store, append(rows, row0)...)
	}
	names := make([]string, n)
	for i, f := range all {
		names[i] = f.Username
	}
	return names
}

// remove removes all members of some buckets of the owner's list, also their copies in bucket 0,
// and returns the names of the other members.
func remove(t rapid.TB, store hbase.Store, owner string, all []string, starts []int, empty []bool) (others []string) {
	others, l, start := []string{}, tables.Followers, 0
	for bucket, stop := range append(slices.Clone(starts), len(all)) {
		for i := start; i < stop; i++ {
			if !empty[bucket] {
				others = append(others, all[i])
				continue
			}
			member := []hbase.Deletion{
				{Kind: hbase.AllVersions, Family: l.Family, Qualifier: l.Position(follower(i)), Timestamp: 1}}
			for _, row := range []uint32{0, uint32(bucket)} {
				put(t, store, hbase.Delete{Table: l.Table, Row: l.Row(owner, row), Columns: member})
			}
		}
		start = stop
	}
	return others
}

// follower is the i-th follower of a list. Three follow at each time.
func follower(i int) tables.Follow {
	return tables.Follow{Username: fmt.Sprintf("u%05d", i), At: time.UnixMilli(int64(1_000_000 - i/3)).UTC()}
}

func names(p Page[tables.Follow]) []string {
	list := []string{}
	for _, f := range p.Members {
		list = append(list, f.Username)
	}
	return list
}

func TestPagesOfRandomBuckets(t *testing.T) {
	store, owners := openStore(t), 0
	rapid.Check(t, func(t *rapid.T) {
		owners++
		owner := fmt.Sprintf("owner%d", owners)
		n := rapid.IntRange(0, 40).Draw(t, "members")
		var starts []int
		for start := 0; start < n; {
			start += rapid.IntRange(1, 12).Draw(t, "bucket size")
			if start < n && rapid.Bool().Draw(t, "split") {
				starts = append(starts, start)
			}
		}
		all := followers(t, store, owner, n, starts, rapid.Bool().Draw(t, "splitting"))
		empty := rapid.SliceOfN(rapid.Bool(), len(starts)+1, len(starts)+1).Draw(t, "empty buckets")
		want := remove(t, store, owner, all, starts, empty)
		n = len(want)
		limit := rapid.IntRange(1, 9).Draw(t, "limit")
		far := rapid.Bool().Draw(t, "far")
		ctx := With(context.Background(), store)
		page := func(r Range) Page[tables.Follow] {
			pages, err := Followers.Page(ctx, []PageKey{{owner, r}})
			if err != nil {
				t.Fatal(err)
			}
			if len(pages[0].Members) > limit {
				t.Fatalf("got %d members, want at most %d", len(pages[0].Members), limit)
			}
			return pages[0]
		}

		forward := []string{}
		for r := (Range{Limit: limit, Far: far}); ; {
			p := page(r)
			forward = append(forward, names(p)...)
			if !p.HasNext {
				break
			}
			if len(p.Members) != limit {
				t.Fatalf("HasNext is true after %d of %d members", len(p.Members), limit)
			}
			r.After = p.Positions[limit-1]
		}
		if diff := cmp.Diff(want, forward); diff != "" {
			t.Fatalf("forward, starts %v (-want +got):\n%s", starts, diff)
		}

		backward := []string{}
		for r := (Range{Limit: limit, Backward: true}); ; {
			p := page(r)
			backward = append(names(p), backward...)
			if !p.HasPrevious || len(p.Members) == 0 {
				break
			}
			r.Before = p.Positions[0]
		}
		if diff := cmp.Diff(want, backward); diff != "" {
			t.Fatalf("backward, starts %v (-want +got):\n%s", starts, diff)
		}

		if n > 1 {
			i := rapid.IntRange(0, n-2).Draw(t, "after")
			bounded, after := []string{}, pageOf(t, ctx, owner, Range{Limit: n}).Positions[i]
			for r := (Range{After: after, Limit: limit, Backward: true}); ; {
				p := page(r)
				bounded = append(names(p), bounded...)
				if !p.HasPrevious || len(p.Members) == 0 {
					break
				}
				r.Before = p.Positions[0]
			}
			if diff := cmp.Diff(want[i+1:], bounded); diff != "" {
				t.Fatalf("backward to a position, starts %v (-want +got):\n%s", starts, diff)
			}
		}

		if n > 2 {
			i := rapid.IntRange(0, n-2).Draw(t, "after")
			j := rapid.IntRange(i+1, n-1).Draw(t, "before")
			all := pageOf(t, ctx, owner, Range{Limit: n})
			p := pageOf(t, ctx, owner, Range{After: all.Positions[i], Before: all.Positions[j], Limit: n})
			if diff := cmp.Diff(want[i+1:j], names(p)); diff != "" && j > i+1 {
				t.Fatalf("between two positions, starts %v (-want +got):\n%s", starts, diff)
			}
			for _, backward := range []bool{false, true} {
				crossed := pageOf(t, ctx, owner,
					Range{After: all.Positions[j], Before: all.Positions[i], Limit: n, Backward: backward})
				if len(crossed.Members) > 0 {
					t.Fatalf("got %v between positions in the wrong order, want no members", names(crossed))
				}
			}
			keys := []MemberKey{{owner, all.Positions[i]}, {owner, all.Positions[j] + "x"}, {owner, all.Positions[j]}}
			members, err := Followers.Members(ctx, keys)
			if err != nil {
				t.Fatal(err)
			}
			got := []Member[tables.Follow]{{all.Members[i], true}, {}, {all.Members[j], true}}
			if diff := cmp.Diff(got, members); diff != "" {
				t.Fatalf("Members, starts %v (-want +got):\n%s", starts, diff)
			}
		}
	})
}

func pageOf(t rapid.TB, ctx context.Context, owner string, r Range) Page[tables.Follow] {
	pages, err := Followers.Page(ctx, []PageKey{{owner, r}})
	if err != nil {
		t.Fatal(err)
	}
	return pages[0]
}

func TestForgetSendsReadsAgain(t *testing.T) {
	stats := new(hbase.Stats)
	ctx := With(hbase.WithStats(t.Context(), stats), &slow{})
	for _, want := range []int64{1, 1, 2} {
		if want == 2 {
			Forget(ctx)
		}
		if _, err := Users.Load(ctx, []Row{{Key: "LiLei", Columns: "i:name"}}); err != nil {
			t.Fatal(err)
		}
		if got := stats.Rounds.Load(); got != want {
			t.Errorf("got %d rounds, want %d", got, want)
		}
	}
}
