package feeds_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/writers/feeds"
)

// A death before a call is the same as a death after the previous call.
type failure int

const (
	diesAfter             failure = iota
	diesAppliedAfterOther         // after another gateway continued the job
	failsThenApplied              // after the error; the gateway lives
	failsApplied
	fails
	diesInPart      // half of the mutations are applied
	diesThenApplied // after the death, before another gateway continues the job
	failures
)

func (f failure) String() string {
	return [...]string{
		"dies after", "dies, applied after another gateway", "fails, applied later", "fails, applied", "fails",
		"dies in part", "dies, applied later",
	}[f]
}

func (f failure) kinds() (reads []bool) {
	if f == diesAfter || f == fails { // for reads, the other failures equal these two
		return []bool{false, true}
	}
	return []bool{false}
}

func (f failure) dies() bool { return f != failsThenApplied && f != failsApplied && f != fails }

var each = flag.Bool("each", false, "try each failure at each call, for each call with concurrent writes")

// A batch of 2 has some of a follower's 3 twits, a batch of 3 all. step is the distance between
// failing calls.
func batchSizesAndFailures() (batchSizes []int, step int, of failure) {
	switch {
	case *each:
		return []int{2, 3}, 1, failures
	case os.Getenv("CI") != "":
		return []int{2, 3}, 5, failures
	}
	return []int{3}, 11, failsApplied
}

var errDead = errors.New("the gateway is dead")

// failingStore calls concurrent at one call, and fails there or later.
type failingStore struct {
	hbase.Store
	concurrent func()
	// concurrentAt counts all calls. From there on, failAt counts only reads or only writes,
	// because their order varies.
	concurrentAt, failAt int
	reads                bool
	failure              failure

	mu           sync.Mutex
	calls, since int
	failed, dead bool
	late         func()
}

func (s *failingStore) call(writes bool, do func(part bool) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return errDead
	}
	if s.calls == s.concurrentAt {
		s.concurrent()
	}
	s.calls++
	if s.calls <= s.concurrentAt || writes == s.reads {
		return do(false)
	}
	if s.since++; s.since-1 != s.failAt {
		return do(false)
	}
	s.failed, s.dead = true, s.failure.dies()
	switch s.failure {
	case diesThenApplied, diesAppliedAfterOther, failsThenApplied:
		s.late = func() { _ = do(false) }
	case diesAfter, failsApplied:
		_ = do(false)
	case diesInPart:
		_ = do(true)
	}
	return errors.Join(errDead, hbase.ErrUnavailable)
}

func (s *failingStore) Get(ctx context.Context, gets []hbase.Get) (results []hbase.Result, err error) {
	err = s.call(false, func(bool) (err error) {
		results, err = s.Store.Get(ctx, gets)
		return err
	})
	return results, err
}

func (s *failingStore) Mutate(ctx context.Context, mutations []hbase.Mutation) (errs []error, err error) {
	err = s.call(true, func(part bool) (err error) {
		if part {
			mutations = mutations[:len(mutations)/2]
		}
		errs, err = s.Store.Mutate(ctx, mutations)
		return err
	})
	return errs, err
}

func (s *failingStore) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (done bool, err error) {
	err = s.call(true, func(bool) (err error) {
		done, err = s.Store.CheckAndPut(ctx, check, put)
		return err
	})
	return done && err == nil, err
}

type scenario struct {
	name        string
	begin       func(fx *fixture) []*tables.Twit
	concurrent  []func(fx *fixture, twits []*tables.Twit)
	broadcaster bool
}

const limit = 10

func deleteNewest(fx *fixture, twits []*tables.Twit) { fx.delete(twits[len(twits)-1]) }

func unfollow(fx *fixture, _ []*tables.Twit) {
	fx.unfollow("Lucy")
	fx.putJob(tables.Unfollowed, "Lucy", "")
}

func follow(fx *fixture, _ []*tables.Twit) {
	fx.follow("late")
	fx.putJob(tables.Followed, "late", "")
}

// A slow clock makes the follower the last of the running job.
func followAsLast(fx *fixture, _ []*tables.Twit) {
	fx.followAt("late", time.Unix(1, 0))
	fx.putJob(tables.Followed, "late", "")
}

func sweep(fx *fixture, _ []*tables.Twit) { fx.sweep(fx.gateway(feeds.Options{Limit: limit})) }

