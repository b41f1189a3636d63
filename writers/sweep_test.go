package writers

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

func anyStep(kind string) func(kind, what string) bool {
	return func(k, what string) bool { return k == kind && strings.HasPrefix(what, "now ") }
}

func TestALongWriteThatWasLeftBehindHoldsUpNoOther(t *testing.T) {
	swept(t, func(t *testing.T, store hbase.Store) {
		first, second, one, two := newSwept(store), newSwept(store), newSwept(store), newSwept(store)
		one.run(t)
		two.run(t)
		if err := first.DeleteUser(t.Context(), "hub"); err != nil {
			t.Fatal(err)
		}
		wait(t, 10*time.Second, func() bool { return len(first.did("deleteUser")) > 0 })
		time.Sleep(1200 * time.Millisecond) // the first page of followers is read, and its effects are under way
		first.die(func(string, string) bool { return true })
		died := time.Now()
		wait(t, leased+2*tick, func() bool { return len(one.did("deleteUser"))+len(two.did("deleteUser")) > 0 })
		// Only now somebody else leaves something short.
		time.Sleep(2 * time.Second)
		second.die(anyStep("follow"))
		if err := second.Relate(t.Context(), tables.Follows, "Lucy", "LiLei"); err == nil {
			t.Fatal("it does not die")
		}
		wait(t, 10*time.Second, func() bool { return !slices.Contains(open(t, store), "follow") })
		if !slices.Contains(open(t, store), "deleteUser") {
			t.Error("the long one was done in ", time.Since(died))
		}
		wait(t, time.Minute, func() bool { return len(open(t, store)) == 0 })
		for _, kind := range []string{"deleteUser", "follow"} {
			if one, two := one.did(kind), two.did(kind); (len(one) > 0) == (len(two) > 0) {
				t.Errorf("%s: one gateway was at it %d times, and another %d times", kind, len(one), len(two))
			}
		}
		for _, g := range []*sweptGateway{first, second, one, two} {
			g.end(t, time.Second)
		}
	})
}

func TestWhatAGatewayCarriesOnInTheBackgroundIsItsOwn(t *testing.T) {
	swept(t, func(t *testing.T, store hbase.Store) {
		one, two := newSwept(store), newSwept(store)
		two.run(t)
		began := time.Now()
		if err := one.DeleteUser(t.Context(), "hub"); err != nil {
			t.Fatal(err)
		}
		wait(t, time.Minute, func() bool { return len(open(t, store)) == 0 })
		if time.Since(began) < oldIntent+2*leased {
			t.Error("it took only ", time.Since(began))
		}
		if did := two.did("deleteUser"); len(did) > 0 {
			t.Errorf("another was at it %d times", len(did))
		}
		one.end(t, time.Second)
		two.end(t, time.Second)
	})
}

