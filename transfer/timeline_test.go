package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/check"
)

func TestImportMakesAuthorsAboveTheLimitBroadcasters(t *testing.T) {
	store := openStore(t)
	load := func(files map[string]string) {
		t.Helper()
		if _, err := ImportFiles(t.Context(), store, csvFiles(files), Options{FanoutLimit: 2}); err != nil {
			t.Fatal(err)
		}
	}
	check := func(name string, broadcasters []string, timelines map[string]int) {
		t.Helper()
		cells, err := hbase.GetAll(t.Context(), store, []hbase.Get{tables.Broadcasters.Get()})
		if err != nil {
			t.Fatal(err)
		}
		got, err := tables.Broadcasters.Decode(cells[0])
		if diff := cmp.Diff(broadcasters, got); diff != "" || err != nil {
			t.Errorf("%s: broadcasters, error %v (-want +got):\n%s", name, err, diff)
		}
		for owner, n := range timelines {
			if got := members(t, store, tables.Timelines, owner); len(got) != n {
				t.Errorf("%s: got %q in the timeline of %s, want %d entries", name, got, owner, n)
			}
		}
	}
	load(map[string]string{
		"users":   people("star", "idol", "a", "b", "c", "d"),
		"follows": "follower,followee\na,star\nb,star\na,idol\nb,idol\nc,idol\n",
		"twits":   twitHeader + "s1,star,2020-01-01T00:00:00Z,x,\ni1,idol,2020-01-02T00:00:00Z,x,\n",
	})
	check("at the limit", []string{"idol"}, map[string]int{"a": 1, "b": 1, "c": 0})
	load(map[string]string{"follows": "follower,followee\nc,star\nd,idol\n"})
	check("a new follower gets the twits of the others", []string{"idol"}, map[string]int{"a": 1, "b": 1, "c": 1, "d": 0})
	load(map[string]string{"twits": twitHeader + "s2,star,2020-01-03T00:00:00Z,x,\ni2,idol,2020-01-04T00:00:00Z,x,\n"})
	check("the first twit above the limit", []string{"idol", "star"}, map[string]int{"a": 1, "b": 1, "c": 1, "d": 0})
}

func TestImportLimitsBroadcasters(t *testing.T) {
	store := openStore(t)
	room := tables.MaxBroadcasters*9/10 - 1
	for i := range room {
		put := tables.Broadcasters.Put(fmt.Sprint("b", i), tables.Merged, 1)
		if errs, err := store.Mutate(t.Context(), []hbase.Mutation{put}); errs != nil || err != nil {
			t.Fatal(errs, err)
		}
	}
	_, err := ImportFiles(t.Context(), store, csvFiles(map[string]string{
		"users":   people("star", "idol", "a", "b"),
		"follows": "follower,followee\na,star\nb,star\na,idol\nb,idol\n",
		"twits":   twitHeader + "s1,star,2020-01-01T00:00:00Z,x,\ni1,idol,2020-01-02T00:00:00Z,x,\n",
	}), Options{FanoutLimit: 1})
	if err != nil {
		t.Fatal(err)
	}
	cells, err := hbase.GetAll(t.Context(), store, []hbase.Get{tables.Broadcasters.Get()})
	if err != nil {
		t.Fatal(err)
	}
	if authors, err := tables.Broadcasters.Decode(cells[0]); len(authors) != room+1 || err != nil {
		t.Errorf("got broadcasters %q, error %v; want %d", authors, err, room+1)
	}
	for _, owner := range []string{"a", "b"} {
		if got := members(t, store, tables.Timelines, owner); len(got) != 1 {
			t.Errorf("got %q in the timeline of %s, want one entry", got, owner)
		}
	}
}

