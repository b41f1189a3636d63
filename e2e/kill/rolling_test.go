//go:build linux

package kill

import (
	"flag"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"twibase/hbase/hbasetest/minihbase"
)

var previous = flag.String("previous", "", "commit of the version that is upgraded, such as HEAD~1")

// Two gateways of one HBase are upgraded in turn, downgraded, and upgraded again.
func TestRollingUpgradeLosesNothing(t *testing.T) {
	if *previous == "" {
		t.Skip("it takes minutes: make rolling")
	}
	t.Logf("-seed %d -previous %s", *seed, *previous)
	r := rand.New(rand.NewPCG(*seed, 2))
	old := buildCommit(t, *previous)
	h, err := minihbase.StartDistributed(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Kill)
	if out, err := exec.Command(old, "tables", "create", "--store", h.URL()).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f := newFixture(t, h.URL(), 2, writers, r.Uint64())
	for _, g := range f.gateways {
		g.binary = old
	}
	f.start(t)
	end := f.load()
	defer end()
	restarts := 0
	for _, version := range []string{binary, old, binary} {
		for i, g := range f.gateways {
			time.Sleep(time.Duration(1000+r.IntN(3000)) * time.Millisecond)
			f.phase.Add(1)
			g.stop(syscall.SIGTERM)
			g.binary = version
			g.start(t)
			g.awaitReady(t)
			restarts++
			t.Logf("gateway %d, new version %t: all clients had acknowledgements after %v",
				i, version == binary, f.awaitAcknowledgements(t))
		}
	}
	end()
	time.Sleep(2 * recoveryTime)
	var total totals
	total.addKills(0, f.verify(t))
	f.finishJobs(t)
	total.add(f)
	t.Logf("%d restarts: %s", restarts, total.String())
}

func buildCommit(t *testing.T, commit string) string {
	t.Helper()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"git", "-C", "../..", "archive", "--output", filepath.Join(dir, "source.tar"), commit},
		{"tar", "-xf", filepath.Join(dir, "source.tar"), "-C", dir},
		{"go", "-C", dir, "build", "-buildvcs=false", "-o", "twibase", "."},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
	return filepath.Join(dir, "twibase")
}
