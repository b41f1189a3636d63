//go:build linux

package kill

import (
	"math/rand/v2"
	"testing"
	"time"

	"twibase/hbase/hbasetest/minihbase"
)

func TestKilledRegionServersLoseNothing(t *testing.T) {
	if *servers == 0 {
		t.Skip("it takes minutes: make killservers")
	}
	t.Logf("-seed %d", *seed)
	r := rand.New(rand.NewPCG(*seed, 1))
	security := newSecurity(t)
	h, err := minihbase.StartDistributedSecured(t.Context(), t.TempDir(), security)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Kill)
	f := newFixture(t, h.URL(), 2, writers, r.Uint64())
	f.options = security.Options
	f.start(t)
	end := f.load()
	defer end()
	var total totals
	for n := range *servers {
		time.Sleep(time.Duration(1000+r.IntN(2000)) * time.Millisecond)
		i := n % h.Servers()
		h.KillServer(i)
		f.phase.Add(1)
		t.Logf("killed region server %d: all clients had acknowledgements after %v", i, f.awaitAcknowledgements(t))
		if err := h.StartServer(i); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(time.Duration(1000+r.IntN(2000)) * time.Millisecond)
	f.gateways[1].kill()
	t.Logf("killed a gateway: all clients had acknowledgements after %v", f.awaitAcknowledgements(t))
	end()
	time.Sleep(2 * recoveryTime) // until the leases of the killed gateway end
	facts := f.verify(t)
	f.finishJobs(t)
	total.addKills(*servers+1, facts)
	total.add(f)
	t.Log(total.String())
	var longest time.Duration
	for _, c := range f.clients {
		longest = max(longest, c.longestPause)
	}
	t.Logf("longest pause between two acknowledgements of a client: %v", longest)
}

func newSecurity(t *testing.T) (security minihbase.Security) {
	t.Helper()
	if *withTLS {
		security = newTLS(t)
	}
	if *protect != "" {
		security = security.And(newKerberos(t, *protect))
	}
	return security
}

func newTLS(t *testing.T) minihbase.Security {
	t.Helper()
	authority, err := minihbase.NewAuthority(t.TempDir(), "authority")
	if err != nil {
		t.Fatal(err)
	}
	security, err := minihbase.MutualTLS(authority)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range authority.Environment() {
		t.Setenv(name, value)
	}
	return security
}

func newKerberos(t *testing.T, protection string) minihbase.Security {
	t.Helper()
	kdc, err := minihbase.StartKDC(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(kdc.Kill)
	security, err := kdc.Security(protection)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range kdc.Environment() {
		t.Setenv(name, value)
	}
	return security
}

// A busy HBase needs time to notice a dead region server and to move its regions.
const recoveryTimeout = 3 * time.Minute

func (f *fixture) awaitAcknowledgements(t *testing.T) time.Duration {
	t.Helper()
	began := time.Now()
	for _, c := range f.clients {
		for before := c.acknowledged.Load(); c.acknowledged.Load() < before+2; time.Sleep(10 * time.Millisecond) {
			if time.Since(began) > recoveryTimeout {
				t.Fatalf("%s got no acknowledgement for %v: %s", c.name, recoveryTimeout, f.gateways[0].logTail())
			}
		}
	}
	return time.Since(began).Round(10 * time.Millisecond)
}
