package writers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"twibase/hbase"
	"twibase/transfer/invariant"
)

// modelNoun is how a noun joins the random histories: a file model_<noun>_test.go appends one to modelled.
type modelNoun struct {
	name string
	// begin writes what there is before the first call, and says so in the world. It may be nil.
	begin func(store hbase.Store, w world) []hbase.Mutation
	// call returns a random call. It takes its chances from r alone.
	call func(r *rand.Rand) call
	// observe says in the world what the rows say that are the truth of this noun.
	observe func(ctx context.Context, store hbase.Store, w world) error
}

// modelled are the nouns of the histories.
var modelled []modelNoun

// world is a simple model of everything: what is, by name. What is not has no entry.
type world map[string]string

func (w world) String() string {
	lines := make([]string, 0, len(w))
	for name, value := range w {
		lines = append(lines, name+"="+value)
	}
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

// call is a call of a mutation.
type call struct {
	text string
	// do makes it.
	do func(ctx context.Context, w *Writers) error
	// model does the same in the world, unless it is nil, and returns the code of the first problem, or nothing.
	model func(w world) Code
}

// unsure is the outcome of a call whose caller was told nothing: it may be made at any time, or never.
const unsure Code = "?"

// made is a call that was made, and when it began and ended.
type made struct {
	call
	outcome    Code
	began, end int
}

func (m made) String() string {
	return fmt.Sprintf("%3d–%3d %-30s %s", m.began, m.end, m.text, m.outcome)
}

func outcome(err error) Code {
	var problems Problems
	switch {
	case err == nil:
		return ""
	case errors.As(err, &problems):
		return problems[0].Code
	}
	return unsure
}

// mostLooks is how many states the search for an order looks at: it takes exponential time. What it has not decided by then passes, and is counted.
const mostLooks = 100_000

var undecided atomic.Int64

// decided fails a test if more than two in a hundred histories passed undecided.
func decided(t *testing.T, histories int, before int64) {
	t.Helper()
	n := undecided.Load() - before
	t.Logf("%d of %d histories are undecided", n, histories)
	if n > int64(histories/50) {
		t.Error("these are too many")
	}
}

// explained reports whether the calls could have been made one after the other, each after all that ended before it began, with the same
// outcomes and the world in the end. Those without a model have no part in it.
func explained(calls []made, begin, end world) bool {
	calls = slices.DeleteFunc(slices.Clone(calls), func(m made) bool { return m.model == nil })
	// Most were made in the order in which they ended.
	slices.SortStableFunc(calls, func(a, b made) int { return cmp.Compare(a.over(), b.over()) })
	type state struct {
		done uint64
		world
	}
	seen := map[uint64]map[string]bool{}
	want := end.String()
	var search func(s state) bool
	looked := 0
	search = func(s state) bool {
		if looked++; looked > mostLooks {
			return true
		} else if looked == mostLooks {
			undecided.Add(1)
		}
		now := s.world.String()
		if seen[s.done][now] {
			return false
		}
		if seen[s.done] == nil {
			seen[s.done] = map[string]bool{}
		}
		seen[s.done][now] = true
		began := math.MaxInt // the earliest end of those that are left: who began later comes later
		for i, c := range calls {
			if s.done&(1<<i) == 0 {
				began = min(began, c.over())
			}
		}
		if began == math.MaxInt && now == want {
			return true
		}
		for i, c := range calls {
			if s.done&(1<<i) != 0 || c.began > began {
				continue
			}
			after := maps.Clone(s.world)
			got := c.model(after)
			if c.outcome != unsure && got != c.outcome {
				continue
			}
			if got != "" {
				after = s.world
			}
			if search(state{s.done | 1<<i, after}) {
				return true
			}
		}
		return false
	}
	return search(state{0, begin})
}

// over is when a call surely had its effect, if it had one.
func (m made) over() int {
	if m.outcome == unsure {
		return math.MaxInt
	}
	return m.end
}

// checkStore returns what is wrong with a store in which nothing is on its way.
func checkStore(ctx context.Context, store hbase.Store) (breaches []string, err error) {
	err = invariant.Check(ctx, store, func(b invariant.Breach) { breaches = append(breaches, b.String()) })
	return breaches, err
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
	a := made{call{"a", nil, set("a")}, "", 0, 1}
	b := made{call{"b", nil, set("b")}, "", 2, 3}
	lost := b
	lost.outcome = unsure
	again := made{call{"a", nil, set("a")}, Conflict, 4, 5}
	for _, test := range []struct {
		reason string
		calls  []made
		end    string
		want   bool
	}{
		{"the last one wins", []made{a, b}, "b", true},
		{"and never the first", []made{a, b}, "a", false},
		{"nor is one forgotten", []made{a}, "", false},
		{"one that is unsure may be made", []made{a, lost}, "b", true},
		{"or not", []made{a, lost}, "a", true},
		{"an outcome tells of the state", []made{a, lost, again}, "b", true},
		{"which must have been", []made{a, b, again}, "b", false},
	} {
		end := world{}
		if test.end != "" {
			end["x"] = test.end
		}
		if got := explained(test.calls, world{}, end); got != test.want {
			t.Errorf("%s: %v", test.reason, got)
		}
	}
}
