package outbox_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"twibase/hbase"
)

type outcome int

const (
	notApplied outcome = iota
	applied
	appliedLater // after another gateway has done the item
	outcomes
)

func (o outcome) String() string { return [...]string{"not applied", "applied", "applied later"}[o] }

// crashing does not count scans.
type crashing struct {
	hbase.Store
	at, calls int
	outcome   outcome
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
	switch s.outcome {
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

// Another gateway skips no number, and repeats at most the last recorded one. Nothing of the item
// reappears.
func TestItemSurvivesACrashAtAnyCall(t *testing.T) {
	const size = 3
	calls := 0
	for at, crashed := 0, true; crashed; at++ {
		for outcome := range outcomes {
			t.Run(fmt.Sprintf("call %d %s", at, outcome), func(t *testing.T) {
				withFakeClock(t, func(f *fixture) {
					store := &crashing{Store: f.store, at: at, outcome: outcome}
					predecessor, o := f.gateway(&gateway{store: store, pause: 10 * time.Second})
					id := f.put(time.Now(), fmt.Sprint(size))
					_, _ = o.Sweep(f.Context())
					time.Sleep(11 * time.Second)
					_, _ = o.Sweep(f.Context())
					calls, crashed = store.calls, store.calls > at
					successor, o := f.gateway(&gateway{pause: 10 * time.Second})
					stop := f.run(o)
					time.Sleep(30 * time.Second)
					stop()
					if store.late != nil {
						store.late()
					}
					_, _ = o.Sweep(f.Context())
					if n := f.remaining(); n != 0 {
						f.Errorf("got %d remaining items, want 0", n)
					}
					written := append(predecessor.written[id], successor.written[id]...)
					once := slices.Compact(slices.Clone(written))
					if len(written) > size+1 || !slices.Equal(once, []int{0, 1, 2}) {
						f.Errorf("got %v written, want 0, 1, 2 with at most one repetition", written)
					}
				})
			})
		}
	}
	if calls != 8 { // a read, a renewal per number, a deferral; a read, a release and the removal
		t.Errorf("got %d calls without a crash, want 8", calls)
	}
}
