package conformance

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
)

type histogram struct {
	mu       sync.Mutex
	ends     map[string]map[phase]int
	failed   map[string]int // executed documents with errors
	intended map[string]int
}

func newHistogram() *histogram {
	return &histogram{ends: map[string]map[phase]int{}, failed: map[string]int{}, intended: map[string]int{}}
}

func (h *histogram) add(made string, end outcome) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ends[made] == nil {
		h.ends[made] = map[phase]int{}
	}
	h.ends[made][end.Phase]++
	if end.Phase == execution && len(end.Errors) > 0 {
		h.failed[made]++
	}
}

func (h *histogram) intend(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.intended[name]++
}

func (h *histogram) String() string {
	var text bytes.Buffer
	phases := []phase{syntax, validation, operating, variables, execution}
	fmt.Fprintf(&text, "%-60s %v\n", "", phases)
	total := map[phase]int{}
	for _, made := range slices.Sorted(maps.Keys(h.ends)) {
		fmt.Fprintf(&text, "%-60s", made)
		for _, p := range phases {
			fmt.Fprintf(&text, "%7d", h.ends[made][p])
			total[p] += h.ends[made][p]
		}
		text.WriteByte('\n')
	}
	fmt.Fprintf(&text, "%-60s", "all")
	for _, p := range phases {
		fmt.Fprintf(&text, "%7d", total[p])
	}
	fmt.Fprintf(&text, "\nintended differences: %v", h.intended)
	return text.String()
}

// manyDocuments include about nine of each mutation. By chance, a few mutations, far fewer than
// maxIneffective, make only valid documents.
const (
	manyDocuments  = 10_000
	maxIneffective = 5
)

func (h *histogram) check(t *testing.T, documents int) {
	executed := 0
	for _, ends := range h.ends {
		executed += ends[execution]
	}
	if executed < documents/3 {
		t.Errorf("of %d documents %d were executed, fewer than a third", documents, executed)
	}
	var ineffective []string
	for _, m := range mutations() {
		if m.harmless {
			continue
		}
		broken := h.failed[m.String()]
		for end, n := range h.ends[m.String()] {
			if end != execution {
				broken += n
			}
		}
		if broken == 0 {
			ineffective = append(ineffective, m.String())
		}
	}
	allowed := 0
	if documents < manyDocuments {
		allowed = maxIneffective
	}
	if len(ineffective) > allowed {
		t.Errorf("no document of the mutations %q was rejected", ineffective)
	}
}
