package live

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

func TestTwitsAreDeliveredOnceAndInOrder(t *testing.T) {
	withFixture(t, func(t *testing.T, f *fixture) {
		f.post("a", "before", 0)
		time.Sleep(time.Millisecond)
		l := f.subscribe(Posts, "a")
		l.wantNext()
		f.post("a", "one", 2*time.Millisecond)
		f.post("a", "two", 1*time.Millisecond)
		f.post("b", "other", 0)
		l.wantNext("one", "two")
		l.wantNext()
		f.post("a", "-hidden", 0)
		f.post("a", "three", 0)
		l.wantNext("three")
		time.Sleep(time.Hour)
		l.wantNext()
		f.post("a", "four", 0)
		l.wantNext("four")
	})
}

func TestTwitsPostedDuringSubscribeAreDelivered(t *testing.T) {
	withFixture(t, func(t *testing.T, f *fixture) {
		early := f.subscribe(Posts, "a")
		f.set(hbasetest.Fault{Delay: 200 * time.Millisecond}, nil)
		go func() {
			time.Sleep(100 * time.Millisecond)
			f.post("a", "between", 0)
		}()
		late := f.subscribe(Posts, "a")
		late.wantNext("between")
		early.wantNext("between")
	})
}

func TestLateTwitsAreDelivered(t *testing.T) {
	withFixture(t, func(t *testing.T, f *fixture) {
		l := f.subscribe(Timeline, "u")
		f.addEntry("u", "a", "by-a-slow-clock", 25*time.Second)
		f.addEntry("u", "a", "by-a-fast-clock", -time.Minute)
		l.wantNext("by-a-slow-clock", "by-a-fast-clock")
		f.addEntry("u", "a", "later-than-any-known-fanout", 40*time.Second)
		l.wantNext()

		f.setPending(time.Now().Add(-time.Second))
		time.Sleep(5 * time.Minute)
		f.addEntry("u", "a", "late", 5*time.Minute)
		f.setPending(time.Time{})
		l.wantNext("late")
		l.wantNext()
	})
}

func TestPollIsOneRoundForAllSubscribers(t *testing.T) {
	withFixture(t, func(t *testing.T, f *fixture) {
		const owners, each = 50, 10
		var all []listener
		for i := range owners * each {
			all = append(all, f.subscribe(Posts, fmt.Sprint("u", i%owners)))
		}
		time.Sleep(Interval)
		synctest.Wait()
		c := &f.poller.Counters
		polls, rounds, gets := c.Polls.Load(), c.Rounds.Load(), c.Gets.Load()
		f.post("u7", "news", 0)
		time.Sleep(10 * Interval)
		synctest.Wait()
		for i, l := range all {
			want := 0
			if i%owners == 7 {
				want = 1
			}
			if len(l.queue) != want {
				t.Errorf("subscriber %d: got %d twits, want %d", i, len(l.queue), want)
			}
		}
		polls, rounds, gets = c.Polls.Load()-polls, c.Rounds.Load()-rounds, c.Gets.Load()-gets
		if polls == 0 || rounds != polls || gets != owners*polls {
			t.Errorf("got %d rounds and %d Gets in %d polls, want one round with %d Gets each", rounds, gets, polls, owners)
		}
	})
}

func TestAllPagesOfARowAreDelivered(t *testing.T) {
	withFixture(t, func(t *testing.T, f *fixture) {
		l := f.subscribe(Posts, "a")
		var names []string
		for i := range QueueSize {
			names = append(names, fmt.Sprintf("n%03d", i))
			f.post("a", names[i], time.Duration(QueueSize-i)*time.Millisecond)
		}
		f.post("b", "nothing", 0)
		l.wantNext(names...)
	})
}

