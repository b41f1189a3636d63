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

// starts are the first members of named buckets. If splitting is true, bucket 0 still has copies of
// bucket 1.
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

// Three followers each have the same time.
func follower(i int) tables.Follow {
	return tables.Follow{Username: fmt.Sprintf("u%05d", i), At: time.UnixMilli(int64(1_000_000 - i/3)).UTC()}
}

func names(follows []tables.Follow) []string {
	list := []string{}
	for _, f := range follows {
		list = append(list, f.Username)
	}
	return list
}

func pageOf[E any](t rapid.TB, ctx context.Context, l List[E], owner string, r Range) Page[E] {
	t.Helper()
	pages, err := l.Page(ctx, []PageKey{{owner, &r}})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(pages[0].Members); n > r.Limit {
		t.Fatalf("got %d members, want at most %d", n, r.Limit)
	}
	return pages[0]
}

func readForward[E any](t rapid.TB, ctx context.Context, l List[E], owner string, r Range) (members []E) {
	t.Helper()
	for {
		p := pageOf(t, ctx, l, owner, r)
		members = append(members, p.Members...)
		if !p.HasNext {
			return members
		}
		if len(p.Members) != r.Limit {
			t.Fatalf("HasNext is true after %d of %d members", len(p.Members), r.Limit)
		}
		r.After = p.Positions[r.Limit-1]
	}
}

func readBackward[E any](t rapid.TB, ctx context.Context, l List[E], owner string, r Range) (members []E) {
	t.Helper()
	r.Backward = true
	for {
		p := pageOf(t, ctx, l, owner, r)
		members = append(slices.Clone(p.Members), members...)
		if !p.HasPrevious || len(p.Members) == 0 {
			return members
		}
		r.Before = p.Positions[0]
	}
}

func TestPagesOfRandomBucketsAreCorrect(t *testing.T) {
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
		check := func(what string, want []string, got []tables.Follow) {
			t.Helper()
			if diff := cmp.Diff(want, names(got)); diff != "" {
				t.Fatalf("%s, starts %v (-want +got):\n%s", what, starts, diff)
			}
		}

		ctx := With(context.Background(), store)
		limit := rapid.IntRange(1, 9).Draw(t, "limit")
		far := rapid.Bool().Draw(t, "far")
		check("forward", want, readForward(t, ctx, Followers, owner, Range{Limit: limit, Far: far}))
		check("backward", want, readBackward(t, ctx, Followers, owner, Range{Limit: limit}))
		if n < 2 {
			return
		}
		i := rapid.IntRange(0, n-2).Draw(t, "after")
		j := rapid.IntRange(i+1, n-1).Draw(t, "before")
		list := pageOf(t, ctx, Followers, owner, Range{Limit: n})
		after, before := list.Positions[i], list.Positions[j]
		check("backward to a position", want[i+1:],
			readBackward(t, ctx, Followers, owner, Range{After: after, Limit: limit}))
		check("between two positions", want[i+1:j],
			pageOf(t, ctx, Followers, owner, Range{After: after, Before: before, Limit: n}).Members)
		for _, backward := range []bool{false, true} {
			crossed := Range{After: before, Before: after, Limit: n, Backward: backward}
			check("positions in the wrong order", []string{}, pageOf(t, ctx, Followers, owner, crossed).Members)
		}
		members, err := Followers.Members(ctx, []MemberKey{{owner, after}, {owner, before + "x"}, {owner, before}})
		if err != nil {
			t.Fatal(err)
		}
		wantMembers := []Member[tables.Follow]{{list.Members[i], true}, {}, {list.Members[j], true}}
		if diff := cmp.Diff(wantMembers, members); diff != "" {
			t.Fatalf("Members, starts %v (-want +got):\n%s", starts, diff)
		}
	})
}

func TestForgetSendsReadsAgain(t *testing.T) {
	stats := new(hbase.Stats)
	ctx := With(hbase.WithStats(t.Context(), stats), &slow{})
	for _, want := range []int64{1, 1, 2} {
		if want == 2 {
			Forget(ctx)
		}
		if _, err := Users.Load(ctx, []ObjectKey{{Key: "LiLei", Columns: "i:name"}}); err != nil {
			t.Fatal(err)
		}
		if got := stats.Rounds.Load(); got != want {
			t.Errorf("got %d rounds, want %d", got, want)
		}
	}
}
