package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/writers/outbox"
)

func TestGatewaysShareItems(t *testing.T) {
	withFakeClock(t, func(f *fixture) {
		slow := func(context.Context, string, int) error { time.Sleep(100 * time.Millisecond); return nil }
		g1, o1 := f.gateway(&gateway{workers: 4, write: slow})
		g2, o2 := f.gateway(&gateway{workers: 4, write: slow})
		for range 40 {
			f.put(time.Now(), "3")
		}
		stop := f.run(o1, o2)
		time.Sleep(20 * time.Second)
		stop()
		if f.remaining() != 0 || len(g1.done) < 5 || len(g2.done) < 5 || len(g1.done)+len(g2.done) != 40 {
			f.Errorf("got %d items done by one gateway and %d by the other, %d remaining; want 40 in all, each at least 5",
				len(g1.done), len(g2.done), f.remaining())
		}
	})
}

func TestAnotherGatewayContinuesAfterTheLeaseEnds(t *testing.T) {
	withFakeClock(t, func(f *fixture) {
		ctx, die := context.WithCancel(f.Context())
		_, dead := f.gateway(&gateway{write: func(ctx context.Context, _ string, n int) error {
			if n == 2 {
				die()
				return ctx.Err()
			}
			return nil
		}})
		id := f.put(time.Now(), "5")
		_, _ = dead.Sweep(ctx)
		g, o := f.gateway(&gateway{})
		stop := f.run(o)
		defer stop()
		time.Sleep(outbox.LeaseTime - 500*time.Millisecond)
		if synctest.Wait(); len(g.written) > 0 || o.Lag().Pending != 1 {
			f.Errorf("got %v written by another gateway during the lease, want none; lag %v", g.written, o.Lag())
		}
		time.Sleep(2 * time.Second)
		if synctest.Wait(); !slices.Equal(g.written[id], []int{2, 3, 4}) || f.remaining() != 0 {
			f.Errorf("got %v written, want 2, 3, 4; %d items remain", g.written[id], f.remaining())
		}
	})
}

func TestGatewayStopsAfterLosingItsLease(t *testing.T) {
	withFakeClock(t, func(f *fixture) {
		var other *outbox.Outbox[count]
		g, paused := f.gateway(&gateway{write: func(ctx context.Context, _ string, n int) error {
			if n == 1 {
				time.Sleep(outbox.LeaseTime + time.Second)
				_, err := other.Sweep(ctx)
				return err
			}
			return nil
		}})
		g2, o := f.gateway(&gateway{write: func(_ context.Context, _ string, n int) error {
			if n == 3 {
				return errDown
			}
			return nil
		}})
		other = o
		id := f.put(time.Now(), "5")
		if _, err := paused.Sweep(f.Context()); !errors.Is(err, errDown) {
			f.Error(err)
		}
		if _, err := paused.Sweep(f.Context()); err != nil {
			f.Error(err)
		}
		if !slices.Equal(g2.written[id], []int{1, 2}) || slices.Contains(g.written[id], 2) || len(g.done) != 0 {
			f.Errorf("got %v written by the paused gateway and %v by the other, want 2 only by the other", g.written[id], g2.written[id])
		}
		time.Sleep(outbox.LeaseTime + time.Second)
		if _, err := paused.Sweep(f.Context()); err != nil || f.remaining() != 0 {
			f.Errorf("got %d remaining items, error %v; want 0, nil", f.remaining(), err)
		}
	})
}

type leases struct {
	hbase.Store
	got []tables.Lease
}

func (s *leases) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (bool, error) {
	s.got = append(s.got, tables.LeaseOf(put.Cells))
	return s.Store.CheckAndPut(ctx, check, put)
}

// A late CheckAndPut would succeed if two leases were equal.
func TestEachLeaseEndsLaterThanThePrevious(t *testing.T) {
	withFakeClock(t, func(f *fixture) {
		store := &leases{Store: f.store}
		_, o := f.gateway(&gateway{store: store})
		f.put(time.Now(), "3")
		if _, err := o.Sweep(f.Context()); err != nil || len(store.got) != 4 {
			f.Fatal(err, store.got)
		}
		for i, l := range store.got[1:] {
			if before := store.got[i]; l.Until.UnixMilli() <= before.Until.UnixMilli() {
				f.Errorf("got lease %q after %q, want a later end", l.Value, before.Value)
			}
		}
	})
}

func TestNoGatewayTakesADeferredItem(t *testing.T) {
	withFakeClock(t, func(f *fixture) {
		g, o := f.gateway(&gateway{pause: 40 * time.Second})
		_, o2 := f.gateway(&gateway{pause: 40 * time.Second})
		f.put(time.Now(), "1")
		stop := f.run(o, o2)
		defer stop()
		time.Sleep(39 * time.Second)
		if synctest.Wait(); f.remaining() != 1 || o.Lag() != (outbox.Lag{}) || !o.PendingSince().IsZero() {
			f.Errorf("got %d remaining items, lag %v, during the deferral; want 1, none", f.remaining(), o.Lag())
		}
		time.Sleep(3 * time.Second)
		if synctest.Wait(); f.remaining() != 0 {
			f.Errorf("got %d remaining items after the deferral, want 0; written %v", f.remaining(), g.written)
		}
	})
}

