package live

import (
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

// A later poll offers no timeline a twit that is known or old in the row of its broadcaster.
func TestDeliversNoTwitOfABroadcasterThatNoLaterPollFinds(t *testing.T) {
	for _, test := range []struct {
		name  string
		polls bool // another timeline polls the broadcaster's row
		join  func(f *fixture, posted time.Time) listener
	}{
		{"the row is unreadable during the join", true, func(f *fixture, _ time.Time) listener {
			return f.subscribeWithout(tables.Twits.Row("b", 0))
		}},
		{"the row was never read", false, func(f *fixture, _ time.Time) listener {
			return f.subscribeWithout(tables.Twits.Row("b", 0))
		}},
		{"the first read of the timeline reaches further back", true, func(f *fixture, posted time.Time) listener {
			time.Sleep(2 * Overlap)
			f.setPending(posted.Add(-time.Second))
			return f.subscribe(Timeline, "v")
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			withFixture(t, func(t *testing.T, f *fixture) {
				_, put := tables.Broadcasters.Change("b", tables.Pushed, false, tables.Merged)
				f.put(put)
				if test.polls {
					defer f.subscribe(Timeline, "u").Close()
				}
				x := f.post("b", "x", 0)
				time.Sleep(time.Second)
				s := test.join(f, x.PostedAt)
				defer s.Close()
				delivers := s.Delivers(keyOf(x))
				time.Sleep(time.Minute)
				synctest.Wait()
				if n := len(s.queue); delivers || n > 0 {
					t.Errorf("got Delivers %t, and %d twits were delivered; want false, and none", delivers, n)
				}
			})
		})
	}
}

func (f *fixture) subscribeWithout(row string) listener {
	f.t.Helper()
	f.failRow(row)
	defer f.set(hbasetest.Fault{}, nil)
	return f.subscribe(Timeline, "v")
}
