package feeds_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/writers/feeds"
	"twibase/writers/outbox"
)

func TestPostDeliversToAllFollowers(t *testing.T) {
	fx := newFixture(t)
	names := numbered("f", 25)
	fx.follow(names...)
	list := fx.cells(tables.Followers.Get(author, 0, hbase.Page{Stop: tables.MembersEnd}))
	directory := tables.Followers.BucketCell(tables.Bucket{Number: 7, Start: list[10].Qualifier}, 1)
	fx.write(
		hbase.Put{Table: tables.Followers.Table, Row: tables.Followers.Row(author, 7), Cells: list[10:]},
		hbase.Put{Table: tables.Followers.Table, Row: tables.Followers.Row(author, 0), Cells: []hbase.Cell{directory}},
	)
	fx.post("a")
	fx.post("b")
	fx.sweep(fx.gateway(feeds.Options{BatchSize: 4}))
	for _, name := range names {
		fx.wantTimeline(name, "b", "a")
	}
	if n := fx.openJobs(); n > 0 {
		t.Errorf("got %d jobs, want 0", n)
	}
}

func TestFollowDeliversAndUnfollowRemoves(t *testing.T) {
	fx := newFixture(t)
	f := fx.gateway(feeds.Options{BatchSize: 2})
	twits := numbered("t", 5)
	for _, name := range twits {
		fx.post(name)
	}
	fx.sweep(f)
	slices.Reverse(twits)
	for i := range 2 {
		fx.follow("Lucy")
		fx.putJob(tables.Followed, "Lucy", "")
		fx.sweep(f)
		fx.wantTimeline("Lucy", twits...)
		name := fmt.Sprint("then", i)
		fx.post(name)
		twits = append([]string{name}, twits...)
		fx.sweep(f)
		fx.wantTimeline("Lucy", twits...)
		fx.unfollow("Lucy")
		fx.putJob(tables.Unfollowed, "Lucy", "")
		fx.sweep(f)
		fx.wantTimeline("Lucy")
	}
}

func TestTimelineKeepsTheNewestTwits(t *testing.T) {
	fx := newFixture(t)
	fx.follow("Lucy")
	const bound = 50
	f := fx.gateway(feeds.Options{TimelineBound: bound, BatchSize: 7})
	var names []string
	for _, name := range numbered("t", 8*bound) {
		fx.post(name)
		fx.sweep(f)
		names = append([]string{name}, names...)
		got := fx.timeline("Lucy")
		if len(got) > 2*bound || len(got) < min(bound, len(names)) || !slices.Equal(got, names[:len(got)]) {
			t.Fatalf("got %q after %d posts", got, len(names))
		}
	}
	fx.follow("小红")
	fx.putJob(tables.Followed, "小红", "")
	fx.sweep(f)
	fx.wantTimeline("小红", names[:bound]...)
}

func TestAuthorBecomesBroadcasterAndReturns(t *testing.T) {
	fx := newFixture(t)
	f := fx.gateway(feeds.Options{Limit: 4, BatchSize: 2})
	fx.follow("a", "b", "c", "d")
	fx.post("pushed")
	fx.sweep(f)
	fx.wantTimeline("a", "pushed")
	fx.follow("e")
	fx.post("merged")
	fx.sweep(f)
	fx.wantTimeline("a", "pushed")
	fx.wantState(tables.Merged, 0)
	for _, name := range []string{"b", "c", "d"} {
		fx.unfollow(name)
	}
	fx.post("some")
	fx.sweep(f)
	fx.wantTimeline("a", "pushed")
	fx.wantState(tables.Merged, 0)
	fx.unfollow("e")
	fx.post("returned")
	fx.sweep(f)
	fx.wantTimeline("a", "returned", "some", "merged", "pushed")
	// A request that read the timeline before may still read broadcasters.
	fx.advance(39 * time.Second)
	fx.sweep(f)
	if _, leaving := fx.authorState().Leaving(); !leaving || fx.openJobs() != 1 || f.Lag() != (outbox.Lag{}) {
		t.Errorf("got author state %q with %d jobs and lag %v, want leaving, 1, none",
			fx.authorState(), fx.openJobs(), f.Lag())
	}
	fx.post("during")
	fx.sweep(f)
	fx.wantTimeline("a", "during", "returned", "some", "merged", "pushed")
	fx.advance(time.Second)
	fx.sweep(fx.gateway(feeds.Options{Limit: 4}))
	fx.wantState(tables.Pushed, 0)
}

type falseOnce struct {
	hbase.Store
	lied bool
}

func (s *falseOnce) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (bool, error) {
	done, err := s.Store.CheckAndPut(ctx, check, put)
	if put.Table == tables.Broadcasters.Table && !s.lied {
		s.lied = true
		return false, err
	}
	return done, err
}

func TestAuthorReturnsAfterLostResponses(t *testing.T) {
	fx := newFixture(t)
	store := fx.Store
	fx.follow("a")
	fx.write(tables.Broadcasters.Put(author, tables.Merged, 1))
	fx.post("x")
	fx.Store = &falseOnce{Store: store}
	fx.sweep(fx.gateway(feeds.Options{Limit: 4}))
	fx.wantTimeline("a", "x")
	fx.advance(time.Minute)
	fx.Store = &falseOnce{Store: store}
	fx.sweep(fx.gateway(feeds.Options{Limit: 4}))
	fx.wantState(tables.Pushed, 0)
}

func TestOrphanedLeavingStateEndsWithTheNextTwit(t *testing.T) {
	fx := newFixture(t)
	fx.follow("a")
	fx.write(tables.Broadcasters.Put(author, tables.Leaving(tables.NewOp(fx.now, 99)), 1))
	fx.post("x")
	f := fx.gateway(feeds.Options{Limit: 4})
	fx.sweep(f)
	fx.wantTimeline("a", "x")
	fx.advance(time.Minute)
	fx.sweep(f)
	fx.wantState(tables.Pushed, 0)
}
