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

func TestTwoGatewaysShareTheItems(t *testing.T) {
	in(t, func(b *bench) {
		slow := func(context.Context, string, int) error { time.Sleep(100 * time.Millisecond); return nil }
		g1, o1 := b.gateway(&gateway{workers: 4, write: slow})
		g2, o2 := b.gateway(&gateway{workers: 4, write: slow})
		for range 40 {
			b.put(time.Now(), "3")
		}
		stop := b.run(o1, o2)
		time.Sleep(20 * time.Second)
		stop()
		if b.left() != 0 || len(g1.done) < 5 || len(g2.done) < 5 || len(g1.done)+len(g2.done) != 40 {
			b.Errorf("%d items are left; one gateway did %d, the other %d", b.left(), len(g1.done), len(g2.done))
		}
	})
}

func TestAnotherGatewayContinuesWhenTheLeaseEnds(t *testing.T) {
	in(t, func(b *bench) {
		ctx, die := context.WithCancel(b.Context())
		_, dead := b.gateway(&gateway{write: func(ctx context.Context, _ string, n int) error {
			if n == 2 {
				die()
				return ctx.Err()
			}
			return nil
		}})
		id := b.put(time.Now(), "5")
		_, _ = dead.Sweep(ctx)
		g, o := b.gateway(&gateway{})
		stop := b.run(o)
		defer stop()
		time.Sleep(outbox.LeaseTime - 500*time.Millisecond)
		if synctest.Wait(); len(g.written) > 0 || o.Lag().Pending != 1 {
			b.Errorf("another gateway wrote %v during the lease, lag %v", g.written, o.Lag())
		}
		time.Sleep(2 * time.Second)
		if synctest.Wait(); !slices.Equal(g.written[id], []int{2, 3, 4}) || b.left() != 0 {
			b.Errorf("it wrote %v, and should continue at 2; %d items are left", g.written[id], b.left())
		}
	})
}

func TestAGatewayThatLostItsLeaseStops(t *testing.T) {
	in(t, func(b *bench) {
		var other *outbox.Outbox[count]
		g, paused := b.gateway(&gateway{write: func(ctx context.Context, _ string, n int) error {
			if n == 1 {
				time.Sleep(outbox.LeaseTime + time.Second) // its process is stopped
				_, err := other.Sweep(ctx)
				return err
			}
			return nil
		}})
		g2, o := b.gateway(&gateway{write: func(_ context.Context, _ string, n int) error {
			if n == 3 {
				return errDown // it keeps the lease
			}
			return nil
		}})
		other = o
		id := b.put(time.Now(), "5")
		if _, err := paused.Sweep(b.Context()); !errors.Is(err, errDown) {
			b.Error(err)
		}
		if _, err := paused.Sweep(b.Context()); err != nil {
			b.Error(err)
		}
		if !slices.Equal(g2.written[id], []int{1, 2}) || slices.Contains(g.written[id], 2) || len(g.done) != 0 {
			b.Errorf("the paused gateway wrote %v, the other %v", g.written[id], g2.written[id])
		}
		time.Sleep(outbox.LeaseTime + time.Second)
		if _, err := paused.Sweep(b.Context()); err != nil || b.left() != 0 {
			b.Errorf("%d items are left, error %v", b.left(), err)
		}
	})
}

// leases is a store that notes the leases that an item gets.
type leases struct {
	hbase.Store
	got []tables.Lease
}

func (s *leases) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (bool, error) {
	s.got = append(s.got, tables.LeaseOf(put.Cells))
	return s.Store.CheckAndPut(ctx, check, put)
}

// A CheckAndPut that arrives late would succeed if a lease came back.
func TestEachLeaseEndsAfterTheOneBefore(t *testing.T) {
	in(t, func(b *bench) {
		store := &leases{Store: b.store}
		_, o := b.gateway(&gateway{store: store})
		b.put(time.Now(), "3")
		if _, err := o.Sweep(b.Context()); err != nil || len(store.got) != 4 {
			b.Fatal(err, store.got)
		}
		for i, l := range store.got[1:] {
			if before := store.got[i]; l.Until.UnixMilli() <= before.Until.UnixMilli() {
				b.Errorf("lease %q follows %q", l.Value, before.Value)
			}
		}
	})
}

func TestADeferredItemWaitsForEverybody(t *testing.T) {
	in(t, func(b *bench) {
		g, o := b.gateway(&gateway{pause: 40 * time.Second})
		_, o2 := b.gateway(&gateway{pause: 40 * time.Second})
		b.put(time.Now(), "1")
		stop := b.run(o, o2)
		defer stop()
		time.Sleep(39 * time.Second)
		if synctest.Wait(); b.left() != 1 || o.Lag() != (outbox.Lag{}) || !o.PendingSince().IsZero() {
			b.Errorf("%d items are left, lag %v", b.left(), o.Lag())
		}
		time.Sleep(3 * time.Second)
		if synctest.Wait(); b.left() != 0 {
			b.Errorf("%d items are left, written %v", b.left(), g.written)
		}
	})
}

