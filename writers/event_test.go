package writers

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func events(t *testing.T, store hbase.Store, username string) (list []string) {
	t.Helper()
	get := func(l *tables.AnyList) []hbase.Cell {
		cells, err := hbase.GetOne(t.Context(), store, l.Get(username, 0, hbase.Page{}))
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(cells)
		return cells
	}
	deletions, _, err := tables.TwitDeletions.Decode(username, get(&tables.TwitDeletions.AnyList))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range deletions {
		_, name, _ := d.Twit.Parts()
		list = append(list, fmt.Sprint("deleted ", name, " ", d.Visibility))
	}
	changes, _, err := tables.FollowerChanges.Decode(username, get(&tables.FollowerChanges.AnyList))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		list = append(list, fmt.Sprint(c.Follower, " ", c.Added))
	}
	return list
}

func TestChangesAreStoredAsEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, store := t.Context(), openStore(t)
		defer store.Close()
		mustMutate(t, store, importedUsers("a", "b", "c")...)
		w := New(store, Options{})
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		var twits []*tables.Twit
		for i, visibility := range []tables.Visibility{tables.Public, tables.FollowersOnly, tables.Public} {
			key := fmt.Sprint(i)
			k, err := w.PostTwit(ctx, "a", NewTwit{Content: key, Visibility: visibility, IdempotencyKey: &key})
			must(err)
			at, name, _ := k.Parts()
			twits = append(twits, &tables.Twit{AuthorName: "a", PostedAt: at, Name: name, Visibility: visibility})
		}
		for range 2 {
			must(w.Relate(ctx, tables.Follows, "b", "a"))
			must(w.Relate(ctx, tables.Follows, "c", "a"))
		}
		for range 2 {
			must(w.Unrelate(ctx, tables.Follows, "b", "a"))
			must(w.DeleteTwit(ctx, twits[0]))
			must(w.DeleteTwit(ctx, twits[1]))
		}
		must(w.DeleteUser(ctx, "c"))
		time.Sleep(time.Minute)
		want := []string{
			fmt.Sprint("deleted ", twits[0].Name, " PUBLIC"), fmt.Sprint("deleted ", twits[1].Name, " FOLLOWERS"),
			"b true", "c true", "b false", "c false",
		}
		if got := events(t, store, "a"); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		must(w.Relate(ctx, tables.Follows, "b", "a"))
		must(w.DeleteUser(ctx, "a"))
		w.Close(ctx)
		if got := events(t, store, "a"); !slices.Equal(got, append(want, "b true")) {
			t.Errorf("after the deletion of the user: got %q, want %q", got, append(want, "b true"))
		}
		time.Sleep(tables.EventsKept + 2*time.Hour)
		if got := events(t, store, "a"); got != nil {
			t.Errorf("after more than a day: got %q, want none", got)
		}
	})
}

// Only the clearing of the twit's lists needs a slot.
func TestEventsNeedNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, store := t.Context(), openStore(t)
		defer store.Close()
		mustMutate(t, store, importedUsers("a")...)
		w := New(store, Options{})
		defer w.Close(ctx)
		w.slots = make(chan struct{})
		k, err := w.PostTwit(ctx, "a", NewTwit{Content: "x", Visibility: tables.Public})
		if err != nil {
			t.Fatal(err)
		}
		at, name, _ := k.Parts()
		if err := w.DeleteTwit(ctx, &tables.Twit{AuthorName: "a", PostedAt: at, Name: name}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := events(t, store, "a"); len(got) != 1 {
			t.Errorf("got %q, want the deletion", got)
		}
	})
}
