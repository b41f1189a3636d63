package writers

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the list of crash points into testdata, instead of comparing it")

// pointsFile lists the crash points that every long run comes to: for each purpose of a call of the store, the kinds of write that have it.
const pointsFile = "testdata/points.txt"

// crowds are nouns whose calls are all about one list, so that it is cut again and again while others write to it.
var crowds = []modelNoun{
	crowd("followers", callFollow, " a$"),
	crowd("role's users", callAssign, "lead$"),
	crowd("twits", callTwit, "twit a"),
	crowd("comments", callComment, "twit a 1"),
	crowd("top departments", callDepartment, `under ""`, "up true"),
	crowd("sub-departments", callDepartment, `under "ceo"`, "up true"),
	crowd("department's roles", callRole, `in "dev"`, "delete"),
	crowd("players", callPlay, " go "),
	crowd("game", callGame, " go "),
	crowd("people", callUser, "delete", "follow"),
}

// crowd is a noun with those of some random calls of whose text a part, up to its end, is one of these.
func crowd(name string, random func(*rand.Rand) call, parts ...string) modelNoun {
	return modelNoun{name: name, call: func(r *rand.Rand) call {
		for {
			c := random(r)
			if slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(c.text+"$", part) }) {
				return c
			}
		}
	}}
}

// exploration is what histories came to.
type exploration struct {
	t         *testing.T
	histories int
	// reached are some that come to each point, origins the random histories that led there, with mishaps or without, had what went wrong there.
	reached map[point][]history
	origins map[point]map[string]bool
	had     map[point]map[mishap]bool
	// foretold are the points that plans of writes tell of.
	foretold map[point]bool
}

// explore runs a history, which must end well.
func (e *exploration) explore(h history) {
	r := h.must(e.t)
	e.histories++
	maps.Copy(e.foretold, r.turns.foretold)
	for p := range r.turns.reached {
		if p == (point{}) {
			continue
		}
		if len(e.reached[p]) < 5 {
			e.reached[p] = append(e.reached[p], h)
		}
		if e.origins[p] == nil {
			e.origins[p] = map[string]bool{}
		}
		e.origins[p][fmt.Sprint(h.nouns[0].name, h.seed)] = true
	}
	for p, mishaps := range r.turns.failed {
		if e.had[p] == nil {
			e.had[p] = map[mishap]bool{}
		}
		maps.Copy(e.had[p], mishaps)
	}
}

// set lets a mishap happen at a point, in histories that come there: up to that they are the same, but for what several do at one time.
func (e *exploration) set(p point, m mishap) {
	for _, h := range e.reached[p] {
		if e.had[p][m] {
			return
		}
		h.besides = append(slices.Clone(h.besides), planned{p, m})
		e.explore(h)
	}
}

// seek lets what is about to be decided go wrong, where chance has not led to what a sweep or a loser does then.
func (e *exploration) seek() {
	for _, name := range slices.Sorted(maps.Keys(opTypes)) {
		for _, p := range protocol(name, opTypes[name]) {
			for _, h := range e.reached[point{name, "intent"}] {
				for m := none + 1; m < mishaps && len(e.reached[p]) == 0; m++ {
					h.besides = []planned{{point{name, "commit"}, m}}
					e.explore(h)
				}
			}
		}
	}
}

// protocol are the points that a kind of write has whatever it does: what a sweep and a loser of a decision come to among them.
func protocol(name string, k *anyOpType) (points []point) {
	what := []string{"read", "intent", "remove intent", "forget", "lease"}
	if k.conditional {
		what = append(what, "commit", "commit, read", "commit, own intent", "fence", "sweep, read", "sweep, own intent", "sweep, forget")
	}
	if k.needsPredecessor {
		what = append(what, "note complete", "read, last intent")
	}
	if k.compensated {
		what = append(what, "seal", "read again")
	}
	for _, w := range what {
		points = append(points, point{name, w})
	}
	return points
}

// listed reads the list of points.
func listed(t *testing.T) (points []point) {
	t.Helper()
	text, err := os.ReadFile(pointsFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		what, kinds, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for _, kind := range strings.Fields(kinds) {
			points = append(points, point{kind, what})
		}
	}
	return points
}

// rewriteList writes the list anew. What few histories come to others may miss: it is no part of it.
func (e *exploration) rewriteList(t *testing.T) {
	const often = 12
	purposes := map[string][]string{}
	for _, p := range slices.SortedFunc(maps.Keys(e.reached), point.compare) {
		if len(e.origins[p]) >= often {
			purposes[p.what] = append(purposes[p.what], p.kind)
		}
	}
	var text strings.Builder
	for _, what := range slices.Sorted(maps.Keys(purposes)) {
		fmt.Fprintf(&text, "%s: %s\n", what, strings.Join(purposes[what], " "))
	}
	if err := os.WriteFile(pointsFile, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// planned is a mishap that happens at a point, once.
type planned struct {
	point
	mishap
}

// String implements fmt.Stringer.
func (p planned) String() string { return fmt.Sprintf("%v at %v", p.mishap, p.point) }

// beside decides whether one of the planned mishaps happens to a call.
func (t *turns) beside(points []point, v *verdict) (at int, happens bool) {
	for at, p := range points {
		i := slices.IndexFunc(t.besides, func(next planned) bool { return next.point == p })
		if i >= 0 && v.mishap == none {
			v.mishap = t.besides[i].mishap
			t.besides = slices.Delete(t.besides, i, i+1)
			return at, true
		}
	}
	return 0, false
}
