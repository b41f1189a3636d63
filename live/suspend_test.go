package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase/hbasetest"
)

func (f *fixture) subscribeUntil(kind Kind, owner string, until time.Time) listener {
	f.t.Helper()
	s, err := f.poller.Subscribe(f.t.Context(), "", kind, owner, until)
	if err != nil {
		f.t.Fatal(err)
	}
	return listener{s, f}
}

func (l listener) suspendWith(names ...string) {
	l.f.t.Helper()
	l.Suspend()
	received := []string{}
	for e := range l.Events() {
		received = append(received, e.Entry.(string))
	}
	if err := l.Err(); !slices.Equal(received, names) || !errors.Is(err, ErrSuspended) {
		l.f.t.Errorf("got queue %q, error %v; want %q, ErrSuspended", received, err, names)
	}
}

func (l listener) resume(until time.Time) {
	l.f.t.Helper()
	if err := l.Resume(l.f.t.Context(), until); err != nil {
		l.f.t.Fatal(err)
	}
}

func TestResumeContinuesWhereTheSubscriptionWasSuspended(t *testing.T) {
	withFixture(t, func(t *testing.T, f *fixture) {
		until := time.Now().Add(3*Interval + Interval/2)
		one, other := f.subscribeUntil(Posts, "a", until), f.subscribeUntil(Posts, "a", until)
		defer one.Close()
		defer other.Close()
		f.post("a", "1", 0)
		one.wantNext("1")
		f.post("a", "2", 0)
		time.Sleep(Interval)
		synctest.Wait()
		one.suspendWith("2")
		f.post("a", "3", 0)
		time.Sleep(2 * Interval)
		f.post("a", "4", 0)
		time.Sleep(Interval)
		synctest.Wait()
		other.suspendWith("1", "2", "3") // long after its end: 4 was found later
		f.post("a", "-5", 0)
		f.post("a", "6", 0)
		time.Sleep(10 * Interval)
		one.resume(time.Time{})
		one.wantNext("3", "4", "6")
		other.resume(time.Time{})
		other.wantNext("4", "6")
		f.post("a", "7", 0)
		one.wantNext("7")
		other.wantNext("7")
	})
}

func TestSubscriptionsWithTheSameEndStopAtTheSameTwit(t *testing.T) {
	withFixture(t, func(t *testing.T, f *fixture) {
		until := time.Now().Add(20*Interval + 1)
		var all []listener
		for range 5 {
			l := f.subscribeUntil(Posts, "a", until)
			defer l.Close()
			all = append(all, l)
		}
		go func() {
			for i := range 100 {
				f.post("a", fmt.Sprint(i), 0)
				time.Sleep(Interval / 3)
			}
		}()
		time.Sleep(time.Until(until))
		var received [][]string
		for _, l := range all {
			l.Suspend()
			names := []string{}
			for e := range l.Events() {
				names = append(names, e.Entry.(string))
			}
			received = append(received, names)
			time.Sleep(2 * Interval)
		}
		for _, names := range received {
			if len(names) == 0 || !slices.Equal(names, received[0]) {
				t.Errorf("got %q from one subscription, %q from another, want the same", received[0], names)
			}
		}
		time.Sleep(100 * Interval)
	})
}

func TestMoveToTakesOverParkedTwits(t *testing.T) {
	withFixture(t, func(t *testing.T, f *fixture) {
		begun := time.Now()
		one := f.subscribeUntil(Posts, "a", begun.Add(Interval))
		later := f.subscribeUntil(Posts, "a", begun.Add(3*Interval))
		time.Sleep(Interval)
		one.suspendWith()
		f.post("a", "1", 0)
		time.Sleep(time.Until(begun.Add(3 * Interval)))
		later.suspendWith("1")
		later.MoveTo(one.Subscription)
		f.post("a", "2", 0)
		time.Sleep(2 * Interval)
		for _, l := range []listener{one, later} {
			l.resume(time.Time{})
			l.wantNext("1", "2")
			l.Close()
		}
		if n := f.poller.Counters.Subscribers.Load(); n != 0 {
			t.Errorf("got %d subscribers, want 0", n)
		}
	})
}

