package endpoint

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestAdmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission(2)
		enter := func(ctx context.Context) (leave func(), waited time.Duration) {
			start := time.Now()
			leave, refusal := a.enter(ctx)
			if (leave == nil) != (refusal != nil) {
				t.Errorf("admitted %t, and refused with %v", leave != nil, refusal)
			}
			return leave, time.Since(start)
		}
		first, waited := enter(t.Context())
		if second, also := enter(t.Context()); first == nil || second == nil || waited+also > 0 {
			t.Fatalf("two are not admitted at once: they wait %v and %v", waited, also)
		}

		admitted, sentAway := make(chan func(), waitersEach*2), make(chan time.Duration, waitersEach*2)
		for range waitersEach * 2 {
			go func() {
				if leave, waited := enter(t.Context()); leave != nil {
					admitted <- leave
				} else {
					sentAway <- waited
				}
			}()
		}
		synctest.Wait()
		if leave, waited := enter(t.Context()); leave != nil || waited > 0 {
			t.Errorf("one too many waits %v, and is admitted: %t", waited, leave != nil)
		}
		first()
		first() // a second time, which is nothing
		synctest.Wait()
		select {
		case leave := <-admitted:
			defer leave()
		default:
			t.Error("nobody takes the turn of who left")
		}
		time.Sleep(patience)
		synctest.Wait()
		if n := len(sentAway); n != waitersEach*2-1 {
			t.Errorf("%d lost patience", n)
		}
		for range len(sentAway) {
			if waited := <-sentAway; waited != patience {
				t.Errorf("one waited %v", waited)
			}
		}

		gone, leave := context.WithCancel(t.Context())
		leave()
		if leave, waited := enter(gone); leave != nil || waited > 0 {
			t.Errorf("who has gone waits %v, and is admitted: %t", waited, leave != nil)
		}
		if n := a.waiting.Load(); n != 0 {
			t.Errorf("%d wait for ever", n)
		}
	})
}

func TestWithoutABoundAllAreAdmitted(t *testing.T) {
	a := newAdmission(0)
	for range 100 {
		if _, refusal := a.enter(t.Context()); refusal != nil {
			t.Fatal(refusal)
		}
	}
}
