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

// followers writes a list of n followers of the owner, cut into sealed buckets at the given
// members, and returns their names in the list's order. Bucket 0 still holds the members of the
// newest sealed bucket, as it does while they move.
func followers(t rapid.TB, store hbase.Store, owner string, n int, cuts []int, moving bool) []string {
	var all []tables.Follow
	for i := range n {
		all = append(all, follower(i))
	}
	l := tables.Followers
	row0 := hbase.Put{Table: l.Table, Row: l.Row(owner, 0)}
	var rows []hbase.Mutation
	bucket, start := uint32(0), 0
	for _, cut := range append(cuts, n) {
		row := hbase.Put{Table: l.Table, Row: l.Row(owner, bucket)}
		for _, f := range all[start:cut] {
			row.Cells = append(row.Cells, l.Cell(f, 1))
		}
		if bucket == 0 {
			row0.Cells = append(row0.Cells, row.Cells...)
		} else {
			b := tables.Bucket{Number: bucket, Start: l.Position(all[start])}
			if cut < n {
				b.Stop = l.Position(all[cut])
			}
			row0.Cells = append(row0.Cells, l.BucketCell(b, 1))
			rows = append(rows, row)
			if moving && bucket == 1 {
				row0.Cells = append(row0.Cells, row.Cells...)
			}
		}
		bucket, start = bucket+1, cut
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

// leave takes all members out of some buckets of the owner's list, and returns the names of the
// others. In bucket 0 a member that moved is taken out with that of its bucket.
func leave(t rapid.TB, store hbase.Store, owner string, all []string, cuts []int, left []bool) (stay []string) {
	stay, l, start := []string{}, tables.Followers, 0
	for bucket, cut := range append(slices.Clone(cuts), len(all)) {
		for i := start; i < cut; i++ {
			if !left[bucket] {
				stay = append(stay, all[i])
				continue
			}
			gone := []hbase.Deletion{{Kind: hbase.AllVersions, Family: l.Family, Qualifier: l.Position(follower(i)), Timestamp: 1}}
			for _, row := range []uint32{0, uint32(bucket)} {
				put(t, store, hbase.Delete{Table: l.Table, Row: l.Row(owner, row), Columns: gone})
			}
		}
		start = cut
	}
	return stay
}

// follower is the i-th follower of a list, three of each time.
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

func TestAListIsPagedFromBothEndsWhateverItsBuckets(t *testing.T) {
	store, owners := openStore(t), 0
	rapid.Check(t, func(t *rapid.T) {
		owners++
		owner := fmt.Sprintf("owner%d", owners)
		n := rapid.IntRange(0, 40).Draw(t, "members")
		var cuts []int
		for cut := 0; cut < n; {
			cut += rapid.IntRange(1, 12).Draw(t, "bucket size")
			if cut < n && rapid.Bool().Draw(t, "cut") {
				cuts = append(cuts, cut)
			}
		}
		left := rapid.SliceOfN(rapid.Bool(), len(cuts)+1, len(cuts)+1).Draw(t, "buckets that all members left")
		want := leave(t, store, owner, followers(t, store, owner, n, cuts, rapid.Bool().Draw(t, "moving")), cuts, left)
		n = len(want)
		limit := rapid.IntRange(1, 9).Draw(t, "limit")
		far := rapid.Bool().Draw(t, "far")
		ctx := With(context.Background(), store)
		page := func(w Range) Page[tables.Follow] {
			pages, err := Followers.Page(ctx, []PageKey{{owner, w}})
			if err != nil {
				t.Fatal(err)
			}
			if len(pages[0].Members) > limit {
				t.Fatalf("a page of %d has %d members", limit, len(pages[0].Members))
			}
			return pages[0]
		}

		forward := []string{}
		for w := (Range{Limit: limit, Far: far}); ; {
			p := page(w)
			forward = append(forward, names(p)...)
			if !p.HasNext {
				break
			}
			if len(p.Members) != limit {
				t.Fatalf("a page that is not the last has %d of %d members", len(p.Members), limit)
			}
			w.After = p.Positions[limit-1]
		}
		if diff := cmp.Diff(want, forward); diff != "" {
			t.Fatalf("forwards, cuts %v (-want +got):\n%s", cuts, diff)
		}

		backward := []string{}
		for w := (Range{Limit: limit, Backward: true}); ; {
			p := page(w)
			backward = append(names(p), backward...)
			if !p.HasPrevious || len(p.Members) == 0 {
				break
			}
			w.Before = p.Positions[0]
		}
		if diff := cmp.Diff(want, backward); diff != "" {
			t.Fatalf("backwards, cuts %v (-want +got):\n%s", cuts, diff)
		}

		if n > 1 {
			i := rapid.IntRange(0, n-2).Draw(t, "behind which")
			bounded, after := []string{}, page2(t, ctx, owner, Range{Limit: n}).Positions[i]
			for w := (Range{After: after, Limit: limit, Backward: true}); ; {
				p := page(w)
				bounded = append(names(p), bounded...)
				if !p.HasPrevious || len(p.Members) == 0 {
					break
				}
				w.Before = p.Positions[0]
			}
			if diff := cmp.Diff(want[i+1:], bounded); diff != "" {
				t.Fatalf("backwards to a position, cuts %v (-want +got):\n%s", cuts, diff)
			}
		}

		if n > 2 {
			i := rapid.IntRange(0, n-2).Draw(t, "after")
			j := rapid.IntRange(i+1, n-1).Draw(t, "before")
			all := page2(t, ctx, owner, Range{Limit: n})
			p := page2(t, ctx, owner, Range{After: all.Positions[i], Before: all.Positions[j], Limit: n})
			if diff := cmp.Diff(want[i+1:j], names(p)); diff != "" && j > i+1 {
				t.Fatalf("between two positions, cuts %v (-want +got):\n%s", cuts, diff)
			}
			for _, backward := range []bool{false, true} {
				crossed := page2(t, ctx, owner, Range{After: all.Positions[j], Before: all.Positions[i], Limit: n, Backward: backward})
				if len(crossed.Members) > 0 {
					t.Fatalf("between two positions that are the wrong way round is %v", names(crossed))
				}
			}
			keys := []MemberKey{{owner, all.Positions[i]}, {owner, all.Positions[j] + "x"}, {owner, all.Positions[j]}}
			members, err := Followers.Members(ctx, keys)
			if err != nil {
				t.Fatal(err)
			}
			got := []Member[tables.Follow]{{all.Members[i], true}, {}, {all.Members[j], true}}
			if diff := cmp.Diff(got, members); diff != "" {
				t.Fatalf("single members, cuts %v (-want +got):\n%s", cuts, diff)
			}
		}
	})
}

func page2(t rapid.TB, ctx context.Context, owner string, w Range) Page[tables.Follow] {
	pages, err := Followers.Page(ctx, []PageKey{{owner, w}})
	if err != nil {
		t.Fatal(err)
	}
	return pages[0]
}

func TestForgottenReadsAreSentAgain(t *testing.T) {
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
			t.Errorf("%d rounds, want %d", got, want)
		}
	}
}