func TestTwitsOfBroadcastersReachTimelines(t *testing.T) {
	state := func(f *fixture, from, to tables.Broadcast, stored bool) {
		_, put := tables.Broadcasters.Change("b", from, stored, to)
		f.put(put)
	}
	t.Run("only twits from after the subscription", func(t *testing.T) {
		withFixture(t, func(t *testing.T, f *fixture) {
			state(f, tables.Pushed, tables.Merged, false)
			f.post("b", "before", time.Second)
			first := f.subscribe(Timeline, "u")
			f.post("b", "one", 0)
			first.wantNext("one")
			time.Sleep(time.Millisecond)
			second := f.subscribe(Timeline, "v")
			f.post("b", "two", 0)
			first.wantNext("two")
			second.wantNext("two")
		})
	})
	t.Run("of a new broadcaster, with or without subscribers of its own", func(t *testing.T) {
		for _, listened := range []bool{false, true} {
			withFixture(t, func(t *testing.T, f *fixture) {
				l := f.subscribe(Timeline, "u")
				if listened {
					f.subscribe(Posts, "b")
				}
				f.addEntries("u", f.post("b", "pushed", 0))
				l.wantNext("pushed")
				merged := f.post("b", "merged", 0)
				if listened {
					l.wantNext() // polled before the author was known to be a broadcaster
				}
				state(f, tables.Pushed, tables.Merged, false)
				l.wantNext("merged")
				state(f, tables.Merged, tables.Leaving(tables.NewOp(time.Now(), 1)), true)
				both := f.post("b", "both", 0)
				f.addEntries("u", merged, both)
				l.wantNext("both")
				l.wantNext()
			})
		}
	})
	t.Run("the row of a former broadcaster is not polled", func(t *testing.T) {
		withFixture(t, func(t *testing.T, f *fixture) {
			state(f, tables.Pushed, tables.Merged, false)
			l := f.subscribe(Timeline, "u")
			l.wantNext()
			state(f, tables.Merged, tables.Pushed, true)
			time.Sleep(2 * idleTimeout)
			if rows := f.poller.Counters.Rows.Load(); rows != 1 {
				t.Errorf("got %d polled rows, want 1", rows)
			}
		})
	})
}

func TestIdleRowsArePolledUntilTheTimeout(t *testing.T) {
	withFixture(t, func(t *testing.T, f *fixture) {
		l := f.subscribe(Posts, "a")
		l.Close()
		time.Sleep(idleTimeout / 2)
		f.subscribe(Posts, "a").Close()
		time.Sleep(idleTimeout / 2)
		if rows := f.poller.Counters.Rows.Load(); rows != 1 {
			t.Errorf("got %d polled rows, want 1", rows)
		}
		time.Sleep(idleTimeout)
		rows, subscribers := f.poller.Counters.Rows.Load(), f.poller.Counters.Subscribers.Load()
		if rows != 0 || subscribers != 0 {
			t.Errorf("got %d polled rows for %d subscribers, want none", rows, subscribers)
		}
	})
}

func TestLateEntriesMayHaveBeenMissed(t *testing.T) {
	withFixture(t, func(t *testing.T, f *fixture) {
		earlier := f.addEntry("u", "a", "earlier", 2*time.Second)
		first := f.addEntry("u", "a", "first", time.Second)
		l := f.subscribe(Timeline, "u")
		second := f.addEntry("u", "a", "second", 0)
		l.wantNext("second")
		late := f.addEntry("u", "a", "late", 1500*time.Millisecond)
		l.wantNext("late")
		time.Sleep(certainOrder)
		last := f.addEntry("u", "a", "last", 0)
		l.wantNext("last")
		for _, test := range []struct {
			name          string
			key, received *tables.Twit
			mayBeMissed   bool
		}{
			{"found after", late, second, true},
			{"found before, but perhaps after by another gateway", first, second, true},
			{"both found by the first poll: order unknown", earlier, first, true},
			{"found long before", second, last, false},
			{"unknown", &tables.Twit{AuthorName: "a", PostedAt: last.PostedAt.Add(-MaxReordering), Name: "old"}, last, true},
			{"too old to be late",
				&tables.Twit{AuthorName: "a", PostedAt: last.PostedAt.Add(-MaxReordering - 1e6), Name: "old"}, last, false},
		} {
			if got := l.MayHaveMissed(keyOf(test.key), keyOf(test.received)); got != test.mayBeMissed {
				t.Errorf("%s: got %t, want %t", test.name, got, test.mayBeMissed)
			}
		}
		for _, test := range []struct {
			twit     *tables.Twit
			delivers bool
		}{
			{earlier, false},
			{second, true},
			{&tables.Twit{AuthorName: "a", PostedAt: time.Now(), Name: "new"}, true},
			{&tables.Twit{AuthorName: "a", PostedAt: time.Now().Add(-Overlap - time.Second), Name: "old"}, false},
		} {
			if l.Delivers(keyOf(test.twit)) != test.delivers {
				t.Errorf("Delivers(%s): got %t, want %t", test.twit.Name, !test.delivers, test.delivers)
			}
		}
	})
}

