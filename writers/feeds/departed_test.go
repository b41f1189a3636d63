package feeds_test

import (
	"testing"
	"time"

	"twibase/hbase/tables"
	"twibase/writers"
	"twibase/writers/feeds"
)

// Whose followers were all deleted has lost them without a job, and posts nothing any more.
func TestABroadcasterWhoIsDeletedIsNoneThoughTheFollowersWereDeletedBefore(t *testing.T) {
	w := newWorld(t)
	w.now = time.Now()
	f := w.gateway(feeds.Options{Limit: 1})
	// change has some writes done, and all that follows from them.
	change := func(do func(*writers.Writers) error) {
		t.Helper()
		ws := writers.New(w, writers.Options{})
		if err := do(ws); err != nil {
			t.Fatal(err)
		}
		ws.Close(t.Context())
		w.sweep(f)
		w.later(time.Minute)
		w.sweep(f)
	}
	fans := []string{"Lily", "Lucy"}
	change(func(ws *writers.Writers) error {
		for _, name := range append(fans, author) {
			if _, err := ws.CreateUser(t.Context(), author, writers.NewUser{Username: name, Name: name}, nil); err != nil {
				return err
			}
		}
		for _, name := range fans {
			if err := ws.Relate(t.Context(), tables.Follows, name, author); err != nil {
				return err
			}
		}
		_, err := ws.PostTwit(t.Context(), author, writers.NewTwit{Content: "Hi", Visibility: tables.Public})
		return err
	})
	if w.state() != tables.Merged {
		t.Fatal(w.state())
	}
	for i, name := range append(fans, author) {
		change(func(ws *writers.Writers) error { return ws.DeleteUser(t.Context(), name) })
		if want := []tables.Broadcast{tables.Merged, tables.Merged, tables.Pushed}[i]; w.state() != want || w.open() != 0 {
			t.Errorf("%s is deleted: %s, with %d jobs, want %s", name, w.state(), w.open(), want)
		}
	}
}

// Who makes an author a broadcaster may be held up until that one, and all who followed, are gone, and found no broadcaster.
func TestAnAuthorWhoIsDeletedWhileATwitFindsManyFollowersIsNoBroadcaster(t *testing.T) {
	w := newWorld(t)
	w.now = time.Now()
	store, ws := w.Store, writers.New(w, writers.Options{})
	for _, name := range []string{author, "Lily", "Lucy"} {
		if _, err := ws.CreateUser(t.Context(), author, writers.NewUser{Username: name, Name: name}, nil); err != nil {
			t.Fatal(err)
		}
		if name == author {
			continue
		}
		if err := ws.Relate(t.Context(), tables.Follows, name, author); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ws.PostTwit(t.Context(), author, writers.NewTwit{Content: "Hi", Visibility: tables.Public}); err != nil {
		t.Fatal(err)
	}
	ws.Close(t.Context()) // waits for the effects that add the jobs
	sweeps := func(w *world) { w.sweep(w.gateway(feeds.Options{Limit: 1})) }
	deleted := false
	w.Store = outrun{store, func() {
		if deleted {
			return
		}
		deleted = true
		ws := writers.New(store, writers.Options{})
		if err := ws.DeleteUser(t.Context(), author); err != nil {
			t.Fatal(err)
		}
		ws.Close(t.Context())
		sweeps(&world{T: t, Store: store, now: time.Now()})
	}, func() {}}
	sweeps(w)
	w.Store = store
	w.later(time.Minute)
	sweeps(w)
	if !deleted || w.state() != tables.Pushed || w.open() != 0 {
		t.Errorf("deleted %v: %s, with %d jobs", deleted, w.state(), w.open())
	}
}
