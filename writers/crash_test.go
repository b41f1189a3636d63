package writers

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"twibase/e2e/shrink"
	"twibase/hbase"
	"twibase/hbase/tables"
)

const seedSetting = "TWIBASE_SEED"

func firstSeed(t *testing.T) uint64 {
	t.Helper()
	seed := rand.Uint64() >> 20
	if s := os.Getenv(seedSetting); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	t.Logf("%s=%d repeats this test", seedSetting, seed)
	return seed
}

func histories() int { return scaled(3000) }

// The command 'make test' sets CI.
var thorough = os.Getenv("CI") != ""

func scaled(n int) int {
	if thorough {
		return n
	}
	return n / 15
}

// pace slows half of the histories, so that leases expire unless they are renewed.
func pace(i int) time.Duration { return time.Duration(i/6%2) * time.Second }

func (h history) mustPass(t *testing.T) historyResult {
	t.Helper()
	r := h.run(t)
	if r.failed() {
		h, r = shrink.Down(h, r, func(h history) (historyResult, bool) {
			r := h.run(t)
			return r, r.failed()
		})
		t.Fatalf("seed %d, order %d, fault rate %v, %v at %v:\n%s", h.seed, h.order, h.faultRate, h.fault, h.planned, r)
	}
	return r
}

// After a sweep, derived data match their source.
func TestEveryHistoryIsLinearizableAndComplete(t *testing.T) {
	t.Parallel()
	seed := firstSeed(t)
	searched := 0
	for i := range histories() {
		r := history{seed: seed + uint64(i), nouns: modelled, clients: 2 + i%4, calls: 1 + i%3,
			faultRate: float64(i%5) * 0.03, bound: []int{2, 1000}[i%2], pace: pace(i)}.mustPass(t)
		searched = max(searched, r.searched)
	}
	t.Logf("%d histories; at most %d states were searched for an order of the calls", histories(), searched)
}

func TestEveryCrashPointIsSafe(t *testing.T) {
	t.Parallel()
	seed := firstSeed(t)
	e := &exploration{t: t, reached: map[point][]history{}, origins: map[point]map[string]bool{},
		had: map[point]map[fault]bool{}, expected: map[point]bool{}}
	for _, noun := range modelled {
		for i := range scaled(450) {
			e.explore(history{seed: seed + uint64(i), nouns: []modelNoun{noun}, clients: 1 + i%4, calls: 1 + i%3,
				faultRate: float64(i%5/4) * 0.1, bound: []int{2, 1000}[i%2], pace: pace(i)})
		}
	}
	for _, noun := range contendedNouns {
		for i := range scaled(150) {
			e.explore(history{seed: seed + uint64(i), nouns: []modelNoun{noun}, clients: 2 + i%3, calls: 8,
				faultRate: float64(i%3) * 0.02, bound: 2, pace: pace(i)})
		}
	}
	if thorough {
		e.seekRecovery()
	}
	for before := 0; len(e.reached) > before; {
		before = len(e.reached)
		for i, p := range slices.SortedFunc(maps.Keys(e.reached), point.compare) {
			for m := noFault + 1; m < faultCount; m++ {
				if thorough || len(e.had[p]) == 0 && (uint64(i)+seed)%uint64(faultCount-1) == uint64(m-1) {
					e.inject(p, m)
				}
			}
		}
	}
	done, all := 0, 0
	for p := range e.reached {
		done += len(e.had[p])
		all += int(faultCount - 1)
	}
	t.Logf("%d of %d crash points in %d histories: %d points, %d faults at each",
		done, all, e.histories, len(e.reached), faultCount-1)
	for name, k := range opTypes {
		if !e.expected[point{name, "intent"}] {
			t.Errorf("no history has operation type %q: see modelNoun", name)
		}
		for _, p := range protocolPoints(name, k) {
			if thorough && len(e.reached[p]) == 0 {
				t.Errorf("no history reaches %v, which every operation of the type has", p)
			}
		}
	}
	for p := range e.expected {
		if thorough && len(e.reached[p]) == 0 {
			t.Errorf("no history reaches %v, which the effects have", p)
		}
	}
	if *rewrite {
		e.rewriteList(t)
	}
	list := listed(t)
	missing := 0
	for _, p := range list {
		if len(e.had[p]) == int(faultCount-1) {
			continue
		}
		if missing++; thorough {
			t.Errorf("%v: %d of %d faults happened there. "+
				"If the point was removed: CI=true go test ./writers -run CrashPointIsSafe -rewrite",
				p, len(e.had[p]), faultCount-1)
		}
	}
	t.Logf("every fault happened at %d of the %d points in %s", len(list)-missing, len(list), pointsFile)
}

func (p point) compare(other point) int {
	return cmp.Or(cmp.Compare(p.opType, other.opType), cmp.Compare(p.purpose, other.purpose))
}

func (p point) String() string { return fmt.Sprintf("%s: %s", p.opType, p.purpose) }

func (s *scheduler) expectPoints(put hbase.Put) {
	i, ok, err := tables.Intents.Decode(put.Row, put.Cells)
	if err != nil || !ok {
		return
	}
	a, err := opTypes[i.OpType].parse(i.Arguments)
	if err != nil {
		panic(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	note := func(purpose string) { s.expected[point{i.OpType, purpose}] = true }
	note("intent")
	note("remove intent")
	if i.Table != "" {
		note("commit")
	}
	p := opTypes[i.OpType].effects(a, operation{i.ID, i.At})
	for label, stages := range map[string][]stage{"now ": p.now, "later ": p.later} {
		for n, effects := range stages {
			for _, st := range effects {
				label := fmt.Sprint(label, n, " ")
				switch st := st.(type) {
				case count:
					note(label + "count " + st.table)
				case each, nested:
					if i.Table != "" {
						note("mark")
					}
					if _, isEach := st.(each); isEach {
						note("renew, read")
						note("renew")
					}
				default:
					note(label + st.String())
				}
			}
		}
	}
}
