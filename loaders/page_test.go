package loaders

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func TestAPageReadsNoMoreRowsAtOnceThanItNeeds(t *testing.T) {
	const members, bucket = 300, 3
	cutting := func(members int) (cuts []int) {
		for cut := bucket; cut < members; cut += bucket {
			cuts = append(cuts, cut)
		}
		return cuts
	}
	cuts := cutting(members)
	at := func(i int) string { return tables.Followers.Position(follower(i)) }
	from := func(first, end int) []bool {
		left := make([]bool, len(cuts)+1)
		for i := first; i < end; i++ {
			left[i] = true
		}
		return left
	}
	others := func(bucket int) []bool {
		left := from(0, len(cuts)+1)
		left[bucket] = false
		return left
	}
	nobody, everybody := from(0, 0), from(0, len(cuts)+1)
	for _, test := range []struct {
		name   string
		left   []bool // by bucket
		window Range
		names  int
		reads  []int64 // of each round
	}{
		{"of bucket 0", nobody, Range{Limit: 2}, 2, []int64{1}},
		{"of bucket 0 and the next", nobody, Range{Limit: 5}, 5, []int64{1, 1}},
		{"of three buckets", nobody, Range{Limit: 8}, 8, []int64{1, 2}},
		{"behind the end of bucket 0", nobody, Range{After: at(2), Limit: 2}, 2, []int64{1, 1}},
		{"behind a position in the midst of a bucket that the page of bucket 0 names", nobody, Range{After: at(4), Limit: 2}, 2, []int64{1, 2}},
		{"behind one of the last that it names", nobody, Range{After: at(10), Limit: 2}, 2, []int64{1, 1, 2}},
		{"behind one deep in the list", nobody, Range{After: at(202), Limit: 2}, 2, []int64{1, 1, 2}},
		{"behind one deep in the list, of many buckets", nobody, Range{After: at(202), Limit: 9}, 9, []int64{1, 1, 2, 2}},
		{"behind the last member but one", nobody, Range{After: at(298), Limit: 2}, 1, []int64{1, 1, 1}},
		{"behind the last member", nobody, Range{After: at(299), Limit: 2}, 0, []int64{1, 1, 1}},
		{"behind the end of bucket 0, which may be far", nobody, Range{After: at(2), Limit: 2, Far: true}, 2, []int64{2, 1}},
		{"behind a position of bucket 0, which may be far", nobody, Range{After: at(0), Limit: 1, Far: true}, 1, []int64{2}},
		{"behind one that is far", nobody, Range{After: at(202), Limit: 2, Far: true}, 2, []int64{2, 2}},
		{"behind the last member, which is far", nobody, Range{After: at(299), Limit: 2, Far: true}, 0, []int64{2, 1}},
		{"behind one that is far, of many buckets", nobody, Range{After: at(202), Limit: 9, Far: true}, 9, []int64{2, 2, 1, 2}},
		{"of a list that is not as long", nobody[:1], Range{After: at(1), Limit: 2, Far: true}, 1, []int64{2}},
		{"from the end", nobody, Range{Limit: 2, Backward: true}, 2, []int64{2, 1}},
		{"of a list of one bucket, from the end", nobody[:1], Range{Limit: 2, Backward: true}, 2, []int64{2}},
		{"all members of bucket 0 left", from(0, 1), Range{Limit: 2}, 2, []int64{1, 2}},
		{"all of ten buckets left", from(1, 11), Range{Limit: 5}, 5, []int64{1, 1, 2, 1, 8}},
		{"all of ten buckets deep in the list left", from(50, 60), Range{After: at(148), Limit: 2}, 2, []int64{1, 1, 2, 2, 4, 8}},
		{"all of forty buckets left", everybody[:40], Range{Limit: 20}, 0, []int64{1, 2, 4, 8, 7, 1, 18}},
		{"all left", everybody, Range{Limit: 2}, 0, []int64{1, 2, 1, 1, 8, 16, 32, 32, 8}},
		{"all of the last bucket left, from the end", from(99, 100), Range{Limit: 2, Backward: true}, 2, []int64{2, 1, 1, 1}},
		{"all but those of bucket 5 left, from the end", others(5), Range{Limit: 2, Backward: true}, 2, []int64{2, 1, 1, 1, 2, 4, 8, 16, 32, 32, 1}},
		{"all but those of bucket 0 left, from the end", others(0), Range{Limit: 2, Backward: true}, 2, []int64{2, 1, 1, 1, 2, 4, 8, 16, 32, 32, 4, 1}},
		{"all but those of bucket 0 left, from the end to a position", others(0), Range{Limit: 2, After: at(277), Backward: true}, 0, []int64{2, 1, 1, 1, 2, 4}},
		{"all left, from the end", everybody, Range{Limit: 2, Backward: true}, 0, []int64{2, 1, 1, 1, 2, 4, 8, 16, 32, 32, 4}},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := openStore(t)
			members := bucket * len(test.left)
			cuts := cutting(members)
			leave(t, store, "hub", followers(t, store, "hub", members, cuts, false), cuts, test.left)
			ctx := With(hbase.WithStats(t.Context(), new(hbase.Stats)), store)
			rounds := Trace(ctx, func(context.Context) string { return "f" })
			pages, err := Followers.Page(ctx, []PageKey{{"hub", test.window}})
			if err != nil {
				t.Fatal(err)
			}
			var reads []int64
			for _, r := range rounds() {
				reads = append(reads, r.Stats.Gets.Load())
			}
			if diff := cmp.Diff(test.reads, reads); diff != "" || len(pages[0].Members) != test.names {
				t.Errorf("it has %d members, by reads (-want +got):\n%s", len(pages[0].Members), diff)
			}
		})
	}
}
