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

func beforeEntry(store hbase.Store, owner string, do func()) hbase.Store {
	var once sync.Once
	return hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
		if op.Kind == "Put" && op.Table == tables.Timelines.Table && op.Row == tables.Timelines.Row(owner, 0) {
			once.Do(do)
		}
		return hbasetest.Fault{}
	})
}

func TestTwitDeletedDuringDeliveryIsInNoTimeline(t *testing.T) {
	fx := newFixture(t)
	fx.follow("old", "new")
	twit := fx.post("x")
	other := &fixture{T: t, Store: fx.Store, now: fx.now, jobs: 100}
	fx.Store = beforeEntry(fx.Store, "new", func() {
		fx := other
		fx.delete(twit)
		fx.sweep(fx.gateway(feeds.Options{}))
		fx.followAt("late", time.Unix(1, 0)) // with a slow clock: not yet reached
	})
	f := fx.gateway(feeds.Options{BatchSize: 1})
	fx.sweep(f)
	for _, name := range []string{"old", "new", "late"} {
		fx.wantTimeline(name)
	}
}

func TestUnfollowDuringDeliveryOfADeletedTwitRemovesIt(t *testing.T) {
	fx := newFixture(t)
	fx.follow("Lucy", "Lily")
	twit := fx.post("x")
	other := &fixture{T: t, Store: fx.Store, now: fx.now, jobs: 100}
	fx.Store = beforeEntry(fx.Store, "Lucy", func() {
		fx := other
		fx.delete(twit)
		fx.unfollow("Lucy")
		fx.putJob(tables.Unfollowed, "Lucy", "")
		fx.sweep(fx.gateway(feeds.Options{}))
		if fx.openJobs() != 1 {
			t.Errorf("got %d jobs, want that of the twit", fx.openJobs())
		}
	})
	fx.sweep(fx.gateway(feeds.Options{}))
	fx.wantTimeline("Lucy")
	fx.wantTimeline("Lily")
	if fx.openJobs() != 0 {
		t.Errorf("got %d jobs, want 0", fx.openJobs())
	}
}

func TestUnfollowDuringDeliveryRemovesAllTwits(t *testing.T) {
	fx := newFixture(t)
	for _, name := range numbered("t", 150) {
		fx.post(name)
	}
	fx.sweep(fx.gateway(feeds.Options{}))
	fx.follow("Lucy")
	fx.putJob(tables.Followed, "Lucy", "")
	other := &fixture{T: t, Store: fx.Store, now: fx.now, jobs: 1000}
	fx.Store = beforeEntry(fx.Store, "Lucy", func() {
		fx := other
		fx.unfollow("Lucy")
		fx.putJob(tables.Unfollowed, "Lucy", "")
		fx.sweep(fx.gateway(feeds.Options{}))
	})
	f := fx.gateway(feeds.Options{})
	fx.sweep(f)
	fx.wantTimeline("Lucy")
}

func TestOldestJobRunsFirst(t *testing.T) {
	fx := newFixture(t)
	fx.follow("a")
	var want, got []string
	for _, name := range numbered("t", 40) {
		want = append(want, fx.post(name).Key().Position)
	}
	fx.sweep(fx.gateway(feeds.Options{Done: func(e tables.Job) { got = append(got, e.Position) }}))
	if !slices.Equal(got, want) {
		t.Errorf("got order %q, want %q", got, want)
	}
}