func TestMoveToTakesOverPendingCandidates(t *testing.T) {
	for name, pending := range map[string]func(f *fixture){
		"because Visible failed":  func(f *fixture) { f.set(hbasetest.Fault{}, errVisible) },
		"in the poll in progress": func(f *fixture) { f.delay(Interval) },
	} {
		t.Run(name, func(t *testing.T) {
			withFixture(t, func(t *testing.T, f *fixture) {
				var all []listener
				for range 3 {
					all = append(all, f.subscribeUntil(Posts, "a", time.Now().Add(Interval*3/2)))
				}
				pending(f)
				f.post("a", "1", 0)
				time.Sleep(Interval * 3 / 2)
				synctest.Wait()
				for _, l := range all {
					l.suspendWith()
				}
				for _, l := range all[1:] {
					l.MoveTo(all[0].Subscription)
				}
				f.set(hbasetest.Fault{}, nil)
				f.delay(0)
				for _, l := range all {
					l.resume(time.Time{})
				}
				time.Sleep(2 * Interval)
				for _, l := range all {
					l.wantNext("1")
					l.Close()
				}
			})
		})
	}
}

func TestMoveToAClosedSubscriptionCloses(t *testing.T) {
	withFixture(t, func(t *testing.T, f *fixture) {
		begun := time.Now()
		one := f.subscribeUntil(Posts, "a", begun.Add(Interval))
		later := f.subscribeUntil(Posts, "a", begun.Add(3*Interval))
		defer one.Close()
		defer later.Close()
		time.Sleep(Interval)
		one.suspendWith()
		for i := range QueueSize {
			f.post("a", fmt.Sprint(i), 0)
		}
		time.Sleep(3 * Interval)
		later.Suspend()
		f.post("a", "last", 0)
		time.Sleep(2 * Interval)
		later.MoveTo(one.Subscription)
		if err := later.Resume(t.Context(), time.Time{}); !errors.Is(err, ErrSlow) {
			t.Errorf("Resume: got error %v, want ErrSlow", err)
		}
	})
}

func TestRewindDuringAPollKeepsTheOrder(t *testing.T) {
	withFixture(t, func(t *testing.T, f *fixture) {
		s := f.subscribeUntil(Posts, "a", time.Now().Add(Interval))
		defer s.Close()
		time.Sleep(Interval)
		s.suspendWith()
		f.post("a", "1", 0)
		time.Sleep(2 * Interval)
		s.resume(time.Time{})
		time.Sleep(2 * Interval)
		synctest.Wait() // 1 is queued
		f.delay(Interval * 3 / 2)
		f.post("a", "2", 0)
		time.Sleep(Interval)
		synctest.Wait() // the poll has found 2, and waits for Visible
		s.Rewind(nil)
		s.resume(time.Time{})
		f.delay(0)
		time.Sleep(4 * Interval)
		s.wantNext("1", "2")
	})
}

func TestSuspendedSubscriptionCanClose(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(f *fixture)
		want error
	}{
		{"too many twits", func(f *fixture) {
			for i := range QueueSize + 1 {
				f.post("a", fmt.Sprint(i), 0)
			}
		}, ErrSlow},
		{"the poller ends", func(f *fixture) { f.stop() }, ErrEnded},
	} {
		t.Run(test.name, func(t *testing.T) {
			withFixture(t, func(t *testing.T, f *fixture) {
				s := f.subscribeUntil(Posts, "a", time.Now().Add(Interval))
				defer s.Close()
				time.Sleep(Interval)
				s.suspendWith()
				test.end(f)
				time.Sleep(2 * Interval)
				synctest.Wait()
				if err := s.Resume(context.Background(), time.Time{}); !errors.Is(err, test.want) {
					t.Errorf("Resume: got error %v, want %v", err, test.want)
				}
			})
		})
	}
}

func TestAClosedSubscriptionGetsNoEntries(t *testing.T) {
	for _, until := range []time.Time{{}, time.Now().Add(-time.Hour), time.Now().Add(time.Hour)} {
		s := &Subscription{state: closed, until: until}
		if drop := s.park(Key{"a", "1"}, time.Now()); !drop || len(s.parked) > 0 {
			t.Errorf("end %v: got drop %v with %d parked keys, want true and none", until, drop, len(s.parked))
		}
	}
}
