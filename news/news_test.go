package news

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

func TestASubscriberHearsOfEachTwitOnceAndInOrder(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		w.posts("a", "before", 0)
		time.Sleep(time.Millisecond)
		l := w.listens(Posts, "a")
		l.hears()
		w.posts("a", "one", 2*time.Millisecond)
		w.posts("a", "two", 1*time.Millisecond)
		w.posts("b", "other", 0)
		l.hears("one", "two")
		l.hears()
		w.posts("a", "-hidden", 0)
		w.posts("a", "three", 0)
		l.hears("three")
		time.Sleep(time.Hour)
		l.hears()
		w.posts("a", "four", 0)
		l.hears("four")
	})
}

func TestWhatIsPostedWhileASubscriberComesIsHeard(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		early := w.listens(Posts, "a")
		w.set(hbasetest.Fault{Delay: 200 * time.Millisecond}, nil)
		go func() {
			time.Sleep(100 * time.Millisecond)
			w.posts("a", "between", 0)
		}()
		late := w.listens(Posts, "a")
		late.hears("between")
		early.hears("between")
	})
}

func TestWhatComesLateIsHeard(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		l := w.listens(Timeline, "u")
		w.spreads("u", "a", "by-a-slow-clock", 25*time.Second)
		w.spreads("u", "a", "by-a-fast-clock", -time.Minute)
		l.hears("by-a-slow-clock", "by-a-fast-clock")
		w.spreads("u", "a", "nobody-knew-that-it-was-late", 40*time.Second)
		l.hears()

		w.lag(time.Now().Add(-time.Second))
		time.Sleep(5 * time.Minute)
		w.spreads("u", "a", "late", 5*time.Minute)
		w.lag(time.Time{})
		l.hears("late")
		l.hears()
	})
}

func TestALookIsOneRoundHoweverManySubscribe(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		const owners, each = 50, 10
		var all []listener
		for i := range owners * each {
			all = append(all, w.listens(Posts, fmt.Sprint("u", i%owners)))
		}
		time.Sleep(Interval)
		synctest.Wait()
		c := &w.poller.Counters
		looks, rounds, gets := c.Looks.Load(), c.Rounds.Load(), c.Gets.Load()
		w.posts("u7", "news", 0)
		time.Sleep(10 * Interval)
		synctest.Wait()
		for i, l := range all {
			want := 0
			if i%owners == 7 {
				want = 1
			}
			if len(l.queue) != want {
				t.Errorf("subscriber %d heard %d", i, len(l.queue))
			}
		}
		looks, rounds, gets = c.Looks.Load()-looks, c.Rounds.Load()-rounds, c.Gets.Load()-gets
		if looks == 0 || rounds != looks || gets != owners*looks {
			t.Errorf("%d looks take %d rounds and %d Gets", looks, rounds, gets)
		}
	})
}

func TestMoreThanAPageIsHeard(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		l := w.listens(Posts, "a")
		var names []string
		for i := range Backlog {
			names = append(names, fmt.Sprintf("n%03d", i))
			w.posts("a", names[i], time.Duration(Backlog-i)*time.Millisecond)
		}
		w.posts("b", "nothing", 0)
		l.hears(names...)
	})
}

func TestASlowReaderIsCutOffAndTheOthersAreNot(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		slow, quick := w.listens(Posts, "a"), w.listens(Posts, "a")
		for i := range Backlog + 1 {
			w.posts("a", fmt.Sprint(i), 0)
			time.Sleep(time.Second)
			<-quick.Twits()
		}
		if quick.Err() != nil {
			t.Error("the quick one: ", quick.Err())
		}
		if !errors.Is(slow.Err(), ErrSlow) {
			t.Error("the slow one: ", slow.Err())
		}
		heard := 0
		for range slow.Twits() {
			heard++
		}
		if heard != Backlog {
			t.Errorf("%d were waiting", heard)
		}
	})
}

