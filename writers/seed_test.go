package writers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whom a timer wakes at the very same time goes on in no certain order. Everything else follows from the seed, or a history that went wrong
// could not be made smaller.
func TestASeedRepeatsAHistory(t *testing.T) {
	seed, runs := firstSeed(t), few(600)
	var differ []string
	for i := range runs {
		h := history{seed: seed + uint64(i), nouns: modelled, clients: 2 + i%4, calls: 1 + i%3, faults: float64(i%5) * 0.03, bound: []int{2, 1000}[i%2],
			pace: pace(i)}
		first, again := h.run(t), h.run(t)
		if diff := cmp.Diff(first.turns.log, again.turns.log); diff != "" {
			differ = append(differ, fmt.Sprintf("seed %d (-first +again):\n%.1500s", h.seed, diff))
		}
	}
	if len(differ) > max(1, runs/50) {
		t.Errorf("%d of %d histories were others when they were run again:\n%s", len(differ), runs, strings.Join(differ, "\n"))
	}
}
