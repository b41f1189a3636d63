package transfer

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Whoever has more followers than the limit when a twit comes is a broadcaster from then on: timelines keep what they have.
func TestAnImportMakesBroadcastersOfThoseWithTooManyFollowers(t *testing.T) {
	store := openStore(t)
	load := func(files map[string]string) {
		t.Helper()
		if _, err := ImportFiles(t.Context(), store, csvFiles(files), Options{FanoutLimit: 2}); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, broadcasters []string, timelines map[string]int) {
		t.Helper()
		cells, err := hbase.GetAll(t.Context(), store, []hbase.Get{tables.Broadcasters.Get()})
		if err != nil {
			t.Fatal(err)
		}
		got, err := tables.Broadcasters.Decode(cells[0])
		if diff := cmp.Diff(broadcasters, got); diff != "" || err != nil {
			t.Errorf("%s: the broadcasters, error %v (-want +got):\n%s", what, err, diff)
		}
		for owner, n := range timelines {
			if got := members(t, store, tables.Timelines, owner); len(got) != n {
				t.Errorf("%s: the timeline of %s has %q, want %d entries", what, owner, got, n)
			}
		}
	}
	load(map[string]string{
		"users":   people("star", "idol", "a", "b", "c", "d"),
		"follows": "follower,followee\na,star\nb,star\na,idol\nb,idol\nc,idol\n",
		"twits":   "id,author,posted_at,content,photo_urls\ns1,star,2020-01-01T00:00:00Z,x,\ni1,idol,2020-01-02T00:00:00Z,x,\n",
	})
	check("as many followers as the limit are not too many", []string{"idol"}, map[string]int{"a": 1, "b": 1, "c": 0})
	load(map[string]string{"follows": "follower,followee\nc,star\nd,idol\n"})
	check("a new follower gets what the others have", []string{"idol"}, map[string]int{"a": 1, "b": 1, "c": 1, "d": 0})
	load(map[string]string{"twits": "id,author,posted_at,content,photo_urls\ns2,star,2020-01-03T00:00:00Z,x,\ni2,idol,2020-01-04T00:00:00Z,x,\n"})
	check("the first twit beyond the limit", []string{"idol", "star"}, map[string]int{"a": 1, "b": 1, "c": 1, "d": 0})
}

func TestAnImportMakesOnlySoManyBroadcasters(t *testing.T) {
	store := openStore(t)
	room := tables.MaxBroadcasters*9/10 - 1 // for one more
	for i := range room {
		put := tables.Broadcasters.Put(fmt.Sprint("b", i), tables.Merged, 1)
		if errs, err := store.Mutate(t.Context(), []hbase.Mutation{put}); errs != nil || err != nil {
			t.Fatal(errs, err)
		}
	}
	_, err := ImportFiles(t.Context(), store, csvFiles(map[string]string{
		"users":   people("star", "idol", "a", "b"),
		"follows": "follower,followee\na,star\nb,star\na,idol\nb,idol\n",
		"twits":   "id,author,posted_at,content,photo_urls\ns1,star,2020-01-01T00:00:00Z,x,\ni1,idol,2020-01-02T00:00:00Z,x,\n",
	}), Options{FanoutLimit: 1})
	if err != nil {
		t.Fatal(err)
	}
	cells, err := hbase.GetAll(t.Context(), store, []hbase.Get{tables.Broadcasters.Get()})
	if err != nil {
		t.Fatal(err)
	}
	if are, err := tables.Broadcasters.Decode(cells[0]); len(are) != room+1 || err != nil {
		t.Errorf("there are %q, %v", are, err)
	}
	for _, owner := range []string{"a", "b"} {
		if got := members(t, store, tables.Timelines, owner); len(got) != 1 {
			t.Errorf("the timeline of %s has %q", owner, got)
		}
	}
}
