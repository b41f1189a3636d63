package feeds_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/check"
	"twibase/writers"
	"twibase/writers/feeds"
)

// cut is a store whose timelines have a bound of ten, and in which gina follows a and b.
type cut struct {
	*testing.T
	hbase.Store
	w *writers.Writers
	f *feeds.Feeds
}

func newCut(t *testing.T) cut {
	t.Helper()
	store := newStore(t)
	c := cut{t, store, writers.New(store, writers.Options{}), feeds.New(store, feeds.Options{TimelineBound: 10})}
	for _, name := range []string{"a", "b", "gina"} {
		_, err := c.w.CreateUser(t.Context(), "boss", writers.NewUser{Username: name, Name: name}, nil)
		c.does(err)
	}
	for _, author := range []string{"a", "b"} {
		c.does(c.w.Relate(t.Context(), tables.Follows, "gina", author))
	}
	c.settles()
	return c
}

func (c cut) does(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func (c cut) settles() {
	c.Helper()
	for c.w.Counters.Open.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
	c.does(c.f.Sweep(c.Context()))
}

func (c cut) posts(author string, n int) {
	c.Helper()
	for i := range n {
		_, err := c.w.PostTwit(c.Context(), author, writers.NewTwit{Content: fmt.Sprint(i), Visibility: tables.Public})
		c.does(err)
		c.settles()
		time.Sleep(2 * time.Millisecond)
	}
}

// has wants just so many of each author in gina's timeline, and no violation.
func (c cut) has(a, b int) {
	c.Helper()
	results, err := c.Get(c.Context(), []hbase.Get{tables.Timelines.Get("gina", 0, hbase.Page{})})
	c.does(err)
	keys, _, _, err := tables.Timelines.Decode("gina", results[0].Cells)
	c.does(err)
	of := map[string]int{}
	for _, key := range keys {
		of[key.Author]++
	}
	if of["a"] != a || of["b"] != b {
		c.Errorf("the timeline has %d of a and %d of b, and should have %d and %d", of["a"], of["b"], a, b)
	}
	checker := check.Checker{Store: c.Store, TimelineBound: 10, Report: func(b check.Violation) { c.Error(b) }}
	c.does(checker.Run(c.Context()))
}

func TestWhatACutTimelineLosesIsNoBreach(t *testing.T) {
	t.Run("by an unfollow", func(t *testing.T) {
		c := newCut(t)
		c.posts("a", 10)
		c.posts("b", 10)
		c.has(0, 10)
		c.does(c.w.Unrelate(t.Context(), tables.Follows, "gina", "b"))
		c.settles()
		c.has(0, 0)
		c.posts("a", 3)
		c.has(3, 0)
		c.does(c.w.Relate(t.Context(), tables.Follows, "gina", "b"))
		c.settles()
		c.has(3, 7)
	})
	t.Run("by a deletion", func(t *testing.T) {
		c := newCut(t)
		c.posts("a", 5)
		c.posts("b", 10)
		c.has(0, 10)
		c.deletes("b")
		c.has(0, 9)
	})
	t.Run("when an author had more than it holds", func(t *testing.T) {
		c := newCut(t)
		c.does(c.w.Unrelate(t.Context(), tables.Follows, "gina", "a"))
		c.settles()
		c.posts("a", 15)
		c.does(c.w.Relate(t.Context(), tables.Follows, "gina", "a"))
		c.settles()
		c.has(10, 0)
		c.deletes("a")
		c.has(9, 0)
	})
}

// deletes deletes the author's newest twit.
func (c cut) deletes(author string) {
	c.Helper()
	results, err := c.Get(c.Context(), []hbase.Get{tables.Twits.Get(author, 0, hbase.Page{Limit: 1})})
	c.does(err)
	twits, _, _, err := tables.Twits.Decode(author, results[0].Cells)
	c.does(err)
	c.does(c.w.DeleteTwit(c.Context(), twits[0]))
	c.settles()
}

// afterFirst does something once, behind the first write of entries.
type afterFirst struct {
	hbase.Store
	do func()
}

func (s *afterFirst) Mutate(ctx context.Context, mutations []hbase.Mutation) ([]error, error) {
	errs, err := s.Store.Mutate(ctx, mutations)
	if table, _ := mutations[0].At(); table == tables.Timelines.Table && s.do != nil {
		do := s.do
		s.do = nil
		do()
	}
	return errs, err
}

func TestWhoIsBroughtTheNewestTwitsHasThatNotedThoughOneIsDeletedMeanwhile(t *testing.T) {
	const bound = 5
	w := newWorld(t)
	names := []string{"Lily", "Lucy", "Zoe"}
	w.follows(names...)
	w.write(tables.Broadcasters.Put(author, tables.Merged, 1))
	var twits []*tables.Twit
	for _, name := range numbered("t", 9) {
		twits = append(twits, w.lists(name))
	}
	w.job(tables.Returned, "", "")
	store := w.Store
	w.Store = &afterFirst{store, func() {
		beside := &world{T: t, Store: store, now: w.later(), given: 100}
		beside.deletes(twits[8])
	}}
	w.sweep(w.gateway(feeds.Options{BatchSize: bound, TimelineBound: bound}))
	for _, name := range names {
		since, cut, err := tables.DecodeTimelineSince(w.cells(tables.TimelineSince(name)))
		if w.has(name, "t007", "t006", "t005", "t004"); !cut || err != nil || !since.Equal(twits[4].PostedAt) {
			t.Errorf("the timeline of %s is said to be whole since %v (%t), %v", name, since, cut, err)
		}
	}
}