func TestGatewaysShareJobs(t *testing.T) {
	fx := newFixture(t)
	fx.follow("a", "b", "c")
	names := numbered("t", 60)
	for _, name := range names {
		fx.post(name)
	}
	var mu sync.Mutex
	done, times := map[string]bool{}, 0
	var all sync.WaitGroup
	for range 3 {
		f := fx.gateway(feeds.Options{BatchSize: 2, Done: func(e tables.Job) {
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
	fx.wantTimeline("b", names...)
	// Another gateway may repeat a job that has just been done.
	if len(done) != len(names) || times > len(names)*3/2 {
		t.Errorf("got %d jobs done in %d runs, want %d in at most %d", len(done), times, len(names), len(names)*3/2)
	}
}

func TestAnotherGatewayContinuesTheJobOfADeadOne(t *testing.T) {
	fx := newFixture(t)
	names := numbered("f", 30)
	fx.follow(names...)
	fx.post("x")
	store := fx.Store
	ctx, die := context.WithCancel(t.Context())
	fx.Store = hbasetest.NewFaults(store, func(op hbasetest.Op) hbasetest.Fault {
		fx.advance(100 * time.Millisecond)
		if op.Table == tables.Timelines.Table && op.Row == tables.Timelines.Row("f005", 0) {
			die()
			return hbasetest.Fault{Err: hbase.ErrUnavailable}
		}
		return hbasetest.Fault{}
	})
	if err := fx.gateway(feeds.Options{BatchSize: 1}).Sweep(ctx); err == nil {
		t.Fatal("got no error, want that of the dying gateway")
	}
	recorder := hbasetest.NewRecorder(store, hbasetest.Names{})
	fx.Store = recorder
	other := fx.gateway(feeds.Options{BatchSize: 1})
	fx.sweep(other)
	if len(recorder.Writes()) != 0 || other.Lag().Pending != 1 {
		t.Errorf("got writes %q during the lease, want none", recorder.Writes())
	}
	fx.advance(11 * time.Second)
	fx.sweep(other)
	for _, name := range names {
		fx.wantTimeline(name, "x")
	}
	if n := len(recorder.Writes()); n >= len(names) {
		t.Errorf("got %d writes, want fewer than %d: the job started over", n, len(names))
	}
}

func TestLagReportsTheOldestJob(t *testing.T) {
	fx := newFixture(t)
	f := fx.gateway(feeds.Options{})
	if fx.sweep(f); f.Lag() != (outbox.Lag{}) {
		t.Error(f.Lag())
	}
	fx.follow("a")
	fx.post("x")
	oldest := fx.now
	fx.advance(time.Hour)
	fx.post("y")
	store := fx.Store
	fault := hbasetest.Fault{Err: hbase.ErrUnavailable}
	fx.Store = hbasetest.NewFaults(store, hbasetest.On(tables.Timelines.Table, tables.Timelines.Row("a", 0), fault))
	f = fx.gateway(feeds.Options{})
	if err := f.Sweep(t.Context()); !errors.Is(err, hbase.ErrUnavailable) {
		t.Error(err)
	}
	if lag := f.Lag(); lag.Pending != 2 || !lag.Oldest.Equal(oldest) {
		t.Error(lag)
	}
}

func TestCorruptJobsDoNotBlockOthers(t *testing.T) {
	fx := newFixture(t)
	fx.follow("a")
	fx.post("x")
	for i := range 50 {
		row := tables.Jobs.Row(tables.NewOp(fx.now.Add(-time.Hour), uint64(i)))
		kind := hbase.Cell{Family: tables.Attributes, Qualifier: "kind", Timestamp: 1, Value: []byte("damaged")}
		fx.write(hbase.Put{Table: tables.Jobs.Table, Row: row, Cells: []hbase.Cell{kind}})
	}
	fx.sweep(fx.gateway(feeds.Options{}))
	fx.wantTimeline("a", "x")
}

func TestNotifiedJobsRunImmediatelyAndOthersSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fx := newFixture(t)
		fx.follow("a")
		ctx, end := context.WithCancel(t.Context())
		f, ended := feeds.New(fx, feeds.Options{}), make(chan struct{})
		go func() {
			f.Run(ctx)
			close(ended)
		}()
		synctest.Wait()
		twit := fx.post("mine")
		fx.jobs++
		job := tables.Job{ID: tables.NewOp(time.Now(), fx.jobs), Kind: tables.Posted, At: 1, Author: author}
		job.Position = twit.Key().Position
		fx.write(tables.Jobs.Put(job))
		f.Notify(job)
		synctest.Wait()
		fx.wantTimeline("a", "mine")
		fx.now = time.Now()
		fx.post("others")
		time.Sleep(2 * time.Second)
		if synctest.Wait(); len(fx.timeline("a")) != 2 {
			fx.wantTimeline("a", "others", "mine")
		}
		end()
		<-ended
	})
}

func TestJobOfUnknownKindIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fx := newFixture(t)
		fx.follow("a")
		ctx, end := context.WithCancel(t.Context())
		f, ended := feeds.New(fx, feeds.Options{}), make(chan struct{})
		go func() {
			f.Run(ctx)
			close(ended)
		}()
		synctest.Wait()
		twit := fx.post("mine")
		fx.jobs++
		later := tables.Job{ID: tables.NewOp(time.Now(), fx.jobs), Kind: "of a later version", At: 1, Author: author}
		later.Position = twit.Key().Position
		fx.write(tables.Jobs.Put(later))
		f.Notify(later)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		cells, err := fx.Get(t.Context(), []hbase.Get{tables.Jobs.Get(later.ID)})
		if err != nil || len(cells[0].Cells) == 0 {
			t.Errorf("got no job, error %v; timeline %q", err, fx.timeline("a"))
		}
		end()
		<-ended
	})
}

func TestJobsAreFoundSoonDespiteClockSkew(t *testing.T) {
	for _, puts := range []time.Duration{-3 * time.Second, 0, 3 * time.Second} {
		for _, runs := range []time.Duration{-3 * time.Second, 0, 3 * time.Second} {
			synctest.Test(t, func(t *testing.T) {
				fx := newFixture(t)
				fx.follow("a")
				ctx, end := context.WithCancel(t.Context())
				var running sync.WaitGroup
				f := feeds.New(fx, feeds.Options{Now: func() time.Time { return time.Now().Add(runs) }})
				running.Go(func() { f.Run(ctx) })
				time.Sleep(5 * time.Second)
				var names []string
				for _, name := range numbered("t", 10) {
					fx.now = time.Now().Add(puts)
					fx.post(name)
					time.Sleep(2 * time.Second)
					synctest.Wait()
					names = append([]string{name}, names...)
					fx.wantTimeline("a", names...)
				}
				if fx.openJobs() != 0 {
					t.Errorf("put by a clock %v ahead, run by one %v ahead: got %d jobs, want 0", puts, runs, fx.openJobs())
				}
				end()
				running.Wait()
			})
		}
	}
}
