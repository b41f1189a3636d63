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

// seedSetting repeats a random test.
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
	t.Logf("%s=%d repeats this", seedSetting, seed)
	return seed
}

// histories is how many random ones there are, besides those of the crash points.
func histories() int { return few(3000) }

// long is whether the tests make all their histories: under make test, which sets CI.
var long = os.Getenv("CI") != ""

// few is n, or a part of it that is enough from day to day: other seeds, other histories.
func few(n int) int {
	if long {
		return n
	}
	return n / 15
}

// pace lets every other six histories be slow, so that the leases of what they do run out unless they are renewed.
func pace(i int) time.Duration { return time.Duration(i/6%2) * time.Second }

// must runs a history, or shows the smallest one that goes wrong in the same way.
func (h history) must(t *testing.T) ran {
	t.Helper()
	r := h.run(t)
	if r.wrong() {
		h, r = shrink.Down(h, r, func(h history) (ran, bool) {
			r := h.run(t)
			return r, r.wrong()
		})
		t.Fatalf("seed %d, order %d, faults %v, %v at %v:\n%s", h.seed, h.order, h.faults, h.mishap, h.planned, r)
	}
	return r
}

// Whatever is called at the same time, in whatever order the store answers, and whatever fails or dies: after a sweep everything follows
// from the truth, and the truth is what the calls made of it one after the other.
func TestAnyHistoryIsWholeAfterASweep(t *testing.T) {
	t.Parallel()
	seed := firstSeed(t)
	looked := 0
	for i := range histories() {
		r := history{seed: seed + uint64(i), nouns: modelled, clients: 2 + i%4, calls: 1 + i%3, faults: float64(i%5) * 0.03,
			bound: []int{2, 1000}[i%2], pace: pace(i)}.must(t)
		looked = max(looked, r.looked)
	}
	t.Logf("%d histories; for each an order of its calls was found in %d looks at most", histories(), looked)
}

// At each point of each kind of write, and of what carries on what others left, everything that can go wrong does so.
func TestEveryCrashPointIsSafe(t *testing.T) {
	t.Parallel()
	seed := firstSeed(t)
	e := &exploration{t: t, reached: map[point][]history{}, origins: map[point]map[string]bool{}, had: map[point]map[mishap]bool{}, foretold: map[point]bool{}}
	for _, noun := range modelled {
		for i := range few(450) {
			e.explore(history{seed: seed + uint64(i), nouns: []modelNoun{noun}, clients: 1 + i%4, calls: 1 + i%3, faults: float64(i%5/4) * 0.1,
				bound: []int{2, 1000}[i%2], pace: pace(i)})
		}
	}
	for _, noun := range crowds {
		for i := range few(150) {
			e.explore(history{seed: seed + uint64(i), nouns: []modelNoun{noun}, clients: 2 + i%3, calls: 8, faults: float64(i%3) * 0.02, bound: 2, pace: pace(i)})
		}
	}
	if long {
		e.seek()
	}
	// What goes wrong leads to points that nothing else leads to.
	for before := 0; len(e.reached) > before; {
		before = len(e.reached)
		for i, p := range slices.SortedFunc(maps.Keys(e.reached), point.compare) {
			for m := none + 1; m < mishaps; m++ {
				if long || len(e.had[p]) == 0 && (uint64(i)+seed)%uint64(mishaps-1) == uint64(m-1) {
					e.set(p, m)
				}
			}
		}
	}
	done, all := 0, 0
	for p := range e.reached {
		done += len(e.had[p])
		all += int(mishaps - 1)
	}
	t.Logf("%d of %d crash points, in %d histories: %d points in the writes, %d mishaps at each", done, all, e.histories, len(e.reached), mishaps-1)
	for name, k := range opTypes {
		if !e.foretold[point{name, "intent"}] {
			t.Errorf("no noun of the histories calls for a %q: see modelNoun", name)
		}
		for _, p := range protocol(name, k) {
			if long && len(e.reached[p]) == 0 {
				t.Errorf("no history comes to %v, though every such write has it", p)
			}
		}
	}
	for p := range e.foretold {
		if long && len(e.reached[p]) == 0 {
			t.Errorf("no history comes to %v, though a plan has it", p)
		}
	}
	if *rewrite {
		e.rewriteList(t)
	}
	list := listed(t)
	missing := 0
	for _, p := range list {
		if len(e.had[p]) == int(mishaps-1) {
			continue
		}
		if missing++; long {
			t.Errorf("%v: %d of %d mishaps happened there. If it is no more: CI=true go test ./writers -run CrashPointIsSafe -rewrite", p, len(e.had[p]), mishaps-1)
		}
	}
	t.Logf("all that can go wrong did so at %d of the %d points that %s lists", len(list)-missing, len(list), pointsFile)
}

func (p point) compare(other point) int {
	return cmp.Or(cmp.Compare(p.kind, other.kind), cmp.Compare(p.what, other.what))
}

// String implements fmt.Stringer.
func (p point) String() string { return fmt.Sprintf("%s: %s", p.kind, p.what) }

// foretell notes the points of a write whose intent is being written: from the data alone.
func (t *turns) foretell(put hbase.Put) {
	i, ok, err := tables.Intents.Decode(put.Row, put.Cells)
	if err != nil || !ok {
		return // a mark
	}
	a, err := opTypes[i.Kind].parse(i.Arguments)
	if err != nil {
		panic(err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	note := func(what string) { t.foretold[point{i.Kind, what}] = true }
	note("intent")
	note("remove intent")
	if i.Table != "" {
		note("commit")
	}
	p := opTypes[i.Kind].plan(a, operation{i.ID, i.At})
	for label, stages := range map[string][]stage{"now ": p.now, "later ": p.later} {
		for n, s := range stages {
			for _, st := range s {
				label := fmt.Sprint(label, n, " ")
				switch st := st.(type) {
				case count:
					note(label + "count " + st.table)
				case each, nested:
					if i.Table != "" {
						note("mark")
					}
					if _, long := st.(each); long {
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
