//go:build linux

package kill

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"twibase/hbase/hbasetest/minihbase"
)

var (
	kills   = flag.Int("kills", 25, "number of gateways to kill")
	servers = flag.Int("servers", 0, "number of region servers to kill")
	withTLS = flag.Bool("tls", false, "use TLS and client certificates between gateways and region servers")
	protect = flag.String("kerberos", "", "use Kerberos with this value of hbase.rpc.protection")
	seed    = flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of mutations and of the times of kills")
)

const (
	stores = 5
	// burst is the number of kills between verifications.
	burst   = 5
	writers = 5
)

// Operations must be complete ten seconds after the restart.
func TestKilledGatewaysLoseNothing(t *testing.T) {
	minihbase.Slow(t)
	t.Logf("-seed %d", *seed)
	seeds := rand.New(rand.NewPCG(*seed, 0))
	var mu sync.Mutex
	left := *kills
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		n := min(burst, left)
		left -= n
		return n
	}
	var total totals
	t.Run("stores", func(t *testing.T) {
		for i := range min(stores, (*kills+burst-1)/burst) {
			r := rand.New(rand.NewPCG(seeds.Uint64(), uint64(i)))
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				f := newFixture(t, "embedded:"+t.TempDir(), 1, writers, r.Uint64())
				for n := take(); n > 0 && len(f.failures) == 0; n = take() {
					f.start(t)
					f.killRepeatedly(t, r, n)
					time.Sleep(recoveryTime)
					total.addKills(n, f.verify(t))
				}
				f.finishJobs(t)
				total.add(f)
			})
		}
	})
	t.Log(total.String())
	if *kills >= 4*stores*burst && (total.becameBroadcaster == 0 || total.stoppedBroadcasting == 0) {
		t.Error("no author became a broadcaster, or none stopped being one")
	}
}

// Writes stop before the last kill, when the gateway may be completing stale intents.
func (f *fixture) killRepeatedly(t *testing.T, r *rand.Rand, kills int) {
	g := f.gateways[0]
	end := f.load()
	for n := range kills {
		last := n == kills-1
		pause := time.Duration(r.IntN(1000)) * time.Millisecond
		if last {
			end()
			pause *= 8
		}
		time.Sleep(pause)
		g.kill()
		if !last {
			f.phase.Add(1)
		}
		g.start(t)
		if last || r.IntN(4) > 0 { // otherwise the next kill may come before it is ready
			g.awaitReady(t)
		}
	}
	end()
}

type totals struct {
	mu                                     sync.Mutex
	kills, checks, facts, timelineEntries  int
	becameBroadcaster, stoppedBroadcasting int
	acknowledged, unknown, rejected, reads int64
	mutations                              map[string]int64
}

func (c *totals) addKills(kills, facts int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kills, c.checks, c.facts = c.kills+kills, c.checks+1, c.facts+facts
}

func (c *totals) add(f *fixture) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mutations == nil {
		c.mutations = map[string]int64{}
	}
	for name, n := range f.acknowledged {
		c.acknowledged += n.Load()
		c.mutations[name] += n.Load()
	}
	c.timelineEntries += int(f.timelineEntries.Load())
	c.becameBroadcaster += f.becameBroadcaster
	c.stoppedBroadcasting += f.stoppedBroadcasting
	c.unknown += f.unknown.Load()
	c.rejected += f.rejected.Load()
	c.reads += f.reads.Load()
}

func (c *totals) String() string {
	s := fmt.Sprintf("%d kills: %d mutations acknowledged, %d unknown outcomes, %d rejected, %d reads; "+
		"%d facts compared in %d checks, including %d timeline entries; "+
		"authors became broadcasters %d times, and stopped %d times\n",
		c.kills, c.acknowledged, c.unknown, c.rejected, c.reads, c.facts, c.checks, c.timelineEntries,
		c.becameBroadcaster, c.stoppedBroadcasting)
	for _, name := range mutationNames {
		s += fmt.Sprintf("%s %d, ", name, c.mutations[name])
	}
	return strings.TrimSuffix(s, ", ")
}