func TestALongWriteIsWatchedWithoutAScanOfAllSinceItBegan(t *testing.T) {
	swept(t, func(t *testing.T, store hbase.Store) {
		one, two := newSwept(store), newSwept(store)
		two.run(t)
		time.Sleep(oldIntent)
		began := time.Now()
		if err := one.DeleteUser(t.Context(), "hub"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(wholeSweep / 2)
		if from := two.scan(); !from.After(began.Add(oldIntent)) {
			t.Errorf("a scan begins %v after it", from.Sub(began))
		}
		one.die(func(string, string) bool { return true })
		wait(t, leased+2*tick, func() bool { return len(two.did("deleteUser")) > 0 })
		wait(t, time.Minute, func() bool { return len(open(t, store)) == 0 })
		one.end(t, time.Second)
		two.end(t, time.Second)
	})
}

func TestWhatWaitsForASlotIsDoneByAGatewayThatHasOne(t *testing.T) {
	swept(t, func(t *testing.T, store hbase.Store) {
		one, two := newSwept(store), newSwept(store)
		one.slots = make(chan struct{}, 1)
		if err := errors.Join(createLead(t.Context(), one.Writers), one.DeleteUser(t.Context(), "hub"), one.DeleteRole(t.Context(), "lead")); err != nil {
			t.Fatal(err)
		}
		two.run(t)
		wait(t, 10*time.Second, func() bool { return !slices.Contains(open(t, store), "deleteRole") })
		if did := two.did("deleteUser"); len(did) > 0 {
			t.Errorf("what had a slot was done %d times by another", len(did))
		}
		wait(t, time.Minute, func() bool { return len(open(t, store)) == 0 })
		one.end(t, time.Second)
		two.end(t, time.Second)
		if did := one.did("deleteRole"); len(did) > 0 {
			t.Errorf("what waited for one was done %d times again", len(did))
		}
	})
}

func TestAGatewayThatStoodStillLetsGoOfWhatOthersTook(t *testing.T) {
	for _, sweeps := range []bool{false, true} {
		t.Run(map[bool]string{false: "in the background", true: "in a sweep"}[sweeps], func(t *testing.T) {
			swept(t, func(t *testing.T, store hbase.Store) {
				one, two := newSwept(store), newSwept(store)
				if sweeps {
					dead := newSwept(store)
					dead.die(func(kind, what string) bool { return kind == "deleteUser" && what == "each" })
					if err := dead.DeleteUser(t.Context(), "hub"); err != nil {
						t.Fatal(err)
					}
					dead.end(t, time.Second)
					one.run(t)
				} else if err := one.DeleteUser(t.Context(), "hub"); err != nil {
					t.Fatal(err)
				}
				wait(t, 10*time.Second, func() bool { return len(one.did("deleteUser")) > 0 })
				time.Sleep(1200 * time.Millisecond) // the first page of followers is read, and its effects are under way
				two.run(t)
				one.stand(oldIntent + leased)
				wait(t, oldIntent+leased, func() bool { return len(two.did("deleteUser")) > 0 })
				wait(t, time.Minute, func() bool { return len(open(t, store)) == 0 })
				last := one.did("deleteUser")
				if since := last[len(last)-1].Sub(two.did("deleteUser")[0]); since > leased {
					t.Errorf("it was still at it %v after it was taken", since)
				}
				one.end(t, time.Second)
				two.end(t, time.Second)
			})
		})
	}
}

func TestRunEndsWhatItBegan(t *testing.T) {
	for _, test := range []struct {
		name     string
		patience time.Duration
		whole    bool
	}{{"if it may take so long", time.Minute, true}, {"or what may not is left to others", 3 * time.Second, false}} {
		t.Run(test.name, func(t *testing.T) {
			swept(t, func(t *testing.T, store hbase.Store) {
				dead, one, two := newSwept(store), newSwept(store), newSwept(store)
				dead.die(func(kind, what string) bool { return kind == "deleteUser" && what == "each" })
				if err := dead.DeleteUser(t.Context(), "hub"); err != nil {
					t.Fatal(err)
				}
				dead.end(t, time.Second)
				one.run(t)
				wait(t, 10*time.Second, func() bool { return len(one.did("deleteUser")) > 0 })
				time.Sleep(1200 * time.Millisecond) // the first page of followers is read, and its effects are under way
				one.end(t, test.patience)
				if whole := len(open(t, store)) == 0; whole != test.whole {
					t.Errorf("whole: %v", whole)
				}
				two.run(t)
				wait(t, time.Minute, func() bool { return len(open(t, store)) == 0 })
				two.end(t, time.Second)
			})
		})
	}
}

// lastRenewal holds a gateway's renewals back until on is closed, and tells what became of them.
type lastRenewal struct {
	hbase.Store
	on   chan struct{}
	done chan bool
}

func (s lastRenewal) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (bool, error) {
	if put.Table != tables.Intents.Table {
		return s.Store.CheckAndPut(ctx, check, put)
	}
	<-s.on
	done, err := s.Store.CheckAndPut(context.WithoutCancel(ctx), check, put)
	s.done <- done || err != nil
	return done, err
}

func TestARenewalThatComesLateLeavesNothingWhereTheIntentWas(t *testing.T) {
	swept(t, func(t *testing.T, store hbase.Store) {
		late := lastRenewal{store, make(chan struct{}), make(chan bool, 1)}
		one, two := New(late, Options{}), New(store, Options{})
		watch, at, on := halts(func(kind, what string) bool { return kind == "deleteUser" && what == "each" })
		one.watch = watch
		if err := one.DeleteUser(t.Context(), "hub"); err != nil {
			t.Fatal(err)
		}
		<-at
		time.Sleep(leased) // A renewal is on its way.
		if err := helpAll(t.Context(), store, two, "deleteUser"); err != nil {
			t.Fatal(err)
		}
		close(late.on)
		select {
		case done := <-late.done:
			if done {
				t.Error("it was done")
			}
		case <-time.After(leased):
			t.Error("there was none")
		}
		on()
		one.Close(t.Context())
		two.Close(t.Context())
	})
}
