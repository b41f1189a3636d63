package writers

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"twibase/hbase"
)

// moment is when a call was decided: by its decision, won, or by what it read last if it made none. It is told in turns of the store.
type moment struct {
	turn int
	won  bool
}

// decisions is a store that tells of the decisions that are made, also of those whose answer is lost.
type decisions struct {
	hbase.Store
	t *turns
}

func (d decisions) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (bool, error) {
	done, err := d.Store.CheckAndPut(ctx, check, put)
	if done {
		d.t.passes(ctx, true)
	}
	return done, err
}

// undone reports whether a call surely had no effect: its caller was told nothing, and there is no decision of it.
func (m made) undone() bool { return m.outcome == unsure && !m.decided.won }

type momentKey struct{}

// passes notes that a call of the store is made for the call of a mutation, if that may be what decides it.
func (t *turns) passes(ctx context.Context, won bool) {
	m, _ := ctx.Value(momentKey{}).(*moment)
	points, _ := ctx.Value(pointsKey{}).([]point)
	if m == nil || len(parents(ctx)) > 0 {
		return
	}
	for _, p := range points {
		if p.kind == split.name || !strings.HasPrefix(p.what, "read") && !(won && strings.HasPrefix(p.what, "commit")) {
			return
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !m.won || won {
		*m = moment{len(t.log), won}
	}
}

// mostLooks is how many states the search for an order looks at, which may take exponential time. It takes so many only if there is none, or the
// calls were not made in the order in which they were decided.
const mostLooks = 100_000

// explained reports whether the calls could have been made one after the other, each after all that ended before it began, with the same
// outcomes and the world in the end: the search of Wing and Gong, which comes to no state twice, as Lowe has it. It begins with the order in
// which they were decided, and so seldom has to go back. Those without a model, and those that surely had no effect, have no part in it.
func explained(calls []made, begin, end world) (ok bool, looked int) {
	calls = slices.DeleteFunc(slices.Clone(calls), func(m made) bool { return m.model == nil || m.undone() })
	slices.SortStableFunc(calls, func(a, b made) int { return cmp.Compare(a.decided.turn, b.decided.turn) })
	type state struct {
		done  uint64
		world string
	}
	seen := map[state]bool{}
	want := end.String()
	var search func(done uint64, w world) bool
	search = func(done uint64, w world) bool {
		s := state{done, w.String()}
		if looked == mostLooks || seen[s] {
			return false
		}
		looked++
		seen[s] = true
		if done == 1<<len(calls)-1 {
			return s.world == want
		}
		began := math.MaxInt // the earliest end of those that are left: who began later comes later
		for i, c := range calls {
			if done&(1<<i) == 0 {
				began = min(began, c.over())
			}
		}
		for i, c := range calls {
			if done&(1<<i) != 0 || c.began > began {
				continue
			}
			after := maps.Clone(w)
			got := c.model(after)
			if c.outcome != unsure && got != c.outcome {
				continue
			}
			if got != "" {
				after = w
			}
			if search(done|1<<i, after) {
				return true
			}
		}
		return false
	}
	return search(0, begin), looked
}

// over is when a call surely had its effect.
func (m made) over() int {
	if m.outcome == unsure {
		return math.MaxInt
	}
	return m.end
}

func TestExplained(t *testing.T) {
	set := func(value string) func(world) Code {
		return func(w world) Code {
			if w["x"] == value {
				return Conflict
			}
			w["x"] = value
			return ""
		}
	}
	a := made{call: call{"a", nil, set("a")}, end: 1, decided: new(moment)}
	b := made{call: call{"b", nil, set("b")}, began: 2, end: 3, decided: new(moment)}
	lost := b
	lost.outcome, lost.decided = unsure, &moment{won: true}
	never := b
	never.outcome = unsure
	again := made{call: call{"a", nil, set("a")}, outcome: Conflict, began: 4, end: 5, decided: new(moment)}
	for _, test := range []struct {
		reason string
		calls  []made
		end    string
		want   bool
	}{
		{"the last one wins", []made{a, b}, "b", true},
		{"and never the first", []made{a, b}, "a", false},
		{"nor is one forgotten", []made{a}, "", false},
		{"one that was decided is made, whatever its caller was told", []made{a, lost}, "b", true},
		{"and not forgotten", []made{a, lost}, "a", false},
		{"one that was not is never made", []made{a, never}, "a", true},
		{"whatever its caller was told", []made{a, never}, "b", false},
		{"one whose caller was told nothing may be made later", []made{a, lost, again}, "b", true},
		{"but others must have been", []made{a, b, again}, "b", false},
	} {
		end := world{}
		if test.end != "" {
			end["x"] = test.end
		}
		if got, _ := explained(test.calls, world{}, end); got != test.want {
			t.Errorf("%s: %v", test.reason, got)
		}
	}
}