func TestScanFindsItemsDespiteClockSkew(t *testing.T) {
	for _, skew := range []struct{ put, work, within time.Duration }{
		{0, 0, 2 * time.Second},
		{9 * time.Second, 0, 2 * time.Second},
		{-9 * time.Second, 0, 2 * time.Second},
		{0, 9 * time.Second, 2 * time.Second},
		{0, -9 * time.Second, 2 * time.Second},
		{-5 * time.Minute, 0, 61 * time.Second}, // by a full scan
	} {
		t.Run(fmt.Sprintf("put %v ahead, worked on %v ahead", skew.put, skew.work), func(t *testing.T) {
			withFakeClock(t, func(f *fixture) {
				_, o := f.gateway(&gateway{clockAhead: skew.work})
				stop := f.run(o)
				defer stop()
				time.Sleep(5 * time.Second)
				f.put(time.Now().Add(skew.put), "1")
				time.Sleep(skew.within)
				if synctest.Wait(); f.remaining() != 0 {
					f.Errorf("got %d remaining items, want 0", f.remaining())
				}
			})
		})
	}
}

func TestFailingItemIsRetriedWithBackoff(t *testing.T) {
	withFakeClock(t, func(f *fixture) {
		var tries []time.Time
		_, o := f.gateway(&gateway{write: func(context.Context, string, int) error {
			tries = append(tries, time.Now())
			if len(tries) < 8 {
				return errDown
			}
			return nil
		}})
		f.put(time.Now(), "1")
		stop := f.run(o)
		time.Sleep(2 * time.Minute)
		stop()
		if len(tries) != 8 || f.remaining() != 0 {
			f.Fatalf("got %d tries and %d remaining items, want 8 and 0", len(tries), f.remaining())
		}
		for i, pause := range []time.Duration{1, 2, 4, 8, 8, 8, 8} {
			longest := pause * time.Second
			if got := tries[i+1].Sub(tries[i]); got < longest/2 || got > longest+time.Second {
				f.Errorf("got pause %d of %v, want %v to %v", i, got, longest/2, longest+time.Second)
			}
		}
	})
}

func TestFailingItemDoesNotBlockOthers(t *testing.T) {
	withFakeClock(t, func(f *fixture) {
		_, o := f.gateway(&gateway{write: func(_ context.Context, id string, _ int) error {
			if at, _ := tables.OpTime(id); at.Before(time.Now().Add(-time.Minute)) {
				return errDown
			}
			return nil
		}})
		f.put(time.Now().Add(-time.Hour), "1")
		f.put(time.Now().Add(-time.Hour), "0")
		f.put(time.Now(), "1")
		stop := f.run(o)
		time.Sleep(3 * time.Second)
		stop()
		if f.remaining() != 2 {
			f.Errorf("got %d remaining items, want 2", f.remaining())
		}
	})
}

func TestCorruptItemsDoNotHideYoungerItems(t *testing.T) {
	withFakeClock(t, func(f *fixture) {
		_, o := f.gateway(&gateway{})
		const corrupt = 5000 // more than a scan queues
		for range corrupt {
			f.put(time.Now().Add(-time.Hour), "0")
		}
		f.put(time.Now().Add(-time.Minute), "1")
		stop := f.run(o)
		time.Sleep(3 * time.Second)
		stop()
		if f.remaining() != corrupt {
			f.Errorf("got %d remaining items, want %d", f.remaining(), corrupt)
		}
	})
}

func TestSweepContinuesAfterAnError(t *testing.T) {
	withFakeClock(t, func(f *fixture) {
		failures := 0
		_, o := f.gateway(&gateway{write: func(context.Context, string, int) error {
			if failures++; failures == 1 {
				return errDown
			}
			return nil
		}})
		f.put(time.Now(), "1")
		f.put(time.Now(), "1")
		if _, err := o.Sweep(f.Context()); err != nil || f.remaining() != 0 {
			f.Errorf("got %d remaining items, error %v; want 0, nil", f.remaining(), err)
		}
	})
}

func TestWorkersProcessTheOldestItemsFirst(t *testing.T) {
	withFakeClock(t, func(f *fixture) {
		running, most := 0, 0
		var mu sync.Mutex
		var order []string
		_, o := f.gateway(&gateway{workers: 3, write: func(_ context.Context, id string, _ int) error {
			mu.Lock()
			running++
			most = max(most, running)
			order = append(order, id)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			running--
			mu.Unlock()
			return nil
		}})
		var ids []string
		for i := range 30 {
			ids = append(ids, f.put(time.Now().Add(time.Duration(i-30)*time.Second), "1"))
		}
		for _, i := range f.ids.Perm(len(ids)) {
			o.Notify(ids[i])
			o.Notify(ids[i])
		}
		stop := f.run(o)
		time.Sleep(15 * time.Second)
		stop()
		for i, some := range slices.Collect(slices.Chunk(order, 3)) {
			if slices.Sort(some); !slices.Equal(some, ids[3*i:min(3*i+3, len(ids))]) {
				f.Errorf("got %q in round %d, want the oldest items", some, i)
			}
		}
		if most != 3 || len(order) != 30 || f.remaining() != 0 {
			f.Errorf("got %d concurrent items, %d in all, %d remaining; want 3, 30, 0", most, len(order), f.remaining())
		}
	})
}

func TestLagReportsPendingAndOldest(t *testing.T) {
	withFakeClock(t, func(f *fixture) {
		_, o := f.gateway(&gateway{write: func(context.Context, string, int) error { return errDown }})
		if !o.PendingSince().Equal(time.UnixMilli(0)) {
			f.Errorf("got %v before the first scan, want 1970", o.PendingSince())
		}
		oldest := time.Now().Add(-time.Hour).Truncate(time.Millisecond)
		f.put(time.Now(), "1")
		f.put(oldest, "1")
		_, _ = o.Sweep(f.Context())
		if lag := o.Lag(); lag.Pending != 2 || !lag.Oldest.Equal(oldest) || !o.PendingSince().Equal(oldest) {
			f.Errorf("got %v pending since %v, want 2 since %v", lag, o.PendingSince(), oldest)
		}
	})
}
