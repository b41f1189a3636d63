//go:build linux

package kill

import (
	"math/rand/v2"
	"testing"
	"time"

	"twibase/hbase/hbasetest/minihbase"
)

// A real HBase, and two gateways over it: region servers are killed one after the other, and then one of the gateways, while they are written to.
func TestKilledRegionServersLoseNothing(t *testing.T) {
	if *servers == 0 {
		t.Skip("it takes minutes: make killservers")
	}
	t.Logf("-seed %d", *seed)
	r := rand.New(rand.NewPCG(*seed, 1))
	h, err := minihbase.StartDistributed(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Kill)
	w := newWorld(t, h.URL(), 2, writing, r.Uint64())
	w.start(t)
	end := w.load()
	defer end()
	var total counted
	for n := range *servers {
		time.Sleep(time.Duration(1000+r.IntN(2000)) * time.Millisecond)
		i := n % h.Servers()
		h.KillServer(i)
		w.turns.Add(1)
		t.Logf("region server %d is killed: %v until every client was answered again", i, w.recovers(t))
		if err := h.StartServer(i); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(time.Duration(1000+r.IntN(2000)) * time.Millisecond)
	w.gateways[1].kill()
	t.Logf("a gateway is killed: %v until every client was answered again", w.recovers(t))
	end()
	// The other one finds what it left when nobody holds it any more.
	time.Sleep(2 * settled)
	facts := w.proven(t)
	w.rest(t)
	total.add(*servers+1, facts)
	total.addWorld(w)
	t.Log(total.String())
	var longest time.Duration
	for _, c := range w.clients {
		longest = max(longest, c.longest)
	}
	t.Logf("the longest pause between two answers to a client: %v", longest)
}

// patience is for how long a client may wait while a region server dies: on a busy machine an HBase takes its time to notice, and to move regions.
const patience = 3 * time.Minute

// recovers waits until every client was answered again, and returns how long that took.
func (w *world) recovers(t *testing.T) time.Duration {
	t.Helper()
	began := time.Now()
	for _, c := range w.clients {
		for before := c.answered.Load(); c.answered.Load() < before+2; time.Sleep(10 * time.Millisecond) {
			if time.Since(began) > patience {
				t.Fatalf("%s has no answer for %v: %s", c.name, patience, w.gateways[0].tail())
			}
		}
	}
	return time.Since(began).Round(10 * time.Millisecond)
}
