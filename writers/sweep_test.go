package writers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
)

const firstPage = 1200 * time.Millisecond

func firstEffect(opType string) func(opType, purpose string) bool {
	return func(k, purpose string) bool { return k == opType && strings.HasPrefix(purpose, "now ") }
}

func TestStaleLongOperationDoesNotDelayOthers(t *testing.T) {
	withPopularUser(t, func(t *testing.T, store hbase.Store) {
		first, second, one, two := newTestGateway(store), newTestGateway(store), newTestGateway(store), newTestGateway(store)
		one.run(t)
		two.run(t)
		if err := first.DeleteUser(t.Context(), "hub"); err != nil {
			t.Fatal(err)
		}
		waitFor(t, 10*time.Second, func() bool { return len(first.effectsOf("deleteUser")) > 0 })
		time.Sleep(firstPage)
		first.dieAt(func(string, string) bool { return true })
		died := time.Now()
		waitFor(t, leaseTime+2*scanInterval, func() bool {
			return len(one.effectsOf("deleteUser"))+len(two.effectsOf("deleteUser")) > 0
		})
		time.Sleep(2 * time.Second)
		second.dieAt(firstEffect("follow"))
		if err := second.Relate(t.Context(), tables.Follows, "Lucy", "LiLei"); err == nil {
			t.Fatal("the gateway did not die")
		}
		waitFor(t, 10*time.Second, func() bool { return !slices.Contains(openTypes(t, store), "follow") })
		if !slices.Contains(openTypes(t, store), "deleteUser") {
			t.Error("the long operation was complete within ", time.Since(died))
		}
		waitFor(t, time.Minute, func() bool { return len(openTypes(t, store)) == 0 })
		for _, opType := range []string{"deleteUser", "follow"} {
			if one, two := one.effectsOf(opType), two.effectsOf(opType); (len(one) > 0) == (len(two) > 0) {
				t.Errorf("%s: %d effects by one gateway and %d by another, want one gateway", opType, len(one), len(two))
			}
		}
		for _, g := range []*testGateway{first, second, one, two} {
			g.shutDown(t, time.Second)
		}
	})
}

func TestBackgroundWorkKeepsItsLease(t *testing.T) {
	withPopularUser(t, func(t *testing.T, store hbase.Store) {
		one, two := newTestGateway(store), newTestGateway(store)
		two.run(t)
		began := time.Now()
		if err := one.DeleteUser(t.Context(), "hub"); err != nil {
			t.Fatal(err)
		}
		waitFor(t, time.Minute, func() bool { return len(openTypes(t, store)) == 0 })
		if time.Since(began) < staleAge+2*leaseTime {
			t.Error("the operation took only ", time.Since(began))
		}
		if effects := two.effectsOf("deleteUser"); len(effects) > 0 {
			t.Errorf("%d effects by another gateway", len(effects))
		}
		one.shutDown(t, time.Second)
		two.shutDown(t, time.Second)
	})
}

