package news

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

// listensUntil subscribes to a row until a time.
func (w *world) listensUntil(kind Kind, owner string, until time.Time) listener {
	w.t.Helper()
	s, err := w.poller.Subscribe(w.t.Context(), kind, owner, until)
	if err != nil {
		w.t.Fatal(err)
	}
	return listener{s, w}
}

// rest cuts a subscription, and wants just these twits to be left of it.
func (l listener) rest(names ...string) {
	l.w.t.Helper()
	l.Cut()
	heard := []string{}
	for t := range l.Twits() {
		heard = append(heard, t.Name)
	}
	if err := l.Err(); !slices.Equal(heard, names) || !errors.Is(err, ErrCut) {
		l.w.t.Errorf("%q are left, and it ends with %v; not %q", heard, err, names)
	}
}

func (l listener) resumes(until time.Time) {
	l.w.t.Helper()
	if err := l.Resume(l.w.t.Context(), until); err != nil {
		l.w.t.Fatal(err)
	}
}

func TestASubscriptionThatIsCutGoesOnWhereItWas(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		until := time.Now().Add(3*Interval + Interval/2)
		one, other := w.listensUntil(Posts, "a", until), w.listensUntil(Posts, "a", until)
		defer one.Close()
		defer other.Close()
		w.posts("a", "1", 0)
		one.hears("1")
		w.posts("a", "2", 0)
		time.Sleep(Interval)
		synctest.Wait()
		one.rest("2") // before its time
		w.posts("a", "3", 0)
		time.Sleep(2 * Interval)
		w.posts("a", "4", 0)
		time.Sleep(Interval)
		synctest.Wait()
		other.rest("1", "2", "3") // long after its time: 4 was found then
		w.posts("a", "-5", 0)
		w.posts("a", "6", 0)
		time.Sleep(10 * Interval)
		one.resumes(time.Time{})
		one.hears("3", "4", "6") // as far as it can be seen now
		other.resumes(time.Time{})
		other.hears("4", "6")
		w.posts("a", "7", 0)
		one.hears("7")
		other.hears("7")
	})
}

func TestSubscriptionsWithTheSameEndAreCutAtTheSamePlace(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		until := time.Now().Add(20*Interval + 1)
		var all []listener
		for range 5 {
			l := w.listensUntil(Posts, "a", until)
			defer l.Close()
			all = append(all, l)
		}
		go func() {
			for i := range 100 {
				w.posts("a", fmt.Sprint(i), 0)
				time.Sleep(Interval / 3)
			}
		}()
		time.Sleep(time.Until(until))
		var told [][]string
		for _, l := range all {
			l.Cut()
			names := []string{}
			for t := range l.Twits() {
				names = append(names, t.Name)
			}
			told = append(told, names)
			time.Sleep(2 * Interval) // the next one is cut late
		}
		for _, names := range told {
			if len(names) == 0 || !slices.Equal(names, told[0]) {
				t.Errorf("one was told %q, another one %q", told[0], names)
			}
		}
		time.Sleep(100 * Interval)
	})
}

func TestAForkIsCutAtTheSamePlace(t *testing.T) {
	in(t, func(t *testing.T, w *world) {
		one := w.listensUntil(Posts, "a", time.Now().Add(Interval))
		time.Sleep(Interval)
		one.rest()
		w.posts("a", "1", 0)
		time.Sleep(2 * Interval)
		fork := listener{one.Fork(), w}
		w.posts("a", "2", 0)
		time.Sleep(2 * Interval)
		one.resumes(time.Time{})
		one.hears("1", "2")
		one.Close()
		fork.resumes(time.Time{})
		fork.hears("1", "2")
		fork.Close()
		if n := w.poller.Counters.Subscribers.Load(); n != 0 {
			t.Errorf("%d subscribers are left", n)
		}
	})
}

func TestAForkReceivesTheTwitsThatThePollerStillChecks(t *testing.T) {
	for name, pending := range map[string]func(w *world){
		"because See failed":  func(w *world) { w.set(hbasetest.Fault{}, errBlind) },
		"in a look under way": func(w *world) { w.delay(Interval) },
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(t *testing.T, w *world) {
				one := w.listensUntil(Posts, "a", time.Now().Add(Interval*3/2))
				pending(w)
				w.posts("a", "1", 0)
				time.Sleep(Interval * 3 / 2)
				synctest.Wait()
				one.rest()
				fork := listener{one.Fork(), w}
				again := listener{fork.Fork(), w}
				w.set(hbasetest.Fault{}, nil)
				w.delay(0)
				all := []listener{one, fork, again}
				for _, l := range all {
					l.resumes(time.Time{})
				}
				time.Sleep(2 * Interval)
				for _, l := range all {
					l.hears("1")
					l.Close()
				}
			})
		})
	}
}

func TestASubscriptionThatIsCutEnds(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(w *world)
		want error
	}{
		{"if too much comes", func(w *world) {
			for i := range Backlog + 1 {
				w.posts("a", fmt.Sprint(i), 0)
			}
		}, ErrSlow},
		{"with the poller", func(w *world) { w.stop() }, ErrEnded},
	} {
		t.Run(test.name, func(t *testing.T) {
			in(t, func(t *testing.T, w *world) {
				s := w.listensUntil(Posts, "a", time.Now().Add(Interval))
				defer s.Close()
				time.Sleep(Interval)
				s.rest()
				test.end(w)
				time.Sleep(2 * Interval)
				synctest.Wait()
				if err := s.Resume(context.Background(), time.Time{}); !errors.Is(err, test.want) {
					t.Errorf("it goes on with %v", err)
				}
			})
		})
	}
}
