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

type point struct{ opType, purpose string }

type fault int

const (
	noFault fault = iota
	notApplied
	responseLost // the call is applied and fails
	appliedLate  // the call fails, and is applied later
	crashBefore  // the gateway dies before the call
	crashAfter
	faultCount
)

func (f fault) String() string {
	return [...]string{"none", "not applied", "response lost", "applied late", "crash before", "crash after"}[f]
}

// scheduler lets one store call proceed at a time. Only its random source decides the order and the
// faults.
type scheduler struct {
	store     *hbasetest.Faults
	under     hbase.Store
	rand      *rand.Rand
	faultRate float64
	// plannedFault happens after plannedSkips calls at planned.
	planned      point
	plannedFault fault
	plannedSkips int
	// If holds is true, plannedFault happens to the first call at planned while holding is true.
	holds, holding bool
	held           *pendingCall
	hit            bool
	extraFaults    []plannedFault

	mu      sync.Mutex
	waiting []*pendingCall
	order   int
	failing func(item int) hbasetest.Fault
	item    int

	dead     map[int]bool
	reached  map[point]bool
	expected map[point]bool
	failed   map[point]map[fault]bool
	log      []string
	pace     time.Duration
}

type pendingCall struct {
	gateway   int
	points    []point
	text      string
	order     int
	writes    bool
	proceed   chan injection
	done      chan struct{}
	abandoned bool
}

// If partial is true, only the items before the number item are applied.
type injection struct {
	fault   fault
	item    int
	partial bool
}

func newScheduler(store hbase.Store, r *rand.Rand) *scheduler {
	s := &scheduler{under: store, rand: r, dead: map[int]bool{}, reached: map[point]bool{},
		expected: map[point]bool{}, failed: map[point]map[fault]bool{}}
	s.store = hbasetest.NewFaults(commitRecorder{store, s}, func(hbasetest.Op) hbasetest.Fault {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.item++
		if s.failing == nil {
			return hbasetest.Fault{}
		}
		return s.failing(s.item - 1)
	})
	return s
}

func (s *scheduler) callError(id int, f fault) error {
	if f == crashBefore {
		return errDead
	}
	return fmt.Errorf("%w: late", hbase.ErrUnavailable)
}

func (s *scheduler) next() bool {
	synctest.Wait()
	s.mu.Lock()
	slices.SortFunc(s.waiting, func(a, b *pendingCall) int {
		return cmp.Or(cmp.Compare(a.gateway, b.gateway), strings.Compare(a.text, b.text), cmp.Compare(a.order, b.order))
	})
	i := s.choose()
	if i < 0 {
		s.mu.Unlock()
		return false
	}
	w := s.waiting[i]
	s.waiting = slices.Delete(s.waiting, i, i+1)
	v := s.inject(w)
	s.log = append(s.log, fmt.Sprintf("%d %v %s %s", w.gateway, w.points, w.text, v.fault))
	s.item, s.failing = 0, nil
	if v.fault == notApplied || v.fault == responseLost || v.partial {
		s.failing = func(item int) hbasetest.Fault {
			if item < v.item {
				return hbasetest.Fault{}
			}
			// Later items are lost, as if a region server had died.
			return hbasetest.Fault{Err: hbase.ErrUnavailable, Done: v.fault == responseLost && item == v.item}
		}
	}
	if v.fault == crashBefore || v.fault == crashAfter {
		s.kill(w.gateway)
	}
	s.mu.Unlock()
	w.proceed <- v
	synctest.Wait()
	time.Sleep(s.pace)
	return true
}

func (s *scheduler) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holding = true
}

func (s *scheduler) awaitHeld() {
	for range 100 {
		s.mu.Lock()
		held := s.held
		s.mu.Unlock()
		if held != nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func (s *scheduler) keep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holding = s.held != nil
}

func (s *scheduler) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holding = false
}

func (s *scheduler) choose() int {
	free := make([]int, 0, len(s.waiting))
	for i, w := range s.waiting {
		if s.holding && s.held == nil && slices.Contains(w.points, s.planned) {
			s.held = w
		}
		if !s.holding || w != s.held {
			free = append(free, i)
		}
	}
	if len(free) == 0 {
		return -1
	}
	return free[s.rand.IntN(len(free))]
}

func (s *scheduler) inject(w *pendingCall) (v injection) {
	if w.abandoned {
		// A call of a dead gateway may have been sent entirely, in part, or not at all.
		if s.dead[w.gateway] && s.rand.IntN(2) == 0 {
			v.fault = crashBefore
		}
		v.item, v.partial = s.rand.IntN(len(w.points)+1), s.rand.IntN(2) == 0
		return v
	}
	points := w.points
	if len(points) == 0 {
		points = []point{{}}
	}
	at := s.rand.IntN(len(points))
	for i, p := range points {
		if p == s.planned && s.plannedFault != noFault && !s.hit && (!s.holds || s.held == w) {
			if s.plannedSkips > 0 {
				s.plannedSkips--
				break
			}
			s.hit, v.fault, at = true, s.plannedFault, i
		}
		s.reached[p] = true
	}
	if i, happens := s.takeExtraFault(points, &v); happens {
		at = i
	}
	if v.fault == noFault && s.faultRate > 0 && s.rand.Float64() < s.faultRate {
		v.fault = fault(1 + s.rand.IntN(int(faultCount)-1))
	}
	v.item = at
	if len(w.points) == 1 {
		v.item = 0
	}
	if v.fault != noFault {
		p := points[at]
		if s.failed[p] == nil {
			s.failed[p] = map[fault]bool{}
		}
		s.failed[p][v.fault] = true
	}
	return v
}

// kill makes a gateway abandon its calls. They may still be applied.
func (s *scheduler) kill(id int) {
	s.dead[id] = true
	s.waiting = slices.DeleteFunc(s.waiting, func(w *pendingCall) bool {
		if w.gateway != id || w.abandoned {
			return false
		}
		go func() { w.proceed <- injection{fault: crashBefore} }()
		return true
	})
}

func (s *scheduler) drain() {
	for synctest.Wait(); ; synctest.Wait() {
		s.mu.Lock()
		for id := range gateways + sweeps {
			s.dead[id] = true
		}
		waiting := s.waiting
		s.waiting = nil
		s.mu.Unlock()
		if len(waiting) == 0 {
			return
		}
		for _, w := range waiting {
			w.proceed <- injection{fault: crashBefore}
		}
	}
}

func (s *scheduler) finish(stop func() bool) bool {
	s.faultRate = 0
	for range 5000 {
		if s.next() {
			continue
		}
		if stop() {
			return true
		}
		time.Sleep(100 * time.Millisecond)
	}
	return false
}
