package writers

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
)

var errDead = errors.New("the gateway is dead")

// point is a place in a write at which something can go wrong: what the call of the store, or that item of it, is for.
type point struct{ kind, what string }

// mishap is what goes wrong there.
type mishap int

const (
	none   mishap = iota
	before        // the call fails and does nothing
	lost          // it is done, and its answer is lost
	late          // it fails, and is done later
	death         // the gateway dies before it
	deathAfter
	mishaps
)

func (m mishap) String() string {
	return [...]string{"none", "before", "answer lost", "late", "death before", "death after"}[m]
}

// turns let one call of a store go at a time, of all that several gateways wait for: whose turn it is, and what goes wrong, is decided by
// chance alone, so that a seed repeats a history.
type turns struct {
	store *hbasetest.Faults // of the item that fails
	under hbase.Store
	rand  *rand.Rand
	// faults is the share of calls that something goes wrong with.
	faults float64
	// planned is a mishap at a certain point, the nth time that it is reached.
	planned       point
	plannedMishap mishap
	plannedAfter  int
	// holds says that it happens to a call that is held: the first one at the point when holding, until release.
	holds, holding bool
	held           *turn
	hit            bool
	// besides are mishaps at certain points that are still to come, each once.
	besides []planned

	mu      sync.Mutex
	waiting []*turn
	order   int
	// failing is what the items of the call whose turn it is fail with, by their place in it.
	failing func(item int) hbasetest.Fault
	item    int

	dead map[int]bool
	// reached are the points that were passed, failed the mishaps there were.
	reached map[point]bool
	// foretold are the points that the plans of the writes tell of.
	foretold map[point]bool
	failed   map[point]map[mishap]bool
	log      []string
	// pace is how long each call takes, so that long writes take long.
	pace time.Duration
}

// turn is a call that waits.
type turn struct {
	gateway int
	points  []point
	text    string
	order   int
	writes  bool
	let     chan verdict
	done    chan struct{}
	// zombie is a call that nobody waits for any more.
	zombie bool
}

type verdict struct {
	mishap mishap
	item   int // the one that it happens to
	// part is whether only the items before that one are done.
	part bool
}

func newTurns(store hbase.Store, r *rand.Rand) *turns {
	t := &turns{under: store, rand: r, dead: map[int]bool{}, reached: map[point]bool{}, foretold: map[point]bool{}, failed: map[point]map[mishap]bool{}}
	t.store = hbasetest.NewFaults(decisions{store, t}, func(hbasetest.Op) hbasetest.Fault {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.item++
		if t.failing == nil {
			return hbasetest.Fault{}
		}
		return t.failing(t.item - 1)
	})
	return t
}

func (t *turns) gone(id int, m mishap) error {
	if m == death {
		return errDead
	}
	return fmt.Errorf("%w: late", hbase.ErrUnavailable)
}

// next lets one call go, if any waits, and reports whether one did. It returns when nothing moves any more.
func (t *turns) next() bool {
	synctest.Wait()
	t.mu.Lock()
	slices.SortFunc(t.waiting, func(a, b *turn) int {
		return cmp.Or(cmp.Compare(a.gateway, b.gateway), strings.Compare(a.text, b.text), cmp.Compare(a.order, b.order))
	})
	i := t.choose()
	if i < 0 {
		t.mu.Unlock()
		return false
	}
	w := t.waiting[i]
	t.waiting = slices.Delete(t.waiting, i, i+1)
	v := t.verdict(w)
	t.log = append(t.log, fmt.Sprintf("%d %v %s %s", w.gateway, w.points, w.text, v.mishap))
	t.item, t.failing = 0, nil
	if v.mishap == before || v.mishap == lost || v.part {
		t.failing = func(item int) hbasetest.Fault {
			if item < v.item {
				return hbasetest.Fault{}
			}
			// What comes behind the item is not done, as when a region server died in the middle.
			return hbasetest.Fault{Err: hbase.ErrUnavailable, Done: v.mishap == lost && item == v.item}
		}
	}
	if v.mishap == death || v.mishap == deathAfter {
		t.kill(w.gateway)
	}
	t.mu.Unlock()
	w.let <- v
	synctest.Wait()
	time.Sleep(t.pace)
	return true
}

// hold lets the next call at the planned point wait.
func (t *turns) hold() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.holding = true
}

// awaitHeld waits a while for a call to be held.
func (t *turns) awaitHeld() {
	for range 100 {
		t.mu.Lock()
		held := t.held
		t.mu.Unlock()
		if held != nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// keep holds no call that comes later.
func (t *turns) keep() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.holding = t.held != nil
}

// release lets the call go that is held.
func (t *turns) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.holding = false
}

// choose returns whose turn it is, -1 if it is nobody's.
func (t *turns) choose() int {
	may := make([]int, 0, len(t.waiting))
	for i, w := range t.waiting {
		if t.holding && t.held == nil && slices.Contains(w.points, t.planned) {
			t.held = w
		}
		if !t.holding || w != t.held {
			may = append(may, i)
		}
	}
	if len(may) == 0 {
		return -1
	}
	return may[t.rand.IntN(len(may))]
}

// verdict decides what goes wrong with a call.
func (t *turns) verdict(w *turn) (v verdict) {
	if w.zombie {
		// One that a death left behind may never have been sent.
		if t.dead[w.gateway] && t.rand.IntN(2) == 0 {
			v.mishap = death
		}
		// Or a part of it was.
		v.item, v.part = t.rand.IntN(len(w.points)+1), t.rand.IntN(2) == 0
		return v
	}
	points := w.points
	if len(points) == 0 {
		points = []point{{}}
	}
	at := t.rand.IntN(len(points))
	for i, p := range points {
		if p == t.planned && t.plannedMishap != none && !t.hit && (!t.holds || t.held == w) {
			if t.plannedAfter > 0 {
				t.plannedAfter--
				break
			}
			t.hit, v.mishap, at = true, t.plannedMishap, i
		}
		t.reached[p] = true
	}
	if i, happens := t.beside(points, &v); happens {
		at = i
	}
	if v.mishap == none && t.faults > 0 && t.rand.Float64() < t.faults {
		v.mishap = mishap(1 + t.rand.IntN(int(mishaps)-1))
	}
	v.item = at
	if len(w.points) == 1 {
		v.item = 0
	}
	if v.mishap != none {
		p := points[at]
		if t.failed[p] == nil {
			t.failed[p] = map[mishap]bool{}
		}
		t.failed[p][v.mishap] = true
	}
	return v
}

// kill ends a gateway. What of its calls was not sent never is; the others are done some time.
func (t *turns) kill(id int) {
	t.dead[id] = true
	t.waiting = slices.DeleteFunc(t.waiting, func(w *turn) bool {
		if w.gateway != id || w.zombie {
			return false
		}
		go func() { w.let <- verdict{mishap: death} }()
		return true
	})
}

// drain ends all that still waits.
func (t *turns) drain() {
	for synctest.Wait(); ; synctest.Wait() {
		t.mu.Lock()
		for id := range gateways + sweeps {
			t.dead[id] = true
		}
		waiting := t.waiting
		t.waiting = nil
		t.mu.Unlock()
		if len(waiting) == 0 {
			return
		}
		for _, w := range waiting {
			w.let <- verdict{mishap: death}
		}
	}
}

// finish lets all calls go, without mishaps, until stop reports true when none waits.
func (t *turns) finish(stop func() bool) bool {
	t.faults = 0
	for range 5000 {
		if t.next() {
			continue
		}
		if stop() {
			return true
		}
		time.Sleep(100 * time.Millisecond)
	}
	return false
}
