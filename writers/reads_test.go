package writers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"twibase/loaders"

	"twibase/hbase/tables"
)

// aRead is how somebody read, page by page, who has a role.
type aRead struct {
	limit    int
	backward bool
	names    []string
	// late is whether it took longer than any request may: then nothing can be said of it.
	late bool
}

// slowest is how long a request takes at most.
const slowest = grace * 3 / 4

func (a *aRead) do(ctx context.Context, w *Writers) error {
	began := time.Now()
	defer func() { a.late = time.Since(began) > slowest }()
	var watchdog loaders.Watchdog
	defer func() {
		if watchdog.Stalls.Load() != 0 {
			panic("the watchdog failed a read")
		}
	}()
	ctx = watchdog.With(ctx, w.store)
	window := loaders.Range{Limit: a.limit, Backward: a.backward}
	for {
		pages, err := loaders.RoleUsers.Page(ctx, []loaders.PageKey{{Owner: roles[0], Range: window}})
		if err != nil {
			return err
		}
		p := pages[0]
		if a.backward {
			a.names = slices.Concat(p.Members, a.names)
		} else {
			a.names = slices.Concat(a.names, p.Members)
		}
		switch {
		case a.backward && p.HasPrevious && len(p.Positions) > 0:
			window.Before = p.Positions[0]
		case !a.backward && p.HasNext:
			window.After = p.Positions[len(p.Positions)-1]
		default:
			return nil
		}
	}
}

// wrong says what is wrong with what was read, given all calls of the history.
func (a *aRead) wrong(read made, all []made) error {
	if !slices.IsSorted(a.names) || len(slices.Compact(slices.Clone(a.names))) != len(a.names) {
		return fmt.Errorf("%q is out of order, or names somebody twice", a.names)
	}
	for _, name := range append(people, fans...) {
		fact := hasFact(name, roles[0])
		is, sure := name == "b", true
		var before []made
		for _, m := range all {
			switch {
			case m.text != fact && m.text != "not "+fact || m.began > read.end:
			case m.outcome == unsure || m.end >= read.began:
				sure = false
			default:
				before = append(before, m)
			}
		}
		var last []bool // what those did that may have been last
		for _, m := range before {
			if !slices.ContainsFunc(before, func(later made) bool { return later.began > m.end }) {
				last = append(last, m.text == fact)
			}
		}
		if len(last) > 0 {
			is = last[0]
			sure = sure && !slices.Contains(last, !is)
		}
		if sure && slices.Contains(a.names, name) != is {
			return fmt.Errorf("%s is among %q: %v", name, a.names, !is)
		}
	}
	return nil
}

// Lists are cut while people join and leave them, and others read them: all who surely were there the whole time are read, and nobody who
// surely was not.
func TestListsAreReadRightlyWhileTheyAreCut(t *testing.T) {
	t.Parallel()
	seed, sure, cuts := firstSeed(t), 0, 0
	n := histories() / 4
	for i := range n {
		reads := map[string]*aRead{}
		noun := modelNoun{name: "read", call: func(r *rand.Rand) call {
			name := append(people, fans...)[r.IntN(len(people)+len(fans))]
			fact := hasFact(name, roles[0])
			switch r.IntN(10) {
			case 0, 1, 2:
				a := &aRead{limit: 1 + r.IntN(4), backward: r.IntN(3) == 0}
				text := fmt.Sprintf("read %d", len(reads))
				reads[text] = a
				return call{text, a.do, nil}
			case 3:
				return call{"wait", func(ctx context.Context, w *Writers) error {
					time.Sleep(grace + time.Second)
					return w.Sweep(ctx)
				}, nil}
			case 4, 5:
				return call{"not " + fact, func(ctx context.Context, w *Writers) error {
					return w.Unrelate(ctx, tables.Assignments, name, roles[0])
				},
					func(w world) Code { delete(w, fact); return "" }}
			}
			return call{fact, func(ctx context.Context, w *Writers) error { return w.Relate(ctx, tables.Assignments, name, roles[0]) },
				func(w world) Code { w[fact] = "1"; return "" }}
		}}
		h := history{seed: seed + uint64(i), nouns: []modelNoun{noun}, clients: 2 + i%4, calls: 8, faults: float64(i%3/2) * 0.02, bound: 2, calm: true}
		r := h.run(t)
		for _, m := range r.made {
			if a := reads[m.text]; a != nil && m.outcome == "" && !a.late {
				sure++
				if err := a.wrong(m, r.made); err != nil {
					r.breaches = append(r.breaches, fmt.Sprintf("%s by %d, backward %v: %v", m.text, a.limit, a.backward, err))
				}
			}
		}
		if r.wrong() {
			t.Fatalf("seed %d:\n%s", h.seed, r)
		}
		for p := range r.turns.reached {
			if p.kind == "empty" && p.what == "remove intent" {
				cuts++
			}
		}
	}
	t.Logf("%d reads; in %d histories a list was cut and its end emptied", sure, cuts)
}
