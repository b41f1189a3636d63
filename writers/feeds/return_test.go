package feeds_test

import (
	"context"
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/writers/feeds"
)

var fans = numbered("m", limit)

func becomeBroadcaster(fx *fixture, _ []*tables.Twit) {
	fx.follow(fans...)
	fx.putJob(tables.Followed, fans[0], "")
	fx.post("many")
	sweep(fx, nil)
}

func loseFans(fx *fixture) {
	related, _, err := tables.Follows.Decode(fx.cells(tables.Follows.Get(fans[0], author)))
	if related && err == nil {
		for _, name := range fans {
			fx.unfollow(name)
		}
		fx.putJob(tables.Unfollowed, fans[0], "")
	}
	fx.post("few")
}

// endQuarantine also runs deferred jobs.
func endQuarantine(fx *fixture, _ []*tables.Twit) {
	for range 2 {
		fx.advance(time.Minute)
		sweep(fx, nil)
	}
}

type losesPushed struct{ hbase.Store }

func (s losesPushed) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (bool, error) {
	done, err := s.Store.CheckAndPut(ctx, check, put)
	if put.Table == tables.Broadcasters.Table && string(put.Cells[0].Value) == string(tables.Pushed) {
		return false, hbase.ErrUnavailable
	}
	return done, err
}

func dieAfterPushed(fx *fixture, _ []*tables.Twit) {
	fx.advance(10 * time.Second)
	sweep(fx, nil)
	fx.advance(time.Minute)
	store := fx.Store
	fx.Store = losesPushed{store}
	_ = fx.gateway(feeds.Options{Limit: limit}).Sweep(fx.Context())
	fx.Store = store
}

func broadcasterScenarios(begin func(fx *fixture) []*tables.Twit) []scenario {
	type steps = []func(*fixture, []*tables.Twit)
	return []scenario{
		{"returned while many users follow", begin, steps{becomeBroadcaster}, true},
		{"returned by two gateways while many users follow", begin, steps{dieAfterPushed, becomeBroadcaster}, true},
	}
}

func TestRemainingReturnLosesNoTwitOfALaterBroadcaster(t *testing.T) {
	fx := newFixture(t)
	fx.follow("Lily")
	fx.write(tables.Broadcasters.Put(author, tables.Merged, 1))
	fx.post("first")
	dieAfterPushed(fx, nil)
	fx.wantTimeline("Lily", "first")
	fx.wantState(tables.Pushed, 1)
	becomeBroadcaster(fx, nil)
	endQuarantine(fx, nil)
	fx.wantTimeline("Lily", "first")
	fx.wantState(tables.Merged, 0)
	loseFans(fx)
	sweep(fx, nil)
	fx.wantTimeline("Lily", "few", "many", "first")
}

type aroundTransition struct {
	hbase.Store
	before, after func()
}

func (s aroundTransition) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (bool, error) {
	if put.Table == tables.Broadcasters.Table {
		s.before()
		defer s.after()
	}
	return s.Store.CheckAndPut(ctx, check, put)
}

func TestAuthorReturnsIfAnotherGatewayRunsTheJobBeforeTheTransition(t *testing.T) {
	fx := newFixture(t)
	store := fx.Store
	fx.follow("Lily")
	fx.write(tables.Broadcasters.Put(author, tables.Merged, 1))
	fx.addTwit("first")
	fx.putJob(tables.Returned, "", "")
	const transition = 2 // of the job's writes
	dead := &failingStore{Store: store, concurrent: func() {}, failAt: transition, failure: diesThenApplied}
	fx.Store = dead
	_ = fx.gateway(feeds.Options{Limit: limit}).Sweep(t.Context())
	fx.advance(3 * time.Second)
	other := &fixture{T: t, Store: store, now: fx.now.Add(2 * time.Second)}
	fx.Store = aroundTransition{store, dead.late, func() { sweep(other, nil) }}
	sweep(fx, nil)
	fx.Store = store
	endQuarantine(fx, nil)
	fx.wantTimeline("Lily", "first")
	fx.wantState(tables.Pushed, 0)
}

type failingDeletes struct{ hbase.Store }

func (s failingDeletes) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	if _, deletes := mutations[0].(hbase.Delete); deletes {
		return nil, hbase.ErrUnavailable
	}
	return s.Store.Mutate(ctx, mutations)
}

func TestReleasedReturnDeliversIfALateTransitionNamesIt(t *testing.T) {
	fx := newFixture(t)
	store := fx.Store
	fx.follow("Lily")
	fx.write(tables.Broadcasters.Put(author, tables.Merged, 1))
	fx.post("first")
	const transition = 1 // of the job's writes
	dead := &failingStore{Store: store, concurrent: func() {}, failAt: transition, failure: diesThenApplied}
	fx.Store = dead
	_ = fx.gateway(feeds.Options{Limit: limit}).Sweep(t.Context())
	fx.Store = failingDeletes{store}
	fx.follow(fans...)
	fx.advance(10 * time.Second)
	_ = fx.gateway(feeds.Options{Limit: limit}).Sweep(t.Context())
	fx.Store = store
	dead.late()
	if state, n := fx.authorState(), fx.openJobs(); state == tables.Merged || n != 2 {
		t.Fatalf("got author state %q with %d jobs, want leaving with 2", state, n)
	}
	endQuarantine(fx, nil)
	fx.wantTimeline("Lily", "first")
	fx.wantState(tables.Pushed, 0)
}