func TestLeasedIntentIsWatchedWithoutFullScans(t *testing.T) {
	withPopularUser(t, func(t *testing.T, store hbase.Store) {
		one, two := newTestGateway(store), newTestGateway(store)
		two.run(t)
		time.Sleep(staleAge)
		began := time.Now()
		if err := one.DeleteUser(t.Context(), "hub"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(fullScanInterval / 2)
		if from := two.lastScan(); !from.After(began.Add(staleAge)) {
			t.Errorf("a scan starts %v after the operation", from.Sub(began))
		}
		one.dieAt(func(string, string) bool { return true })
		waitFor(t, leaseTime+2*scanInterval, func() bool { return len(two.effectsOf("deleteUser")) > 0 })
		waitFor(t, time.Minute, func() bool { return len(openTypes(t, store)) == 0 })
		one.shutDown(t, time.Second)
		two.shutDown(t, time.Second)
	})
}

func TestOperationWithoutSlotIsCompletedByAnotherGateway(t *testing.T) {
	withPopularUser(t, func(t *testing.T, store hbase.Store) {
		one, two := newTestGateway(store), newTestGateway(store)
		one.slots = make(chan struct{}, 1)
		err := errors.Join(createLeadRole(t.Context(), one.Writers),
			one.DeleteUser(t.Context(), "hub"), one.DeleteRole(t.Context(), "lead"))
		if err != nil {
			t.Fatal(err)
		}
		two.run(t)
		waitFor(t, 10*time.Second, func() bool { return !slices.Contains(openTypes(t, store), "deleteRole") })
		if effects := two.effectsOf("deleteUser"); len(effects) > 0 {
			t.Errorf("%d effects by another gateway on the operation with a slot", len(effects))
		}
		waitFor(t, time.Minute, func() bool { return len(openTypes(t, store)) == 0 })
		one.shutDown(t, time.Second)
		two.shutDown(t, time.Second)
		if effects := one.effectsOf("deleteRole"); len(effects) > 0 {
			t.Errorf("%d effects again by the gateway without a slot", len(effects))
		}
	})
}

func TestPausedGatewayStopsAfterLosingTheLease(t *testing.T) {
	for _, sweeps := range []bool{false, true} {
		t.Run(map[bool]string{false: "in the background", true: "in a sweep"}[sweeps], func(t *testing.T) {
			withPopularUser(t, func(t *testing.T, store hbase.Store) {
				one, two := newTestGateway(store), newTestGateway(store)
				if sweeps {
					dead := newTestGateway(store)
					dead.dieAt(func(opType, purpose string) bool { return opType == "deleteUser" && purpose == "each" })
					if err := dead.DeleteUser(t.Context(), "hub"); err != nil {
						t.Fatal(err)
					}
					dead.shutDown(t, time.Second)
					one.run(t)
				} else if err := one.DeleteUser(t.Context(), "hub"); err != nil {
					t.Fatal(err)
				}
				waitFor(t, 10*time.Second, func() bool { return len(one.effectsOf("deleteUser")) > 0 })
				time.Sleep(firstPage)
				two.run(t)
				one.pause(staleAge + leaseTime)
				waitFor(t, staleAge+leaseTime, func() bool { return len(two.effectsOf("deleteUser")) > 0 })
				waitFor(t, time.Minute, func() bool { return len(openTypes(t, store)) == 0 })
				last := one.effectsOf("deleteUser")
				if since := last[len(last)-1].Sub(two.effectsOf("deleteUser")[0]); since > leaseTime {
					t.Errorf("effects %v after the lease was lost", since)
				}
				one.shutDown(t, time.Second)
				two.shutDown(t, time.Second)
			})
		})
	}
}

func TestRunCompletesStartedOperationsBeforeItReturns(t *testing.T) {
	for _, test := range []struct {
		name     string
		timeout  time.Duration
		complete bool
	}{{"complete within the timeout", time.Minute, true}, {"left to other gateways", 3 * time.Second, false}} {
		t.Run(test.name, func(t *testing.T) {
			withPopularUser(t, func(t *testing.T, store hbase.Store) {
				dead, one, two := newTestGateway(store), newTestGateway(store), newTestGateway(store)
				dead.dieAt(func(opType, purpose string) bool { return opType == "deleteUser" && purpose == "each" })
				if err := dead.DeleteUser(t.Context(), "hub"); err != nil {
					t.Fatal(err)
				}
				dead.shutDown(t, time.Second)
				one.run(t)
				waitFor(t, 10*time.Second, func() bool { return len(one.effectsOf("deleteUser")) > 0 })
				time.Sleep(firstPage)
				one.shutDown(t, test.timeout)
				if complete := len(openTypes(t, store)) == 0; complete != test.complete {
					t.Errorf("complete: got %v, want %v", complete, test.complete)
				}
				two.run(t)
				waitFor(t, time.Minute, func() bool { return len(openTypes(t, store)) == 0 })
				two.shutDown(t, time.Second)
			})
		})
	}
}

type delayedRenewals struct {
	hbase.Store
	proceed chan struct{}
	applied chan bool // receives the result
}

func (s delayedRenewals) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (bool, error) {
	if put.Table != tables.Intents.Table {
		return s.Store.CheckAndPut(ctx, check, put)
	}
	<-s.proceed
	done, err := s.Store.CheckAndPut(context.WithoutCancel(ctx), check, put)
	s.applied <- done || err != nil
	return done, err
}

func TestLateLeaseRenewalWritesNothingAfterIntentRemoval(t *testing.T) {
	withPopularUser(t, func(t *testing.T, store hbase.Store) {
		late := delayedRenewals{store, make(chan struct{}), make(chan bool, 1)}
		one, two := New(late, Options{}), New(store, Options{})
		watch, at, on := holdFirst(func(opType, purpose string) bool { return opType == "deleteUser" && purpose == "each" })
		one.observe = watch
		if err := one.DeleteUser(t.Context(), "hub"); err != nil {
			t.Fatal(err)
		}
		<-at
		time.Sleep(leaseTime)
		if err := completeAll(t.Context(), store, two, "deleteUser"); err != nil {
			t.Fatal(err)
		}
		close(late.proceed)
		select {
		case applied := <-late.applied:
			if applied {
				t.Error("the late renewal was applied")
			}
		case <-time.After(leaseTime):
			t.Error("no renewal was sent")
		}
		on()
		one.Close(t.Context())
		two.Close(t.Context())
	})
}

// The sweeping gateway's clock decides whether an intent is stale.
func TestSweepToleratesClockDifferences(t *testing.T) {
	ahead := func(d time.Duration) func() time.Time { return func() time.Time { return time.Now().Add(d) } }
	for _, writer := range []time.Duration{-maxClockError, 0, maxClockError} {
		for _, sweeper := range []time.Duration{-maxClockError, 0, maxClockError} {
			t.Run(fmt.Sprintf("writer's clock %v ahead, sweeper's %v ahead", writer, sweeper), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := openStore(t)
					defer store.Close()
					mustMutate(t, store, importedUsers("a", "b")...)
					w := New(store, Options{})
					w.now = ahead(sweeper)
					ctx, end := context.WithCancel(t.Context())
					ended := make(chan struct{})
					go func() {
						w.Run(ctx)
						close(ended)
					}()
					time.Sleep(time.Minute / 2)
					var committed atomic.Bool
					dies := New(hbasetest.NewFaults(store, func(op hbasetest.Op) (fault hbasetest.Fault) {
						if committed.Load() {
							fault.Err = hbase.ErrUnavailable
						}
						if op.Kind == "CheckAndPut" {
							committed.Store(true)
						}
						return fault
					}), Options{parallel: 1})
					dies.now = ahead(writer)
					if dies.Relate(t.Context(), tables.Follows, "a", "b") == nil {
						t.Error("the gateway did not die")
					}
					time.Sleep(staleAge + max(0, writer-sweeper) + 2*scanInterval)
					if n, err := countIntents(t.Context(), store); n != 0 || err != nil {
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
