package e2e

import (
	"flag"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"twibase/transfer"
)

var (
	seed      = flag.Uint64("seed", 0, "seed of random queries; 0 is a seed from the clock")
	questions = flag.Int("questions", 600, "number of random queries")
)

func seedOf(t *testing.T) uint64 {
	t.Helper()
	random := *seed
	if random == 0 {
		random = uint64(time.Now().UnixNano())
	}
	t.Logf("-seed %d", random)
	return random
}

func queryCount(flag int) int {
	switch {
	case flag > 0:
		return flag
	case os.Getenv("CI") != "":
		return 20_000
	}
	return 3000
}

func TestRandomQueriesMatchTheOracle(t *testing.T) {
	for _, test := range []struct {
		name    string
		part    int // number of queries is divided by part
		options transfer.Options
		forward bool
	}{
		{"lists of one bucket", 1, transfer.Options{}, false},
		{"lists of many buckets", 2, transfer.Options{ListBound: 5}, true},
		{"many broadcasters", 2, transfer.Options{FanoutLimit: 3}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, generated(t, 1), test.options)
			f.learnExampleIDs(t)
			f.checkRootLists(t)
			random := seedOf(t)
			g := &generator{Rand: rand.New(rand.NewPCG(random, 2)), fixture: f, schema: f.oracle.Schema(), forward: test.forward}
			for range *questions / test.part {
				viewer, query, variables := g.query()
				f.check(t, viewer, query, variables)
			}
			t.Logf("%d of %d responses have errors, as expected", f.failed, len(f.recorded))
			if test.part == 1 {
				f.compareEngines(t)
			}
		})
	}
}
