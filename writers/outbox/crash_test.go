package outbox_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"twibase/hbase"
)

// outcome is what happens to the call at which a gateway crashes.
type outcome int

const (
	notApplied   outcome = iota
	applied              // but the gateway does not get the answer
	appliedLater         // when another gateway has done the item
	outcomes
)

// crashing is the store of a gateway that crashes at a call. The scan that finds the item is not a call: it
// changes nothing.
type crashing struct {
	hbase.Store
	at, calls int
	what      outcome
	late      func()
}

func (s *crashing) call(do func()) error {
	s.calls++
	switch {
	case s.calls <= s.at:
		do()
		return nil
	case s.calls > s.at+1:
		return errDown
	}
	switch s.what {
	case applied:
		do()
	case appliedLater:
		s.late = do
	}
	return errDown
}

func (s *crashing) Get(ctx context.Context, gets []hbase.Get) (results []hbase.Result, err error) {
	down := s.call(func() { results, err = s.Store.Get(ctx, gets) })
	if down != nil {
		return nil, down
	}
	return results, err
}

func (s *crashing) Mutate(ctx context.Context, mutations []hbase.Mutation) (errs []error, err error) {
	down := s.call(func() { errs, err = s.Store.Mutate(ctx, mutations) })
	if down != nil {
		return nil, down
	}
	return errs, err
}

func (s *crashing) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (done bool, err error) {
	down := s.call(func() { done, err = s.Store.CheckAndPut(ctx, check, put) })
	if down != nil {
		return false, down
	}
	return done, err
}

// Whatever call a gateway crashes at, and whatever becomes of that call: another gateway does the rest, skips no
// number, begins at the earliest with the one that was recorded last, and nothing of the item comes back.
func TestAGatewayMayCrashAtAnyCall(t *testing.T) {
	const size = 3
	calls := 0
	for at, crashed := 0, true; crashed; at++ {
		for what := range outcomes {
			t.Run(fmt.Sprintf("call %d, outcome %d", at, what), func(t *testing.T) {
				in(t, func(b *bench) {
					store := &crashing{Store: b.store, at: at, what: what}
					dead, o := b.gateway(&gateway{store: store, pause: 10 * time.Second})
					id := b.put(time.Now(), fmt.Sprint(size))
					_, _ = o.Sweep(b.Context())
					time.Sleep(11 * time.Second) // it was deferred
					_, _ = o.Sweep(b.Context())
					calls, crashed = store.calls, store.calls > at
					g, o := b.gateway(&gateway{pause: 10 * time.Second})
					stop := b.run(o)
					time.Sleep(30 * time.Second)
					stop()
					if store.late != nil {
						store.late()
					}
					_, _ = o.Sweep(b.Context())
					if b.left() != 0 {
						b.Errorf("%d items are left", b.left())
					}
					written := append(dead.written[id], g.written[id]...)
					once := slices.Compact(slices.Clone(written))
					if len(written) > size+1 || !slices.Equal(once, []int{0, 1, 2}) {
						b.Errorf("written: %v", written)
					}
				})
			})
		}
	}
	if calls != 8 { // a read, a renewal for each number, a deferral; a read, a release and the removal
		t.Errorf("a gateway that lives makes %d calls", calls)
	}
}