func TestBroadcastersReachTimelines(t *testing.T) {
	state := func(w *world, from, to tables.Broadcast, stored bool) {
		_, put := tables.Broadcasters.Change("b", from, stored, to)
		w.put(put)
	}
	t.Run("who is one, from when on the subscriber came", func(t *testing.T) {
		in(t, func(t *testing.T, w *world) {
			state(w, tables.Pushed, tables.Merged, false)
			w.posts("b", "before", time.Second)
			first := w.listens(Timeline, "u")
			w.posts("b", "one", 0)
			first.hears("one")
			time.Sleep(time.Millisecond)
			second := w.listens(Timeline, "v")
			w.posts("b", "two", 0)
			first.hears("two")
			second.hears("two")
		})
	})
	t.Run("who becomes one, also if somebody listens to them anyhow", func(t *testing.T) {
		for _, listened := range []bool{false, true} {
			in(t, func(t *testing.T, w *world) {
				l := w.listens(Timeline, "u")
				if listened {
					w.listens(Posts, "b")
				}
				w.spread("u", w.posts("b", "pushed", 0))
				l.hears("pushed")
				merged := w.posts("b", "merged", 0)
				if listened {
					l.hears() // the row was looked at, and who broadcasts was not known
				}
				state(w, tables.Pushed, tables.Merged, false)
				l.hears("merged")
				state(w, tables.Merged, tables.Leaving(tables.NewOp(time.Now(), 1)), true)
				both := w.posts("b", "both", 0)
				w.spread("u", merged, both)
				l.hears("both")
				l.hears()
			})
		}
	})
	t.Run("who was one is looked at no more", func(t *testing.T) {
		in(t, func(t *testing.T, w *world) {
			state(w, tables.Pushed, tables.Merged, false)
			l := w.listens(Timeline, "u")
			l.hears()
			state(w, tables.Merged, tables.Pushed, true)
			time.Sleep(2 * linger)
			if rows := w.poller.Counters.Rows.Load(); rows != 1 {
				t.Errorf("%d rows are looked at", rows)
			}
		})
	})
}

func TestAnOutageHidesNothing(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		l, m := w.listens(Posts, "a"), w.listens(Timeline, "u")
		w.set(hbasetest.Fault{Err: errDown}, nil)
		w.posts("a", "one", 0)
		w.spreads("u", "a", "one", 0)
		time.Sleep(5 * time.Minute)
		if _, err := w.poller.Subscribe(t.Context(), Posts, "b", time.Time{}); !errors.Is(err, errDown) {
			t.Error("who comes meanwhile is told: ", err)
		}
		w.set(hbasetest.Fault{}, nil)
		l.hears("one")
		m.hears("one")
		w.set(hbasetest.Fault{}, errBlind)
		w.posts("a", "two", time.Millisecond)
		l.hears()
		w.posts("a", "three", 0)
		l.hears()
		w.set(hbasetest.Fault{}, nil)
		l.hears("two", "three")
	})
}

func TestARowIsLookedAtAWhileLonger(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		l := w.listens(Posts, "a")
		l.Close()
		time.Sleep(linger / 2)
		w.listens(Posts, "a").Close()
		time.Sleep(linger / 2)
		if rows := w.poller.Counters.Rows.Load(); rows != 1 {
			t.Errorf("%d rows are looked at", rows)
		}
		time.Sleep(linger)
		if rows, subscribers := w.poller.Counters.Rows.Load(), w.poller.Counters.Subscribers.Load(); rows != 0 || subscribers != 0 {
			t.Errorf("%d rows are looked at, for %d subscribers", rows, subscribers)
		}
	})
}