// Concurrent batches may add an author more than once.
func TestBroadcastersCountAnAuthorOnce(t *testing.T) {
	for _, state := range []tables.Broadcast{tables.Pushed, tables.Leaving(tables.NewOp(time.UnixMilli(1), 1))} {
		cells := tables.Broadcasters.Put("star", state, 1).Cells
		last := tables.MaxBroadcasters*9/10 - 1
		if state != tables.Pushed {
			last-- // star is counted
		}
		for i := range last {
			cells = append(cells, tables.Broadcasters.Put(fmt.Sprint("b", i), tables.Merged, 1).Cells...)
		}
		var b broadcasters
		if err := b.load(cells); err != nil {
			t.Fatal(err)
		}
		first, ok := b.add("star")
		again, okAgain := b.add("star")
		if diff := cmp.Diff(first, again); diff != "" || !ok || !okAgain {
			t.Errorf("%s: added %v, again %v (-first +again):\n%s", state, ok, okAgain, diff)
		}
		if _, ok := b.add("idol"); ok != (state != tables.Pushed) {
			t.Errorf("%s: got idol added %v after %d authors", state, ok, b.count)
		}
	}
}

type failingPuts struct {
	hbase.Store
	is func(hbase.Cell) bool
}

func (s failingPuts) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	for _, m := range mutations {
		if put, ok := m.(hbase.Put); ok && slices.ContainsFunc(put.Cells, s.is) {
			return nil, errDead
		}
	}
	return s.Store.Mutate(ctx, mutations)
}

func trimsTimeline(c hbase.Cell) bool { return c.Qualifier == tables.SinceColumn }

func TestImportTrimsTimelinesOfAnInterruptedOne(t *testing.T) {
	users := people("star", "a", "b")
	follows := "follower,followee\na,star\nb,a\n"
	twits := twitHeader + "s1,star,2020-01-01T00:00:00Z,x,\ns2,star,2020-01-02T00:00:00Z,x,\n" +
		"s3,star,2020-01-03T00:00:00Z,x,\n"
	for _, test := range []struct {
		name                string
		before, interrupted map[string]string
	}{
		{"of all", nil, map[string]string{"users": users, "follows": follows, "twits": twits}},
		{"of twits", map[string]string{"users": users, "follows": follows}, map[string]string{"twits": twits}},
		{"of follows", map[string]string{"users": users, "twits": twits}, map[string]string{"follows": follows}},
	} {
		for _, between := range []string{"nothing", "a repair", "other data"} {
			t.Run(test.name+", "+between+" in between", func(t *testing.T) {
				store := openStore(t)
				load := func(store hbase.Store, contents map[string]string) error {
					files, err := memoryFiles(csvFiles(contents))
					if err != nil {
						t.Fatal(err)
					}
					im, err := newImporter(t.Context(), store, files, Options{})
					if err != nil {
						t.Fatal(err)
					}
					im.rebuilder.TimelineBound = 2
					return im.run(t.Context())
				}
				if err := load(store, test.before); err != nil {
					t.Fatal(err)
				}
				if err := load(failingPuts{store, trimsTimeline}, test.interrupted); !errors.Is(err, errDead) {
					t.Fatal(err)
				}
				switch between {
				case "a repair":
					if _, err := (check.Checker{Store: store, TimelineBound: 2}).RepairAll(t.Context()); err != nil {
						t.Fatal(err)
					}
				case "other data":
					if err := load(store, map[string]string{"users": people("other")}); err != nil {
						t.Fatal(err)
					}
				}
				if err := load(store, test.interrupted); err != nil {
					t.Fatal(err)
				}
				if got := members(t, store, tables.Timelines, "a"); len(got) != 2 {
					t.Errorf("got %d entries, want 2", len(got))
				}
				cells, err := hbase.GetAll(t.Context(), store, []hbase.Get{tables.TimelineSince("a")})
				if err != nil {
					t.Fatal(err)
				}
				want := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
				since, trimmed, err := tables.DecodeTimelineSince(cells[0])
				if !trimmed || !since.Equal(want) || err != nil {
					t.Errorf("got timelineSince %v (%t), error %v; want %v", since, trimmed, err, want)
				}
			})
		}
	}
}
