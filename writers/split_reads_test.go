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

type pagedRead struct {
	limit    int
	backward bool
	names    []string
	// the read took longer than requestTime, so it proves nothing
	late bool
}

const requestTime = grace * 3 / 4

func (a *pagedRead) do(ctx context.Context, w *Writers) error {
	began := time.Now()
	defer func() { a.late = time.Since(began) > requestTime }()
	var watchdog loaders.Watchdog
	defer func() {
		if watchdog.Stalls.Load() != 0 {
			panic("the watchdog stopped a read")
		}
	}()
	ctx = watchdog.With(ctx, w.store)
	window := loaders.Range{Limit: a.limit, Backward: a.backward}
	for {
		pages, err := loaders.RoleUsers.Page(ctx, []loaders.PageKey{{Owner: roles[0], Range: &window}})
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

// check considers users who had, or lacked, the role during the whole read.
func (a *pagedRead) check(read callResult, all []callResult) error {
	if !slices.IsSorted(a.names) || len(slices.Compact(slices.Clone(a.names))) != len(a.names) {
		return fmt.Errorf("%q is not sorted, or has duplicates", a.names)
	}
	for _, name := range append(userNames, followerNames...) {
		fact := hasFact(name, roles[0])
		is, sure := name == "b", true
		var before []callResult
		for _, m := range all {
			switch {
			case m.text != fact && m.text != "not "+fact || m.began > read.end:
			case m.outcome == unknownOutcome || m.end >= read.began:
				sure = false
			default:
				before = append(before, m)
			}
		}
		var last []bool
		for _, m := range before {
			if !slices.ContainsFunc(before, func(later callResult) bool { return later.began > m.end }) {
				last = append(last, m.text == fact)
			}
		}
		if len(last) > 0 {
			is = last[0]
			sure = sure && !slices.Contains(last, !is)
		}
		if sure && slices.Contains(a.names, name) != is {
			return fmt.Errorf("%q has %s: %v, want %v", a.names, name, !is, is)
		}
	}
	return nil
}

func TestListReadsAreCorrectDuringSplits(t *testing.T) {
	t.Parallel()
	seed, sure, splits := firstSeed(t), 0, 0
	n := histories() / 4
	for i := range n {
		reads := map[string]*pagedRead{}
		noun := modelNoun{name: "read", call: func(r *rand.Rand) call {
			name := append(userNames, followerNames...)[r.IntN(len(userNames)+len(followerNames))]
			fact := hasFact(name, roles[0])
			switch r.IntN(10) {
			case 0, 1, 2:
				a := &pagedRead{limit: 1 + r.IntN(4), backward: r.IntN(3) == 0}
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
					func(f facts) Code { delete(f, fact); return "" }}
			}
			return call{fact, func(ctx context.Context, w *Writers) error {
				return w.Relate(ctx, tables.Assignments, name, roles[0])
			},
				func(f facts) Code { f[fact] = "1"; return "" }}
		}}
		h := history{seed: seed + uint64(i), nouns: []modelNoun{noun}, clients: 2 + i%4, calls: 8,
			faultRate: float64(i%3/2) * 0.02, bound: 2, calm: true}
		r := h.run(t)
		for _, m := range r.calls {
			if a := reads[m.text]; a != nil && m.outcome == "" && !a.late {
				sure++
				if err := a.check(m, r.calls); err != nil {
					text := fmt.Sprintf("%s by %d, backward %v: %v", m.text, a.limit, a.backward, err)
					r.violations = append(r.violations, text)
				}
			}
		}
		if r.failed() {
			t.Fatalf("seed %d:\n%s", h.seed, r)
		}
		for p := range r.scheduler.reached {
			if p.opType == "empty" && p.purpose == "remove intent" {
				splits++
			}
		}
	}
	t.Logf("%d reads; %d histories with a completed split", sure, splits)
}
