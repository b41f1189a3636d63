package writers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"twibase/hbase"
	"twibase/hbase/hbasetest"
	"twibase/hbase/tables"
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
	rand  *rand.Rand
	// faults is the share of calls that something goes wrong with.
	faults float64
	// planned is a mishap at a certain point, the nth time that it is reached.
	planned       point
	plannedMishap mishap
	plannedAfter  int
	hit           bool

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
	t := &turns{rand: r, dead: map[int]bool{}, reached: map[point]bool{}, foretold: map[point]bool{}, failed: map[point]map[mishap]bool{}}
	t.store = hbasetest.NewFaults(store, func(hbasetest.Op) hbasetest.Fault {
		t.item++
		if t.failing == nil {
			return hbasetest.Fault{}
		}
		return t.failing(t.item - 1)
	})
	return t
}

// gateway is the store as one gateway sees it.
type gateway struct {
	t  *turns
	id int
}

var _ hbase.Store = gateway{}

type pointsKey struct{}

// traced is the trace of a gateway's Writers.
func traced(ctx context.Context, kind string, what []string) context.Context {
	points := make([]point, len(what))
	for i := range what {
		points[i] = point{kind, what[i]}
	}
	return context.WithValue(ctx, pointsKey{}, points)
}

// wait waits for a call's turn, and makes it. done makes the call; it is called at most once.
func (g gateway) wait(ctx context.Context, text string, writes bool, done func(ctx context.Context) error) error {
	points, _ := ctx.Value(pointsKey{}).([]point)
	w := &turn{gateway: g.id, points: points, text: text, writes: writes, let: make(chan verdict), done: make(chan struct{})}
	g.t.mu.Lock()
	if g.t.dead[g.id] {
		g.t.mu.Unlock()
		return errDead
	}
	g.t.order++
	w.order = g.t.order
	g.t.waiting = append(g.t.waiting, w)
	g.t.mu.Unlock()
	v := <-w.let
	// The call runs without the ctx of its caller: what was sent is done.
	run := func() error { return done(context.WithoutCancel(ctx)) }
	switch v.mishap {
	case late, death:
		// Nobody waits for it. It may have been sent, and is then done in some later turn.
		if !writes {
			close(w.done)
			return g.t.gone(g.id, v.mishap)
		}
		w.zombie = true
		g.t.mu.Lock()
		g.t.waiting = append(g.t.waiting, w)
		g.t.mu.Unlock()
		go func() {
			if v := <-w.let; v.mishap != death {
				_ = run()
			}
			close(w.done)
		}()
		return g.t.gone(g.id, v.mishap)
	}
	defer close(w.done)
	err := run()
	if v.mishap == deathAfter {
		return errDead
	}
	return err
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
	if len(t.waiting) == 0 {
		t.mu.Unlock()
		return false
	}
	slices.SortFunc(t.waiting, func(a, b *turn) int {
		return cmp.Or(cmp.Compare(a.gateway, b.gateway), strings.Compare(a.text, b.text), cmp.Compare(a.order, b.order))
	})
	i := t.rand.IntN(len(t.waiting))
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
	return true
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
		if p == t.planned && t.plannedMishap != none && !t.hit {
			if t.plannedAfter > 0 {
				t.plannedAfter--
				break
			}
			t.hit, v.mishap, at = true, t.plannedMishap, i
		}
		t.reached[p] = true
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
	for _, w := range t.waiting {
		if w.gateway == id && !w.zombie {
			w := w
			go func() { w.let <- verdict{mishap: death} }()
		}
	}
	t.waiting = slices.DeleteFunc(t.waiting, func(w *turn) bool { return w.gateway == id && !w.zombie })
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

func (g gateway) Get(ctx context.Context, gets []hbase.Get) (results []hbase.Result, err error) {
	text := "get"
	for _, get := range gets {
		text += fmt.Sprintf(" %s %q", get.Table, get.Row)
	}
	err = g.wait(ctx, text, false, func(ctx context.Context) error {
		results, err = g.t.store.Get(ctx, gets)
		return err
	})
	return results, err
}

func (g gateway) Mutate(ctx context.Context, mutations []hbase.Mutation) (errs []error, err error) {
	text := "mutate"
	for _, m := range mutations {
		table, row := m.At()
		text += fmt.Sprintf(" %s %q", table, row)
		if put, ok := m.(hbase.Put); ok && table == tables.Intents.Table {
			g.t.foretell(put)
		}
	}
	mutations = slices.Clone(mutations)
	var all []error
	err = g.wait(ctx, text, true, func(ctx context.Context) (err error) {
		all, err = g.t.store.Mutate(ctx, mutations)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

func (g gateway) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (done bool, err error) {
	var answer bool
	err = g.wait(ctx, fmt.Sprintf("check %s %q %q", put.Table, put.Row, check.Value), true, func(ctx context.Context) (err error) {
		answer, err = g.t.store.CheckAndPut(ctx, check, put)
		return err
	})
	if err != nil {
		return false, err
	}
	return answer, nil
}

func (g gateway) Scan(ctx context.Context, scan hbase.Scan) iter.Seq2[hbase.Row, error] {
	return func(yield func(hbase.Row, error) bool) {
		var rows []hbase.Row
		err := g.wait(ctx, fmt.Sprintf("scan %s %q", scan.Table, scan.Start), false, func(ctx context.Context) error {
			for row, err := range g.t.store.Scan(ctx, scan) {
				if err != nil {
					return err
				}
				rows = append(rows, row)
			}
			return nil
		})
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
		if err != nil {
			yield(hbase.Row{}, err)
		}
	}
}

func (g gateway) Increment(context.Context, hbase.Increment) (int64, error) {
	panic("an increment may be done twice")
}
func (g gateway) CreateTable(context.Context, hbase.Table) error { panic("no write makes tables") }
func (g gateway) Tables(context.Context) ([]string, error)       { panic("no write asks for tables") }
func (g gateway) DropTable(context.Context, string) error        { panic("no write drops tables") }
func (g gateway) Close() error                                   { return nil }

// foretell notes the points of a write whose intent is being written: from the data alone.
func (t *turns) foretell(put hbase.Put) {
	i, ok, err := tables.Intents.Decode(put.Row, put.Cells)
	if err != nil || !ok {
		return // a mark
	}
	a, err := kinds[i.Kind].parse(i.Arguments)
	if err != nil {
		panic(err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	note := func(what string) { t.foretold[point{i.Kind, what}] = true }
	note("intent")
	note("remove intent")
	if i.Table != "" {
		note("decide")
	}
	p := kinds[i.Kind].plan(a, op{i.ID, i.At})
	for label, stages := range map[string][]stage{"now ": p.now, "later ": p.later} {
		for n, s := range stages {
			for _, st := range s {
				label := fmt.Sprint(label, n, " ")
				switch st := st.(type) {
				case count:
					note(label + "count " + st.table)
				case each:
					note("mark")
				case demand:
					note("mark")
				default:
					note(label + st.String())
				}
			}
		}
	}
}
