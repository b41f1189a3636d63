package feeds_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/tablestest"
	"twibase/transfer/check"
	"twibase/writers"
	"twibase/writers/feeds"
)

type trimFixture struct {
	*testing.T
	hbase.Store
	w *writers.Writers
	f *feeds.Feeds
}

func newTrimFixture(t *testing.T) trimFixture {
	t.Helper()
	store := newStore(t)
	fx := trimFixture{t, store, writers.New(store, writers.Options{}), feeds.New(store, feeds.Options{TimelineBound: 10})}
	for _, name := range []string{"a", "b", "gina"} {
		_, err := fx.w.CreateUser(t.Context(), "boss", writers.NewUser{Username: name, Name: name}, nil)
		fx.must(err)
	}
	for _, author := range []string{"a", "b"} {
		fx.must(fx.w.Relate(t.Context(), tables.Follows, "gina", author))
	}
	fx.runJobs()
	return fx
}

func (fx trimFixture) must(err error) {
	fx.Helper()
	if err != nil {
		fx.Fatal(err)
	}
}

func (fx trimFixture) runJobs() {
	fx.Helper()
	tablestest.AwaitNoIntents(fx.T, fx.Store)
	fx.must(fx.f.Sweep(fx.Context()))
}

func (fx trimFixture) post(author string, n int) {
	fx.Helper()
	for i := range n {
		_, err := fx.w.PostTwit(fx.Context(), author, writers.NewTwit{Content: fmt.Sprint(i), Visibility: tables.Public})
		fx.must(err)
		fx.runJobs()
		time.Sleep(2 * time.Millisecond)
	}
}

func (fx trimFixture) want(a, b int) {
	fx.Helper()
	results, err := fx.Get(fx.Context(), []hbase.Get{tables.Timelines.Get("gina", 0, hbase.Page{})})
	fx.must(err)
	keys, _, err := tables.Timelines.Decode("gina", results[0].Cells)
	fx.must(err)
	of := map[string]int{}
	for _, key := range keys {
		of[key.Author]++
	}
	if of["a"] != a || of["b"] != b {
		fx.Errorf("got %d entries of a and %d of b, want %d and %d", of["a"], of["b"], a, b)
	}
	checker := check.Checker{Store: fx.Store, TimelineBound: 10, Report: func(b check.Violation) { fx.Error(b) }}
	fx.must(checker.Run(fx.Context()))
}

func TestTrimmedTimelineHasNoViolation(t *testing.T) {
	t.Run("after an unfollow", func(t *testing.T) {
		fx := newTrimFixture(t)
		fx.post("a", 10)
		fx.post("b", 10)
		fx.want(0, 10)
		fx.must(fx.w.Unrelate(t.Context(), tables.Follows, "gina", "b"))
		fx.runJobs()
		fx.want(0, 0)
		fx.post("a", 3)
		fx.want(3, 0)
		fx.must(fx.w.Relate(t.Context(), tables.Follows, "gina", "b"))
		fx.runJobs()
		fx.want(3, 7)
	})
	t.Run("after a deletion", func(t *testing.T) {
		fx := newTrimFixture(t)
		fx.post("a", 5)
		fx.post("b", 10)
		fx.want(0, 10)
		fx.deleteNewest("b")
		fx.want(0, 9)
	})
	t.Run("after a follow of an author with more twits than the bound", func(t *testing.T) {
		fx := newTrimFixture(t)
		fx.must(fx.w.Unrelate(t.Context(), tables.Follows, "gina", "a"))
		fx.runJobs()
		fx.post("a", 15)
		fx.must(fx.w.Relate(t.Context(), tables.Follows, "gina", "a"))
		fx.runJobs()
		fx.want(10, 0)
		fx.deleteNewest("a")
		fx.want(9, 0)
	})
}

func (fx trimFixture) deleteNewest(author string) {
	fx.Helper()
	results, err := fx.Get(fx.Context(), []hbase.Get{tables.Twits.Get(author, 0, hbase.Page{Limit: 1})})
	fx.must(err)
	twits, _, err := tables.Twits.Decode(author, results[0].Cells)
	fx.must(err)
	fx.must(fx.w.DeleteTwit(fx.Context(), twits[0]))
	fx.runJobs()
}

type afterEntries struct {
	hbase.Store
	do func()
}

func (s *afterEntries) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	errs, err := s.Store.Mutate(ctx, mutations)
	if table, _ := mutations[0].At(); table == tables.Timelines.Table && s.do != nil {
		do := s.do
		s.do = nil
		do()
	}
	return errs, err
}

func TestTimelineSinceIsStoredAlthoughATwitIsDeletedDuringDelivery(t *testing.T) {
	const bound = 5
	fx := newFixture(t)
	names := []string{"Lily", "Lucy", "Zoe"}
	fx.follow(names...)
	fx.write(tables.Broadcasters.Put(author, tables.Merged, 1))
	var twits []*tables.Twit
	for _, name := range numbered("t", 9) {
		twits = append(twits, fx.addTwit(name))
	}
	fx.putJob(tables.Returned, "", "")
	store := fx.Store
	fx.Store = &afterEntries{store, func() {
		other := &fixture{T: t, Store: store, now: fx.tick(), jobs: 100}
		other.delete(twits[8])
	}}
	fx.sweep(fx.gateway(feeds.Options{BatchSize: bound, TimelineBound: bound}))
	for _, name := range names {
		since, trimmed, err := tables.DecodeTimelineSince(fx.cells(tables.TimelineSince(name)))
		fx.wantTimeline(name, "t007", "t006", "t005", "t004")
		if !trimmed || err != nil || !since.Equal(twits[4].PostedAt) {
			t.Errorf("got timelineSince %v (%t) of %s, error %v; want %v", since, trimmed, name, err, twits[4].PostedAt)
		}
	}
}