func TestItemsOfGatewaysWhoseClocksDifferAreFound(t *testing.T) {
	for _, skew := range []struct{ put, work, within time.Duration }{
		{0, 0, 2 * time.Second},
		{9 * time.Second, 0, 2 * time.Second},
		{-9 * time.Second, 0, 2 * time.Second},
		{0, 9 * time.Second, 2 * time.Second},
		{0, -9 * time.Second, 2 * time.Second},
		{-5 * time.Minute, 0, 61 * time.Second}, // by a full scan
	} {
		t.Run(fmt.Sprintf("put %v ahead, worked on %v ahead", skew.put, skew.work), func(t *testing.T) {
			in(t, func(b *bench) {
				_, o := b.gateway(&gateway{ahead: skew.work})
				stop := b.run(o)
				defer stop()
				time.Sleep(5 * time.Second)
				b.put(time.Now().Add(skew.put), "1")
				time.Sleep(skew.within)
				if synctest.Wait(); b.left() != 0 {
					b.Errorf("%d items are left", b.left())
				}
			})
		})
	}
}

func TestAFailingItemIsRetriedEachTimeLater(t *testing.T) {
	in(t, func(b *bench) {
		var tries []time.Time
		_, o := b.gateway(&gateway{write: func(context.Context, string, int) error {
			tries = append(tries, time.Now())
			if len(tries) < 8 {
				return errDown
			}
			return nil
		}})
		b.put(time.Now(), "1")
		stop := b.run(o)
		time.Sleep(2 * time.Minute)
		stop()
		if len(tries) != 8 || b.left() != 0 {
			b.Fatalf("%d tries, %d items are left", len(tries), b.left())
		}
		for i, pause := range []time.Duration{1, 2, 4, 8, 8, 8, 8} {
			longest := pause * time.Second
			if got := tries[i+1].Sub(tries[i]); got < longest/2 || got > longest+time.Second {
				b.Errorf("pause %d is %v, and should be between %v and %v", i, got, longest/2, longest+time.Second)
			}
		}
	})
}

func TestAnItemThatFailsHoldsUpNoOther(t *testing.T) {
	in(t, func(b *bench) {
		_, o := b.gateway(&gateway{write: func(_ context.Context, id string, _ int) error {
			if at, _ := tables.OpTime(id); at.Before(time.Now().Add(-time.Minute)) {
				return errDown
			}
			return nil
		}})
		b.put(time.Now().Add(-time.Hour), "1")
		b.put(time.Now().Add(-time.Hour), "0") // corrupt
		b.put(time.Now(), "1")
		stop := b.run(o)
		time.Sleep(3 * time.Second)
		stop()
		if b.left() != 2 {
			b.Errorf("%d items are left", b.left())
		}
	})
}

func TestItemsThatCannotBeReadHideNoYoungerOnes(t *testing.T) {
	in(t, func(b *bench) {
		_, o := b.gateway(&gateway{})
		const corrupt = 5000 // more than a scan queues
		for range corrupt {
			b.put(time.Now().Add(-time.Hour), "0")
		}
		b.put(time.Now().Add(-time.Minute), "1")
		stop := b.run(o)
		time.Sleep(3 * time.Second)
		stop()
		if b.left() != corrupt {
			b.Errorf("%d items are left", b.left())
		}
	})
}

func TestASweepGoesOnAfterAnError(t *testing.T) {
	in(t, func(b *bench) {
		failures := 0
		_, o := b.gateway(&gateway{write: func(context.Context, string, int) error {
			if failures++; failures == 1 {
				return errDown
			}
			return nil
		}})
		b.put(time.Now(), "1")
		b.put(time.Now(), "1")
		if _, err := o.Sweep(b.Context()); err != nil || b.left() != 0 {
			b.Errorf("%d items are left, error %v", b.left(), err)
		}
	})
}

func TestMoreItemsThanWorkersAreDoneOldestFirst(t *testing.T) {
	in(t, func(b *bench) {
		running, most := 0, 0
		var mu sync.Mutex
		var order []string
		_, o := b.gateway(&gateway{workers: 3, write: func(_ context.Context, id string, _ int) error {
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
			ids = append(ids, b.put(time.Now().Add(time.Duration(i-30)*time.Second), "1"))
		}
		for _, i := range b.ids.Perm(len(ids)) {
			o.Notify(ids[i])
			o.Notify(ids[i])
		}
		stop := b.run(o)
		time.Sleep(15 * time.Second)
		stop()
		for i, some := range slices.Collect(slices.Chunk(order, 3)) {
			if slices.Sort(some); !slices.Equal(some, ids[3*i:min(3*i+3, len(ids))]) {
				b.Errorf("round %d was not of the oldest", i)
			}
		}
		if most != 3 || len(order) != 30 || b.left() != 0 {
			b.Errorf("%d ran at a time, %d in all, %d are left", most, len(order), b.left())
		}
	})
}

func TestLag(t *testing.T) {
	in(t, func(b *bench) {
		_, o := b.gateway(&gateway{write: func(context.Context, string, int) error { return errDown }})
		if !o.PendingSince().Equal(time.UnixMilli(0)) {
			b.Error("before the first scan nothing is known: ", o.PendingSince())
		}
		oldest := time.Now().Add(-time.Hour).Truncate(time.Millisecond)
		b.put(time.Now(), "1")
		b.put(oldest, "1")
		_, _ = o.Sweep(b.Context())
		if lag := o.Lag(); lag.Pending != 2 || !lag.Oldest.Equal(oldest) || !o.PendingSince().Equal(oldest) {
			b.Error(lag, o.PendingSince())
		}
	})
}
