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

// linearization is the scheduler's step of a call's commit or, without one, of its last read.
type linearization struct {
	step      int
	committed bool
}

// commitRecorder records commits, even if the response is lost.
type commitRecorder struct {
	hbase.Store
	scheduler *scheduler
}

func (r commitRecorder) CheckAndPut(ctx context.Context, check hbase.Check, put hbase.Put) (bool, error) {
	done, err := r.Store.CheckAndPut(ctx, check, put)
	if done {
		r.scheduler.linearize(ctx, true)
	}
	return done, err
}

func (m callResult) hadNoEffect() bool { return m.outcome == unknownOutcome && !m.linearized.committed }

type linearizationKey struct{}

func (s *scheduler) linearize(ctx context.Context, committed bool) {
	m, _ := ctx.Value(linearizationKey{}).(*linearization)
	points, _ := ctx.Value(pointsKey{}).([]point)
	if m == nil {
		return
	}
	for _, p := range points {
		decides := strings.HasPrefix(p.purpose, "read") || committed && strings.HasPrefix(p.purpose, "commit")
		if p.opType == split.name || !decides {
			return
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !m.committed || committed {
		*m = linearization{len(s.log), committed}
	}
}

// maxSearched limits the states, which may be exponentially many.
const maxSearched = 100_000

// linearizable reports whether the calls have a sequential order that respects real time, and gives
// the same outcomes and the facts in end. It is the search of Wing and Gong with Lowe's
// memoization, in the order of the recorded linearizations, so it seldom backtracks.
func linearizable(calls []callResult, begin, end facts) (ok bool, searched int) {
	calls = slices.DeleteFunc(slices.Clone(calls), func(m callResult) bool { return m.model == nil || m.hadNoEffect() })
	slices.SortStableFunc(calls, func(a, b callResult) int { return cmp.Compare(a.linearized.step, b.linearized.step) })
	type state struct {
		done  uint64
		facts string
	}
	seen := map[state]bool{}
	want := end.String()
	var search func(done uint64, f facts) bool
	search = func(done uint64, f facts) bool {
		s := state{done, f.String()}
		if searched == maxSearched || seen[s] {
			return false
		}
		searched++
		seen[s] = true
		if done == 1<<len(calls)-1 {
			return s.facts == want
		}
		earliest := math.MaxInt // the first end of a remaining call: calls that began later come later
		for i, c := range calls {
			if done&(1<<i) == 0 {
				earliest = min(earliest, c.deadline())
			}
		}
		for i, c := range calls {
			if done&(1<<i) != 0 || c.began > earliest {
				continue
			}
			after := maps.Clone(f)
			got := c.model(after)
			if c.outcome != unknownOutcome && got != c.outcome {
				continue
			}
			if got != "" {
				after = f
			}
			if search(done|1<<i, after) {
				return true
			}
		}
		return false
	}
	return search(0, begin), searched
}

func (m callResult) deadline() int {
	if m.outcome == unknownOutcome {
		return math.MaxInt
	}
	return m.end
}

func TestNonLinearizableHistoryIsDetected(t *testing.T) {
	set := func(value string) func(facts) Code {
		return func(f facts) Code {
			if f["x"] == value {
				return Conflict
			}
			f["x"] = value
			return ""
		}
	}
	a := callResult{call: call{"a", nil, set("a")}, end: 1, linearized: new(linearization)}
	b := callResult{call: call{"b", nil, set("b")}, began: 2, end: 3, linearized: new(linearization)}
	lost := b
	lost.outcome, lost.linearized = unknownOutcome, &linearization{committed: true}
	never := b
	never.outcome = unknownOutcome
	again := callResult{call: call{"a", nil, set("a")}, outcome: Conflict, began: 4, end: 5,
		linearized: new(linearization)}
	for _, test := range []struct {
		reason string
		calls  []callResult
		end    string
		want   bool
	}{
		{"the last call wins", []callResult{a, b}, "b", true},
		{"the first call does not win", []callResult{a, b}, "a", false},
		{"a completed call is not lost", []callResult{a}, "", false},
		{"a committed call without a response took effect", []callResult{a, lost}, "b", true},
		{"a committed call without a response is not lost", []callResult{a, lost}, "a", false},
		{"an uncommitted call had no effect", []callResult{a, never}, "a", true},
		{"an uncommitted call cannot explain the state", []callResult{a, never}, "b", false},
		{"a call without a response may take effect later", []callResult{a, lost, again}, "b", true},
		{"a call with a response may not take effect later", []callResult{a, b, again}, "b", false},
	} {
		end := facts{}
		if test.end != "" {
			end["x"] = test.end
		}
		if got, _ := linearizable(test.calls, facts{}, end); got != test.want {
			t.Errorf("%s: got %v, want %v", test.reason, got, test.want)
		}
	}
}
