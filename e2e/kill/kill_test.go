//go:build linux

package kill

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"twibase/hbase/hbasetest/minihbase"
)

var (
	kills   = flag.Int("kills", 25, "how many gateways to kill")
	servers = flag.Int("servers", 0, "how many region servers to kill")
	seed    = flag.Uint64("seed", uint64(time.Now().UnixNano()), "of what is written and when a gateway dies")
)

const (
	// stores is how many stores are written to at the same time: most of the time passes in waiting.
	stores = 5
	// burst is how often a gateway dies before it is looked at what became of its store.
	burst = 5
	// writing is how many clients write to a store.
	writing = 5
)

// A gateway that is killed at any moment loses nothing that it acknowledged, and leaves nothing half done for longer than ten seconds.
func TestKilledGatewaysLoseNothing(t *testing.T) {
	minihbase.Slow(t)
	t.Logf("-seed %d", *seed)
	chance := rand.New(rand.NewPCG(*seed, 0))
	var mu sync.Mutex
	left := *kills
	// take gives some of the kills that are left to a store.
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		n := min(burst, left)
		left -= n
		return n
	}
	var total counted
	t.Run("stores", func(t *testing.T) {
		for i := range min(stores, (*kills+burst-1)/burst) {
			r := rand.New(rand.NewPCG(chance.Uint64(), uint64(i)))
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, "embedded:"+t.TempDir(), 1, writing, r.Uint64())
				for n := take(); n > 0 && len(w.faults) == 0; n = take() {
					w.start(t)
					w.die(t, r, n)
					checked := w.whole(t)
					total.add(n, checked)
				}
				w.rest(t)
				total.addWorld(w)
			})
		}
	})
	t.Log(total.String())
	if *kills >= 4*stores*burst && (total.over == 0 || total.back == 0) {
		t.Error("no author crossed the limit, or none came back")
	}
}

// die kills the gateway so often, each time after a moment by chance, and starts it again: while it is written to, but for the last time, when nobody
// writes any more, and it may be about to finish what was left behind.
func (w *world) die(t *testing.T, r *rand.Rand, kills int) {
	g := w.gateways[0]
	end := w.load()
	for n := range kills {
		pause := time.Duration(r.IntN(1000)) * time.Millisecond
		if n == kills-1 {
			end()
			pause *= 8
		}
		time.Sleep(pause)
		g.kill()
		if n < kills-1 {
			w.turns.Add(1)
		}
		g.start(t)
		// Some die before they are ready.
		if n == kills-1 || r.IntN(4) > 0 {
			g.await(t)
		}
	}
	end()
}

// whole waits until the store must be whole, and proves that it is. It returns how many facts were compared.
func (w *world) whole(t *testing.T) int {
	t.Helper()
	time.Sleep(settled)
	return w.proven(t)
}

// proven compares all facts, ends the gateways, and looks whether the store is whole.
func (w *world) proven(t *testing.T) int {
	t.Helper()
	checked := w.verify()
	for _, g := range w.gateways {
		if g.process == nil {
			continue
		}
		if open := g.metric(t, "twibase_fanout_errands"); open != 0 {
			w.wrong("%v jobs are not done", open)
		}
		if n := g.metric(t, "twibase_loader_fallbacks_total"); n != 0 {
			w.wrong("the fallback timer of the loaders fired %v times", n)
		}
		g.end(syscall.SIGTERM)
	}
	status, out := command(t, "repair", "--check", "--store", w.store)
	if status != 0 {
		w.wrong("repair --check: status %d\n%s", status, out)
	}
	w.waits = strings.Contains(out, "jobs are pending")
	w.crosses(t)
	for _, fault := range w.faults {
		t.Error(fault)
	}
	return checked
}

// counted is what happened in all.
type counted struct {
	mu                                    sync.Mutex
	kills, looks, facts                   int
	entries, over, back                   int
	acknowledged, unknown, refused, reads int64
	mutations                             map[string]int64
}

func (c *counted) add(kills, facts int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kills, c.looks, c.facts = c.kills+kills, c.looks+1, c.facts+facts
}

func (c *counted) addWorld(w *world) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mutations == nil {
		c.mutations = map[string]int64{}
	}
	for name, n := range w.acknowledged {
		c.acknowledged += n.Load()
		c.mutations[name] += n.Load()
	}
	c.entries, c.over, c.back = c.entries+int(w.entries.Load()), c.over+w.over, c.back+w.back
	c.unknown, c.refused, c.reads = c.unknown+w.unknown.Load(), c.refused+w.refused.Load(), c.reads+w.reads.Load()
}

func (c *counted) String() string {
	s := fmt.Sprintf("%d kills: %d mutations acknowledged, %d with an outcome that nobody was told, %d refused, %d reads; %d facts compared in %d looks, %d of them twits in timelines; "+
		"authors were seen to cross the limit %d times, and to come back %d times\n",
		c.kills, c.acknowledged, c.unknown, c.refused, c.reads, c.facts, c.looks, c.entries, c.over, c.back)
	for _, name := range mutations {
		s += fmt.Sprintf("%s %d, ", name, c.mutations[name])
	}
	return strings.TrimSuffix(s, ", ")
}
