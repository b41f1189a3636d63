package writers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Only reproducible histories can be shrunk. A few may differ, because goroutines that timers wake
// at the same time have no order.
func TestSeedReproducesHistory(t *testing.T) {
	seed, runs := firstSeed(t), scaled(600)
	var differ []string
	for i := range runs {
		h := history{seed: seed + uint64(i), nouns: modelled, clients: 2 + i%4, calls: 1 + i%3,
			faultRate: float64(i%5) * 0.03, bound: []int{2, 1000}[i%2], pace: pace(i)}
		first, again := h.run(t), h.run(t)
		if diff := cmp.Diff(first.scheduler.log, again.scheduler.log); diff != "" {
			differ = append(differ, fmt.Sprintf("seed %d (-first +again):\n%.1500s", h.seed, diff))
		}
	}
	if len(differ) > max(1, runs/50) {
		t.Errorf("%d of %d histories differ when they are repeated:\n%s", len(differ), runs, strings.Join(differ, "\n"))
	}
}
