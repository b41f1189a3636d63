package live

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

type kindOfRow struct {
	Kind
	owner string
	add   func(f *fixture, owner, name string, age time.Duration)
}

var kinds = map[string]kindOfRow{
	"posts":    {Posts, "a", func(f *fixture, owner, name string, age time.Duration) { f.post(owner, name, age) }},
	"timeline": {Timeline, "a", func(f *fixture, owner, name string, age time.Duration) { f.addEntry(owner, "b", name, age) }},
	"comments": {Comments, commented.String(), (*fixture).comment},
	"deletions": {Deletions, "a", func(f *fixture, owner, name string, age time.Duration) {
		twit := &tables.Twit{AuthorName: owner, PostedAt: time.UnixMilli(1), Name: name}
		f.put((&tables.TwitDeletion{At: time.Now().Add(-age), Twit: twit.Key(), Visibility: tables.Public}).Put())
	}},
	"changes": {Changes, "a", func(f *fixture, owner, name string, age time.Duration) {
		f.put((&tables.FollowerChange{At: time.Now().Add(-age), Followed: owner, Follower: name, Added: true}).Put())
	}},
}

var commented = (&tables.Twit{AuthorName: "a", PostedAt: time.UnixMilli(1), Name: "t"}).Key()

func (f *fixture) comment(twit, author string, age time.Duration) {
	f.t.Helper()
	key, err := tables.ParseTwitKey(twit)
	if err != nil {
		f.t.Fatal(err)
	}
	c := &tables.Comment{Twit: key, AuthorName: author, PostedAt: time.Now().Add(-age), Content: author,
		Mark: tables.CommentMark(author, author, 0)}
	f.put(hbase.PutCells(tables.Comments.Table, tables.Comments.Row(twit, 0), tables.Comments.Cell(c, 1)))
}

func eachKind(t *testing.T, test func(*testing.T, kindFixture)) {
	for name, k := range kinds {
		t.Run(name, func(t *testing.T) {
			withFixture(t, func(t *testing.T, f *fixture) { test(t, kindFixture{f, k}) })
		})
	}
}

type kindFixture struct {
	*fixture
	kindOfRow
}

func (f kindFixture) add(name string, age time.Duration) {
	f.kindOfRow.add(f.fixture, f.owner, name, age)
}

func (f kindFixture) subscribe() listener { return f.fixture.subscribe(f.Kind, f.owner) }

func TestEntriesOfTwoWritersAreDeliveredOnceAndInOrder(t *testing.T) {
	eachKind(t, func(t *testing.T, f kindFixture) {
		f.add("before", 10*time.Second)
		l := f.subscribe()
		f.add("two", time.Millisecond)
		f.add("three", -time.Minute) // by a fast clock
		f.add("one", 25*time.Second) // by a slow clock
		f.add("-hidden", time.Second)
		l.wantNext("one", "two", "three")
		l.wantNext()
		time.Sleep(time.Hour)
		f.add("four", 0)
		l.wantNext("four")
	})
}

func TestSubscribersOfARowShareItsRead(t *testing.T) {
	eachKind(t, func(t *testing.T, f kindFixture) {
		var all []listener
		for range 100 {
			all = append(all, f.subscribe())
		}
		want := int64(1)
		if f.Kind == Timeline {
			want = 2
		}
		c := &f.poller.Counters
		polls, gets := c.Polls.Load(), c.Gets.Load()
		time.Sleep(time.Minute)
		synctest.Wait()
		polls, gets = c.Polls.Load()-polls, c.Gets.Load()-gets
		if polls != int64(time.Minute/Interval) || gets != want*polls {
			t.Errorf("got %d polls with %d Gets in a minute, want %d with %d each", polls, gets, time.Minute/Interval, want)
		}
		f.add("one", 0)
		time.Sleep(Interval)
		synctest.Wait()
		for i, l := range all {
			if len(l.queue) != 1 {
				t.Errorf("subscriber %d has %d entries, want 1", i, len(l.queue))
			}
		}
	})
}

func TestOutageLosesNoEntry(t *testing.T) {
	eachKind(t, func(t *testing.T, f kindFixture) {
		l := f.subscribe()
		f.set(hbasetest.Fault{Err: errDown}, nil)
		f.add("one", 0)
		time.Sleep(5 * time.Minute)
		if _, err := f.poller.Subscribe(t.Context(), "", f.Kind, "b", time.Time{}); !errors.Is(err, errDown) {
			t.Errorf("Subscribe during the outage: got error %v, want %v", err, errDown)
		}
		f.set(hbasetest.Fault{}, nil)
		l.wantNext("one")
		f.set(hbasetest.Fault{}, errVisible)
		f.add("two", time.Millisecond)
		l.wantNext()
		f.add("three", 0)
		l.wantNext()
		f.set(hbasetest.Fault{}, nil)
		l.wantNext("two", "three")
	})
}

func TestSlowSubscriberDelaysNoOther(t *testing.T) {
	eachKind(t, func(t *testing.T, f kindFixture) {
		slow, quick := f.subscribe(), f.subscribe()
		for i := range QueueSize + 1 {
			name := fmt.Sprint(i)
			f.add(name, 0)
			quick.wantNext(name)
		}
		if quick.Err() != nil || !errors.Is(slow.Err(), ErrSlow) {
			t.Errorf("got errors %v of the quick and %v of the slow subscriber, want none and ErrSlow", quick.Err(), slow.Err())
		}
		received := 0
		for range slow.Events() {
			received++
		}
		if received != QueueSize {
			t.Errorf("the slow subscriber had %d entries in the queue, want %d", received, QueueSize)
		}
	})
}

func TestExpiredSubscriptionResumesWithWhatBecameVisible(t *testing.T) {
	eachKind(t, func(t *testing.T, f kindFixture) {
		l := f.subscribeUntil(f.Kind, f.owner, time.Now().Add(3*Interval/2))
		defer l.Close()
		f.add("1", 0)
		time.Sleep(3 * Interval / 2)
		synctest.Wait()
		l.suspendWith("1")
		f.add("2", 0)
		f.add("-hidden", 0)
		time.Sleep(20 * Interval)
		l.resume(time.Time{})
		l.wantNext("2")
	})
}

func TestEntriesOfUnfinishedWritesAreDelivered(t *testing.T) {
	eachKind(t, func(t *testing.T, f kindFixture) {
		l := f.subscribe()
		time.Sleep(time.Minute)
		f.setPending(time.Now())
		time.Sleep(5 * time.Minute)
		f.add("late", 5*time.Minute)
		f.setPending(time.Time{})
		l.wantNext("late")
		l.wantNext()
	})
}
