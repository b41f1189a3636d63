package writers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestASeedRepeatsAHistory(t *testing.T) {
	seed := firstSeed(t)
	for i := range 200 {
		h := history{seed: seed + uint64(i), nouns: modelled, clients: 2 + i%4, calls: 1 + i%3, faults: float64(i%5) * 0.03, bound: []int{2, 1000}[i%2]}
		first, again := h.run(t), h.run(t)
		if diff := cmp.Diff(first.turns.log, again.turns.log); diff != "" {
			t.Errorf("seed %d (-first +again):\n%.1500s", h.seed, diff)
		}
	}
}
