package e2e

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"twibase/transfer"
)

var (
	seed      = flag.Uint64("seed", 0, "the seed of the random queries; 0 takes one from the clock")
	questions = flag.Int("questions", 600, "how many random queries to ask")
)

func TestRandomQueries(t *testing.T) {
	for _, test := range []struct {
		name    string
		part    int // of the questions
		options transfer.Options
		forward bool
	}{
		{"lists of one bucket", 1, transfer.Options{}, false},
		{"lists of many buckets", 2, transfer.Options{ListBound: 5}, true},
		{"many broadcasters", 2, transfer.Options{FanoutLimit: 3}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, generated(t, 1), test.options)
			w.introduce(t)
			w.wholeRoots(t)
			random := *seed
			if random == 0 {
				random = uint64(time.Now().UnixNano())
			}
			t.Logf("-seed %d", random)
			g := &generator{Rand: rand.New(rand.NewPCG(random, 2)), world: w, schema: w.oracle.Schema(), forward: test.forward}
			for range *questions / test.part {
				viewer, query, variables := g.question()
				w.check(t, viewer, query, variables)
			}
			t.Logf("%d of %d answers had errors, as they should", w.failed, len(w.asked))
			if test.part == 1 {
				w.onBothEngines(t)
			}
		})
	}
}