func TestSubscriptionsEndWithThePoller(t *testing.T) {
	withFixture(t, func(t *testing.T, f *fixture) {
		l := f.subscribe(Posts, "a")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		f.set(hbasetest.Fault{Delay: time.Second}, nil)
		if _, err := f.poller.Subscribe(ctx, "", Posts, "b", time.Time{}); !errors.Is(err, context.Canceled) {
			t.Error("Subscribe with a canceled context: ", err)
		}
		f.stop()
		if _, open := <-l.Events(); open || !errors.Is(l.Err(), ErrEnded) {
			t.Errorf("got open %t, error %v; want closed, ErrEnded", open, l.Err())
		}
		if _, err := f.poller.Subscribe(t.Context(), "", Posts, "a", time.Time{}); !errors.Is(err, ErrEnded) {
			t.Error(err)
		}
	})
}

func (f *fixture) addEntrySince(twit *tables.Twit, since time.Time) {
	f.t.Helper()
	cells := []hbase.Cell{tables.Timelines.Cell(twit.Key(), since.UnixMilli())}
	f.put(hbase.Put{Table: tables.Timelines.Table, Row: tables.Timelines.Row("u", 0), Cells: cells})
}

func TestOlderTwitsOfANewlyFollowedAuthorAreNotDelivered(t *testing.T) {
	withFixture(t, func(t *testing.T, f *fixture) {
		l := f.subscribe(Timeline, "u")
		beforeFollow := time.Now().Add(-MaxClockSkew - time.Millisecond)
		f.addEntrySince(&tables.Twit{AuthorName: "a", PostedAt: beforeFollow, Name: "old"}, time.Now())
		f.addEntrySince(&tables.Twit{AuthorName: "a", PostedAt: time.Now(), Name: "recent"}, time.Now())
		l.wantNext("recent")
	})
}

func TestFollowByAFastClockLosesNoTwit(t *testing.T) {
	withFixture(t, func(t *testing.T, f *fixture) {
		l := f.subscribe(Timeline, "u")
		follow := time.Now().Add(MaxClockSkew)
		time.Sleep(time.Second)
		twit := &tables.Twit{AuthorName: "a", PostedAt: time.Now(), Name: "posted"}
		f.addEntrySince(twit, follow)
		l.wantNext("posted")
		time.Sleep(time.Second)
		younger := &tables.Twit{AuthorName: "a", PostedAt: time.Now(), Name: "younger"}
		slowClock := younger.PostedAt.Add(-2 * time.Second)
		next := &tables.Twit{AuthorName: "a", PostedAt: slowClock, Name: "next"}
		f.addEntrySince(younger, follow)
		l.wantNext("younger")
		f.addEntrySince(next, follow)
		if l.wantNext("next"); !l.MayHaveMissed(keyOf(next), keyOf(younger)) {
			t.Error("got MayHaveMissed false: a client that resumes after the younger twit would miss the older one")
		}
	})
}

