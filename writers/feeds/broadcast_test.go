package feeds_test

import (
	"fmt"
	"testing"
	"time"

	"twibase/hbase/tables"
	"twibase/writers"
	"twibase/writers/feeds"
)

func TestBroadcastersAreLimited(t *testing.T) {
	fx := newFixture(t)
	for _, name := range numbered("b", tables.MaxBroadcasters*9/10) {
		fx.write(tables.Broadcasters.Put(name, tables.Merged, 1))
	}
	fx.follow("a", "b")
	f := fx.gateway(feeds.Options{Limit: 1})
	fx.post("x")
	fx.sweep(f)
	fx.wantTimeline("a", "x")
	fx.wantState(tables.Pushed, 0)
	fx.write(tables.Broadcasters.Put("b000", tables.Pushed, 2))
	fx.post("y")
	fx.sweep(f)
	fx.wantTimeline("a", "x")
	fx.wantState(tables.Merged, 0)
}

func TestLateReturnKeepsABroadcasterWithManyFollowers(t *testing.T) {
	fx := newFixture(t)
	fx.follow("a", "b")
	fx.write(tables.Broadcasters.Put(author, tables.Merged, 1))
	fx.putJob(tables.Returned, "", "")
	fx.sweep(fx.gateway(feeds.Options{Limit: 4}))
	fx.wantState(tables.Merged, 0)
}

func TestBroadcasterReturnsBelowHalfOfTheLimit(t *testing.T) {
	for limit := 1; limit <= 4; limit++ {
		for followers := range limit + 1 {
			t.Run(fmt.Sprintf("%d of %d", followers, limit), func(t *testing.T) {
				fx := newFixture(t)
				fx.follow(numbered("f", followers)...)
				fx.write(tables.Broadcasters.Put(author, tables.Merged, 1))
				fx.post("x")
				fx.sweep(fx.gateway(feeds.Options{Limit: limit}))
				_, leaving := fx.authorState().Leaving()
				if want := float64(followers) < float64(limit)/2; leaving != want {
					t.Errorf("got author state %q, want leaving %t", fx.authorState(), want)
				}
			})
		}
	}
}

func TestBroadcasterReturnsWithoutFollowers(t *testing.T) {
	fx := newFixture(t)
	f := fx.gateway(feeds.Options{Limit: 1})
	fx.follow("a", "b")
	fx.post("x")
	fx.sweep(f)
	for i, name := range []string{"a", "b"} {
		fx.unfollow(name)
		fx.putJob(tables.Unfollowed, name, "")
		fx.sweep(f)
		if _, leaving := fx.authorState().Leaving(); leaving != (i == 1) {
			t.Errorf("got author state %q with %d followers left", fx.authorState(), 1-i)
		}
	}
	fx.advance(time.Minute)
	fx.sweep(f)
	fx.wantState(tables.Pushed, 0)
}

// The deletion of a follower stores no job, and a deleted author posts no twit. So only the job of
// the author's deletion ends the author's state.
func TestDeletedBroadcasterReturnsAfterItsFollowersWereDeleted(t *testing.T) {
	fx := newFixture(t)
	fx.now = time.Now()
	f := fx.gateway(feeds.Options{Limit: 1})
	change := func(do func(*writers.Writers) error) {
		t.Helper()
		ws := writers.New(fx, writers.Options{})
		if err := do(ws); err != nil {
			t.Fatal(err)
		}
		ws.Close(t.Context())
		fx.sweep(f)
		fx.advance(time.Minute)
		fx.sweep(f)
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
	if fx.authorState() != tables.Merged {
		t.Fatal(fx.authorState())
	}
	for i, name := range append(fans, author) {
		change(func(ws *writers.Writers) error { return ws.DeleteUser(t.Context(), name) })
		fx.wantState([]tables.Broadcast{tables.Merged, tables.Merged, tables.Pushed}[i], 0)
	}
}

func TestAuthorDeletedBeforeTheTransitionIsNoBroadcaster(t *testing.T) {
	fx := newFixture(t)
	fx.now = time.Now()
	store, ws := fx.Store, writers.New(fx, writers.Options{})
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
	ws.Close(t.Context())
	sweep := func(fx *fixture) { fx.sweep(fx.gateway(feeds.Options{Limit: 1})) }
	deleted := false
	fx.Store = aroundTransition{store, func() {
		if deleted {
			return
		}
		deleted = true
		ws := writers.New(store, writers.Options{})
		if err := ws.DeleteUser(t.Context(), author); err != nil {
			t.Fatal(err)
		}
		ws.Close(t.Context())
		sweep(&fixture{T: t, Store: store, now: time.Now()})
	}, func() {}}
	sweep(fx)
	fx.Store = store
	fx.advance(time.Minute)
	sweep(fx)
	if !deleted {
		t.Error("no transition")
	}
	fx.wantState(tables.Pushed, 0)
}
