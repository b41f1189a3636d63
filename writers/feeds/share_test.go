package feeds_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
	"twibase/writers/feeds"
	"twibase/writers/outbox"
)

// between runs do once, before the first write into somebody's timeline.
func between(store hbase.Store, owner string, do func()) hbase.Store {
	var once sync.Once
	return hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
		if op.Kind == "Put" && op.Table == tables.Timelines.Table && op.Row == tables.Timelines.Row(owner, 0) {
			once.Do(do)
		}
		return hbasetest.Fault{}
	})
}

func TestATwitThatIsDeletedWhileItIsBroughtIsNowhere(t *testing.T) {
	w := newWorld(t)
	w.follows("old", "new")
	twit := w.posts("x")
	beside := &world{T: t, Store: w.Store, now: w.now, given: 100}
	w.Store = between(w.Store, "new", func() {
		w := beside
		w.deletes(twit)
		w.sweep(w.gateway(feeds.Options{}))
		// By a clock that is behind, so that it is among those who are still to be met.
		at := time.Unix(1, 0)
		w.write(tables.Follows.Put("late", author, true, at, at.UnixMilli()), put(tables.Followers, author, tables.Follow{Username: "late", At: at}))
	})
	f := w.gateway(feeds.Options{BatchSize: 1})
	w.sweep(f)
	for _, name := range []string{"old", "new", "late"} {
		w.has(name)
	}
}

func TestWhoUnfollowsWhileADeletedTwitIsBroughtHasNone(t *testing.T) {
	w := newWorld(t)
	w.follows("Lucy", "Lily")
	twit := w.posts("x")
	beside := &world{T: t, Store: w.Store, now: w.now, given: 100}
	w.Store = between(w.Store, "Lucy", func() {
		w := beside
		w.deletes(twit)
		w.leaves("Lucy")
		w.job(tables.Unfollowed, "Lucy", "")
		w.sweep(w.gateway(feeds.Options{}))
		if w.open() != 1 {
			t.Errorf("%d jobs are left, and should be that of the twit", w.open())
		}
	})
	w.sweep(w.gateway(feeds.Options{}))
	w.has("Lucy")
	w.has("Lily")
	if w.open() != 0 {
		t.Errorf("%d jobs are left", w.open())
	}
}

func TestWhoUnfollowsWhileTwitsAreBroughtHasNone(t *testing.T) {
	w := newWorld(t)
	for _, name := range numbered("t", 150) {
		w.posts(name)
	}
	w.sweep(w.gateway(feeds.Options{}))
	w.follows("Lucy")
	w.job(tables.Followed, "Lucy", "")
	beside := &world{T: t, Store: w.Store, now: w.now, given: 1000}
	w.Store = between(w.Store, "Lucy", func() {
		w := beside
		w.leaves("Lucy")
		w.job(tables.Unfollowed, "Lucy", "")
		w.sweep(w.gateway(feeds.Options{}))
	})
	f := w.gateway(feeds.Options{})
	w.sweep(f)
	w.has("Lucy")
}

func TestTheOldestIsDoneFirst(t *testing.T) {
	w := newWorld(t)
	w.follows("a")
	var want, got []string
	for _, name := range numbered("t", 40) { // in all shards
		want = append(want, w.posts(name).Key().Position)
	}
	w.sweep(w.gateway(feeds.Options{Done: func(e tables.Job) { got = append(got, e.Position) }}))
	if !slices.Equal(got, want) {
		t.Errorf("%q were done, and should be in this order: %q", got, want)
	}
}

