package writers

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

// What a gateway left is old five seconds later by the clock of who sweeps: so much later as that is behind, and sooner if it is ahead. A gateway
// that has swept before finds it though its clock says that it is older than all that it looked at.
func TestWhatAGatewayLeftIsSweptThoughClocksDiffer(t *testing.T) {
	ahead := func(d time.Duration) func() time.Time { return func() time.Time { return time.Now().Add(d) } }
	for _, left := range []time.Duration{-apart, 0, apart} {
		for _, sweeps := range []time.Duration{-apart, 0, apart} {
			t.Run(fmt.Sprintf("a clock %v ahead, swept by one %v ahead", left, sweeps), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := openStore(t)
					defer store.Close()
					must(t, store, user("a"), user("b"))
					w := New(store, Options{})
					w.now = ahead(sweeps)
					ctx, end := context.WithCancel(t.Context())
					ended := make(chan struct{})
					go func() {
						w.Run(ctx)
						close(ended)
					}()
					time.Sleep(time.Minute / 2)
					var decided atomic.Bool
					dies := New(hbasetest.NewFaults(store, func(op hbasetest.Op) (fault hbasetest.Fault) {
						if decided.Load() {
							fault.Err = hbase.ErrUnavailable
						}
						if op.Kind == "CheckAndPut" {
							decided.Store(true)
						}
						return fault
					}), Options{parallel: 1})
					dies.now = ahead(left)
					if dies.Relate(t.Context(), tables.Follows, "a", "b") == nil {
						t.Error("it did not die")
					}
					time.Sleep(oldIntent + max(0, left-sweeps) + 2*tick)
					if n, err := intents(t.Context(), store); n != 0 || err != nil {
						t.Error(n, "intents are left after the sweep", err)
					}
					end()
					<-ended
					dies.Close(t.Context())
				})
			})
		}
	}
}