func TestWhoMayHaveMissedWhat(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		there := w.spreads("u", "a", "there", 2*time.Second)
		first := w.spreads("u", "a", "first", time.Second)
		l := w.listens(Timeline, "u")
		second := w.spreads("u", "a", "second", 0)
		l.hears("second")
		late := w.spreads("u", "a", "late", 1500*time.Millisecond)
		l.hears("late")
		time.Sleep(apart)
		last := w.spreads("u", "a", "last", 0)
		l.hears("last")
		for _, test := range []struct {
			name        string
			key, heard  *tables.Twit
			mayBeMissed bool
		}{
			{"found after", late, second, true},
			{"found before, but another gateway may have found it after", first, second, true},
			{"both there before, nobody knows in which order", there, first, true},
			{"found long before", second, last, false},
			{"not known", &tables.Twit{AuthorName: "a", PostedAt: last.PostedAt.Add(-Window), Name: "old"}, last, true},
			{"too old to be late", &tables.Twit{AuthorName: "a", PostedAt: last.PostedAt.Add(-Window - 1e6), Name: "old"}, last, false},
		} {
			if got := l.Late(test.key.Key(), test.heard.Key()); got != test.mayBeMissed {
				t.Errorf("%s: %t", test.name, got)
			}
		}
		for _, test := range []struct {
			twit  *tables.Twit
			comes bool
		}{{there, false}, {second, true}, {&tables.Twit{AuthorName: "a", PostedAt: time.Now(), Name: "new"}, true},
			{&tables.Twit{AuthorName: "a", PostedAt: time.Now().Add(-Overlap - time.Second), Name: "old"}, false}} {
			if l.Comes(test.twit) != test.comes {
				t.Errorf("%s comes: %t", test.twit.Name, !test.comes)
			}
		}
	})
}

func TestThePollerEndsAndSubscribersAreTold(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		l := w.listens(Posts, "a")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		w.set(hbasetest.Fault{Delay: time.Second}, nil)
		if _, err := w.poller.Subscribe(ctx, Posts, "b", time.Time{}); !errors.Is(err, context.Canceled) {
			t.Error("who does not wait is told: ", err)
		}
		w.stop()
		if _, open := <-l.Twits(); open || !errors.Is(l.Err(), ErrEnded) {
			t.Error(open, l.Err())
		}
		if _, err := w.poller.Subscribe(t.Context(), Posts, "a", time.Time{}); !errors.Is(err, ErrEnded) {
			t.Error(err)
		}
	})
}

// followed puts a twit into the timeline of u, who follows its author since a time.
func (w *world) followed(twit *tables.Twit, since time.Time) {
	w.t.Helper()
	w.put(hbase.Put{Table: tables.Timelines.Table, Row: tables.Timelines.Row("u", 0), Cells: []hbase.Cell{
		tables.Timelines.Cell(twit.Key(), since.UnixMilli())}})
}

func TestWhatComesByFollowingIsNoNews(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		l := w.listens(Timeline, "u")
		w.followed(&tables.Twit{AuthorName: "a", PostedAt: time.Now().Add(-skew - time.Millisecond), Name: "old"}, time.Now())
		w.followed(&tables.Twit{AuthorName: "a", PostedAt: time.Now(), Name: "recent"}, time.Now())
		l.hears("recent")
	})
}

func TestWhatIsPostedAfterFollowingThroughAGatewayWhoseClockIsAheadIsHeard(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		l := w.listens(Timeline, "u")
		follow := time.Now().Add(skew) // by its clock
		time.Sleep(time.Second)
		twit := &tables.Twit{AuthorName: "a", PostedAt: time.Now(), Name: "posted"}
		w.followed(twit, follow)
		l.hears("posted")
		time.Sleep(time.Second)
		younger := &tables.Twit{AuthorName: "a", PostedAt: time.Now(), Name: "younger"}
		next := &tables.Twit{AuthorName: "a", PostedAt: younger.PostedAt.Add(-2 * time.Second), Name: "next"} // by a clock that is behind
		w.followed(younger, follow)
		l.hears("younger")
		w.followed(next, follow)
		if l.hears("next"); !l.Late(next.Key(), younger.Key()) {
			t.Error("whoever comes back with the younger one is not told")
		}
	})
}