func TestGatewaysShareTheJobs(t *testing.T) {
	w := newWorld(t)
	w.follows("a", "b", "c")
	names := numbered("t", 60)
	for _, name := range names {
		w.posts(name)
	}
	var mu sync.Mutex
	done, times := map[string]bool{}, 0
	var all sync.WaitGroup
	for range 3 {
		f := w.gateway(feeds.Options{BatchSize: 2, Done: func(e tables.Job) {
			mu.Lock()
			defer mu.Unlock()
			done[e.ID] = true
			times++
		}})
		all.Go(func() {
			if err := f.Sweep(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	slices.Reverse(names)
	w.has("b", names...)
	// One that is done in between, by another gateway, may be done again.
	if len(done) != len(names) || times > len(names)*3/2 {
		t.Errorf("%d jobs were done, %d times in all", len(done), times)
	}
}

func TestWhatADeadGatewayHadTakenIsDoneByAnotherWhereItStopped(t *testing.T) {
	w := newWorld(t)
	names := numbered("f", 30)
	w.follows(names...)
	w.posts("x")
	store := w.Store
	ctx, die := context.WithCancel(t.Context())
	w.Store = hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
		if w.later(100 * time.Millisecond); op.Table == tables.Timelines.Table && op.Row == tables.Timelines.Row("f005", 0) {
			die()
			return hbasetest.Fault{Err: hbase.ErrUnavailable}
		}
		return hbasetest.Fault{}
	})
	if err := w.gateway(feeds.Options{BatchSize: 1}).Sweep(ctx); err == nil {
		t.Fatal("it did not die")
	}
	recorder := hbasetest.NewRecorder(store, hbasetest.Names{})
	w.Store = recorder
	other := w.gateway(feeds.Options{BatchSize: 1})
	w.sweep(other)
	if len(recorder.Writes()) != 0 || other.Lag().Pending != 1 {
		t.Errorf("what is taken is left alone for a while: %q", recorder.Writes())
	}
	w.later(11 * time.Second)
	w.sweep(other)
	for _, name := range names {
		w.has(name, "x")
	}
	if n := len(recorder.Writes()); n >= len(names) {
		t.Errorf("it was done from the beginning, with %d writes", n)
	}
}

func TestTheLagIsThatOfTheOldest(t *testing.T) {
	w := newWorld(t)
	f := w.gateway(feeds.Options{})
	if w.sweep(f); f.Lag() != (outbox.Lag{}) {
		t.Error(f.Lag())
	}
	w.follows("a")
	w.posts("x")
	oldest := w.now
	w.later(time.Hour)
	w.posts("y")
	store := w.Store
	w.Store = hbasetest.NewFaults(store, hbasetest.On(tables.Timelines.Table, tables.Timelines.Row("a", 0), hbasetest.Fault{Err: hbase.ErrUnavailable}))
	f = w.gateway(feeds.Options{})
	if err := f.Sweep(t.Context()); !errors.Is(err, hbase.ErrUnavailable) {
		t.Error(err)
	}
	if lag := f.Lag(); lag.Pending != 2 || !lag.Oldest.Equal(oldest) {
		t.Error(lag)
	}
}

func TestAnJobThatCantBeReadHoldsUpNoOther(t *testing.T) {
	w := newWorld(t)
	w.follows("a")
	w.posts("x")
	for i := range 50 { // in each shard
		w.write(hbase.Put{Table: tables.Jobs.Table, Row: tables.Jobs.Row(tables.NewOp(w.now.Add(-time.Hour), uint64(i))), Cells: []hbase.Cell{
			{Family: tables.Attributes, Qualifier: "kind", Timestamp: 1, Value: []byte("damaged")}}})
	}
	w.sweep(w.gateway(feeds.Options{}))
	w.has("a", "x")
}

func TestWhatIsGivenIsDoneAtOnceAndWhatOthersGaveSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.follows("a")
		ctx, end := context.WithCancel(t.Context())
		f, ended := feeds.New(w, feeds.Options{}), make(chan struct{})
		go func() {
			f.Run(ctx)
			close(ended)
		}()
		synctest.Wait()
		twit := w.posts("mine")
		w.given++
		given := tables.Job{ID: tables.NewOp(time.Now(), w.given), Kind: tables.Posted, At: 1, Author: author, Position: twit.Key().Position}
		w.write(tables.Jobs.Put(given))
		f.Notify(given)
		synctest.Wait()
		w.has("a", "mine")
		w.now = time.Now()
		w.posts("others")
		time.Sleep(2 * time.Second)
		if synctest.Wait(); len(w.timeline("a")) != 2 {
			w.has("a", "others", "mine")
		}
		end()
		<-ended
	})
}

func TestJobOfUnknownKindIsNotTakenForDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.follows("a")
		ctx, end := context.WithCancel(t.Context())
		f, ended := feeds.New(w, feeds.Options{}), make(chan struct{})
		go func() {
			f.Run(ctx)
			close(ended)
		}()
		synctest.Wait()
		twit := w.posts("mine")
		w.given++
		later := tables.Job{ID: tables.NewOp(time.Now(), w.given), Kind: "of a later version", At: 1, Author: author, Position: twit.Key().Position}
		w.write(tables.Jobs.Put(later))
		f.Notify(later)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if cells, err := w.Get(t.Context(), []hbase.Get{tables.Jobs.Get(later.ID)}); err != nil || len(cells[0].Cells) == 0 {
			t.Errorf("the job is gone, and its twit in no timeline: %v, error %v", w.timeline("a"), err)
		}
		end()
		<-ended
	})
}

func TestJobsOfGatewaysWhoseClocksDifferAreFoundSoon(t *testing.T) {
	for _, gave := range []time.Duration{-3 * time.Second, 0, 3 * time.Second} {
		for _, does := range []time.Duration{-3 * time.Second, 0, 3 * time.Second} {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.follows("a")
				ctx, end := context.WithCancel(t.Context())
				var running sync.WaitGroup
				f := feeds.New(w, feeds.Options{Now: func() time.Time { return time.Now().Add(does) }})
				running.Go(func() { f.Run(ctx) })
				time.Sleep(5 * time.Second)
				var names []string
				for _, name := range numbered("t", 10) {
					w.now = time.Now().Add(gave)
					w.posts(name)
					time.Sleep(2 * time.Second)
					synctest.Wait()
					names = append([]string{name}, names...)
					w.has("a", names...)
				}
				if w.open() != 0 {
					t.Errorf("given by a clock %v ahead, done by one %v ahead: %d jobs are left", gave, does, w.open())
				}
				end()
				running.Wait()
			})
		}
	}
}