func TestRowsAreBounded(t *testing.T) {
	withFixture(t, func(t *testing.T, f *fixture) {
		p := f.poller
		f.subscribe(Posts, "author0")
		p.mu.Lock()
		for i := range MaxRows {
			p.row(rowName{Posts, fmt.Sprint("author", i)}, time.Now()).left = time.Now()
		}
		p.mu.Unlock()
		if _, err := p.Subscribe(t.Context(), "", Posts, "another", time.Time{}); err != ErrTooManyRows {
			t.Errorf("a subscription to another row: got error %v, want ErrTooManyRows", err)
		}
		f.subscribe(Posts, "author0")
		time.Sleep(Interval)
		f.subscribe(Posts, "another")
		if n := p.Counters.Rows.Load(); n != 2 {
			t.Errorf("%d rows are polled, want 2", n)
		}
	})
}

func TestRowsWithoutSubscribersLeaveTheShareOfAnAddress(t *testing.T) {
	withFixture(t, func(t *testing.T, f *fixture) {
		p := f.poller
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for i := range MaxRows / 5 {
			all.Go(func() {
				s, err := p.Subscribe(ctx, "proxy", Posts, fmt.Sprint(i), time.Time{})
				if err != nil {
					t.Errorf("row %d: %v", i, err)
					return
				}
				<-ctx.Done()
				s.Close()
			})
		}
		synctest.Wait()
		if _, err := p.Subscribe(t.Context(), "proxy", Posts, "new", time.Time{}); err != ErrTooManyRows {
			t.Errorf("a row beyond the share: got error %v, want ErrTooManyRows", err)
		}
		cancel()
		all.Wait()
		time.Sleep(Interval)
		synctest.Wait() // for the poll
		s, err := p.Subscribe(t.Context(), "proxy", Posts, "new", time.Time{})
		if err != nil {
			t.Fatalf("after the subscribers have left: %v", err)
		}
		s.Close()
		if n := p.Counters.Rows.Load(); n > MaxRows/10+1 {
			t.Errorf("%d rows are polled, want at most half of the share, and the new one", n)
		}
	})
}

func TestAddressesShareRows(t *testing.T) {
	withFixture(t, func(t *testing.T, f *fixture) {
		p := f.poller
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		subscribe := func(address string, i int) {
			all.Go(func() {
				if s, err := p.Subscribe(ctx, address, Posts, fmt.Sprint(address, i), time.Time{}); err == nil {
					<-ctx.Done()
					s.Close()
				} else if err != ErrTooManyRows {
					t.Error(err)
				}
			})
		}
		counts := func() map[string]int {
			synctest.Wait()
			p.mu.Lock()
			defer p.mu.Unlock()
			return maps.Clone(p.added)
		}
		const addresses = 10
		for address := range addresses {
			for i := range MaxRows/5 + 1 {
				subscribe(fmt.Sprint("a", address, "-"), i)
			}
			counts()
		}
		got := counts()
		if got["a0-"] != MaxRows/5 || got["a1-"] != MaxRows*4/25 {
			t.Errorf("the addresses have %v rows, want a fifth, and a fifth of the rest", got)
		}
		if free := MaxRows - int(p.Counters.Rows.Load()); free < MaxRows/10 {
			t.Errorf("%d addresses leave %d rows, want a tenth", addresses, free)
		}
		subscribe("d", 0)
		if got := counts(); got["d"] != 1 {
			t.Errorf("another address is rejected: %v", got)
		}
		if _, err := p.Subscribe(ctx, "a0-", Posts, "new", time.Time{}); err != ErrTooManyRows {
			t.Errorf("a new row of the first address: got error %v, want ErrTooManyRows", err)
		}
		if s, err := p.Subscribe(ctx, "a0-", Posts, "d0", time.Time{}); err != nil {
			t.Errorf("a row that is polled already: %v", err)
		} else {
			s.Close()
		}
		cancel()
		all.Wait()
		time.Sleep(Interval) // drops rows without subscribers
		if got := counts(); len(got) != 0 {
			t.Errorf("addresses without rows have %v", got)
		}
	})
}