func scenarios() (all []scenario) {
	for name, begin := range map[string]func(fx *fixture) []*tables.Twit{
		"posted": func(fx *fixture) []*tables.Twit {
			fx.follow("Lily", "Lucy", "Zoe")
			return []*tables.Twit{fx.post("x")}
		},
		"followed": func(fx *fixture) (twits []*tables.Twit) {
			fx.follow("Lily")
			for _, name := range numbered("t", 3) {
				twits = append(twits, fx.post(name))
			}
			fx.sweep(fx.gateway(feeds.Options{}))
			fx.follow("Lucy")
			fx.putJob(tables.Followed, "Lucy", "")
			return twits
		},
		"returned": func(fx *fixture) (twits []*tables.Twit) {
			fx.follow("Lily", "Lucy", "Zoe")
			fx.write(tables.Broadcasters.Put(author, tables.Merged, 1))
			for _, name := range numbered("t", 3) {
				twits = append(twits, fx.addTwit(name))
			}
			fx.putJob(tables.Returned, "", "")
			return twits
		},
	} {
		for others, concurrent := range map[string][]func(fx *fixture, twits []*tables.Twit){
			"unfollows":                     {unfollow, sweep},
			"deletes and unfollows":         {deleteNewest, unfollow, sweep},
			"unfollows, then deletes":       {unfollow, sweep, deleteNewest, sweep},
			"deletes, then follows":         {deleteNewest, sweep, follow, sweep},
			"deletes, then follows as last": {deleteNewest, sweep, followAsLast, sweep},
		} {
			all = append(all, scenario{name + " while another user " + others, begin, concurrent, false})
		}
		if name == "returned" {
			all = append(all, broadcasterScenarios(begin)...)
		}
	}
	return all
}

func TestNothingIsLeftOverOrMissingAfterFailures(t *testing.T) {
	batchSizes, step, failures := batchSizesAndFailures()
	for _, c := range scenarios() {
		for _, batchSize := range batchSizes {
			t.Run(fmt.Sprintf("%s, in batches of %d", c.name, batchSize), func(t *testing.T) {
				runs := 0
				for at, calls := 0, 0; at <= calls; at++ {
					for failure := range failures {
						for _, reads := range failure.kinds() {
							for failAt, failed := at%step, true; failed; failAt += step {
								s := &failingStore{concurrentAt: at, failAt: failAt, reads: reads, failure: failure}
								if c.run(t, s, batchSize); t.Failed() {
									t.Fatalf("concurrent writes at call %d; at call %d after it (reads: %t) the gateway %s",
										at, failAt, reads, failure)
								}
								failed, calls = s.failed, s.calls // the last run has no failure
								runs++
							}
						}
					}
				}
				t.Logf("%d runs", runs)
			})
		}
	}
}

func (c scenario) run(t *testing.T, s *failingStore, batchSize int) {
	fx := fixtureOver(t, openStore(t))
	defer fx.Close()
	twits := c.begin(fx)
	s.Store = fx.Store
	s.concurrent = func() {
		began := fx.tick()
		other := &fixture{T: t, Store: s.Store, now: began, jobs: 100}
		for _, do := range c.concurrent {
			do(other, twits)
		}
		fx.advance(other.now.Sub(began))
	}
	fx.Store = s
	o := feeds.Options{Limit: limit, BatchSize: batchSize}
	f := fx.gateway(o)
	for range 2 {
		_ = f.Sweep(t.Context())
	}
	fx.advance(time.Minute)
	_ = f.Sweep(t.Context())
	fx.Store = s.Store
	if s.late != nil && s.failure != diesAppliedAfterOther {
		s.late()
	}
	for range 2 {
		fx.advance(2 * time.Minute)
		fx.sweep(fx.gateway(o))
		if s.late != nil {
			s.late()
		}
	}
	fx.wantComplete(c.broadcaster)
	if c.broadcaster {
		loseFans(fx)
		endQuarantine(fx, nil)
		fx.wantComplete(false)
	}
}

// If broadcaster is true, a broadcaster's twits may be missing.
func (fx *fixture) wantComplete(broadcaster bool) {
	fx.Helper()
	merged := broadcaster && fx.authorState() != tables.Pushed
	for _, name := range []string{"Lily", "Lucy", "Zoe", "late", fans[0]} {
		var want []string
		related, _, err := tables.Follows.Decode(fx.cells(tables.Follows.Get(name, author)))
		all := hbase.Page{Stop: tables.MembersEnd}
		posted, _, decodeErr := tables.Twits.Decode(author, fx.cells(tables.Twits.Get(author, 0, all)))
		if err := errors.Join(err, decodeErr); err != nil {
			fx.Fatal(err)
		}
		got := fx.timeline(name)
		for _, twit := range posted {
			if related && (!merged || slices.Contains(got, twit.Name)) {
				want = append(want, twit.Name)
			}
		}
		if !slices.Equal(got, want) {
			fx.Errorf("got %q in the timeline of %s, want %q", got, name, want)
		}
	}
	if n, state := fx.openJobs(), fx.authorState(); n != 0 || !merged && state != tables.Pushed {
		fx.Errorf("got author state %q with %d jobs, want 0 jobs", state, n)
	}
}
