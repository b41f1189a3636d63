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

var rewrite = flag.Bool("rewrite", false, "write the list of crash points to testdata")

// pointsFile has the points that every thorough run reaches.
const pointsFile = "testdata/points.txt"

// The calls of a contended noun often split its list.
var contendedNouns = []modelNoun{
	contended("followers", callFollow, " a$"),
	contended("role's users", callAssign, "lead$"),
	contended("twits", callTwit, "twit a"),
	contended("comments", callComment, "twit a 1"),
	contended("top departments", callDepartment, `under ""`, "up true"),
	contended("sub-departments", callDepartment, `under "ceo"`, "up true"),
	contended("department's roles", callRole, `in "dev"`, "delete"),
	contended("players", callPlay, " go "),
	contended("game", callGame, " go "),
	contended("people", callUser, "delete", "follow"),
}

func contended(name string, random func(*rand.Rand) call, parts ...string) modelNoun {
	return modelNoun{name: name, call: func(r *rand.Rand) call {
		for {
			c := random(r)
			if slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(c.text+"$", part) }) {
				return c
			}
		}
	}}
}

type exploration struct {
	t         *testing.T
	histories int
	reached   map[point][]history
	origins   map[point]map[string]bool // the random histories that reach the point
	had       map[point]map[fault]bool
	expected  map[point]bool
}

func (e *exploration) explore(h history) {
	r := h.mustPass(e.t)
	e.histories++
	maps.Copy(e.expected, r.scheduler.expected)
	for p := range r.scheduler.reached {
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
	for p, had := range r.scheduler.failed {
		if e.had[p] == nil {
			e.had[p] = map[fault]bool{}
		}
		maps.Copy(e.had[p], had)
	}
}

func (e *exploration) inject(p point, m fault) {
	for _, h := range e.reached[p] {
		if e.had[p][m] {
			return
		}
		h.extraFaults = append(slices.Clone(h.extraFaults), plannedFault{p, m})
		e.explore(h)
	}
}

func (e *exploration) seekRecovery() {
	for _, name := range slices.Sorted(maps.Keys(opTypes)) {
		for _, p := range protocolPoints(name, opTypes[name]) {
			for _, h := range e.reached[point{name, "intent"}] {
				for m := noFault + 1; m < faultCount && len(e.reached[p]) == 0; m++ {
					h.extraFaults = []plannedFault{{point{name, "commit"}, m}}
					e.explore(h)
				}
			}
		}
	}
}

func protocolPoints(name string, k *anyOpType) (points []point) {
	purpose := []string{"read", "intent", "remove intent", "forget", "lease"}
	if k.hasCommitRow {
		purpose = append(purpose, "commit", "commit, read", "commit, own intent", "fence",
			"sweep, read", "sweep, own intent", "sweep, forget")
	}
	if k.readsEffects {
		purpose = append(purpose, "note complete", "complete predecessor")
	}
	if k.recordsCompletion {
		purpose = append(purpose, "record completion", "read again")
	}
	for _, w := range purpose {
		points = append(points, point{name, w})
	}
	return points
}

func listed(t *testing.T) (points []point) {
	t.Helper()
	text, err := os.ReadFile(pointsFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		purpose, opTypeNames, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for _, opType := range strings.Fields(opTypeNames) {
			points = append(points, point{opType, purpose})
		}
	}
	return points
}

func (e *exploration) rewriteList(t *testing.T) {
	const often = 12
	purposes := map[string][]string{}
	for _, p := range slices.SortedFunc(maps.Keys(e.reached), point.compare) {
		if len(e.origins[p]) >= often {
			purposes[p.purpose] = append(purposes[p.purpose], p.opType)
		}
	}
	var text strings.Builder
	for _, purpose := range slices.Sorted(maps.Keys(purposes)) {
		fmt.Fprintf(&text, "%s: %s\n", purpose, strings.Join(purposes[purpose], " "))
	}
	if err := os.WriteFile(pointsFile, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

type plannedFault struct {
	point
	fault
}

func (p plannedFault) String() string { return fmt.Sprintf("%v at %v", p.fault, p.point) }

func (s *scheduler) takeExtraFault(points []point, v *injection) (at int, happens bool) {
	for at, p := range points {
		i := slices.IndexFunc(s.extraFaults, func(next plannedFault) bool { return next.point == p })
		if i >= 0 && v.fault == noFault {
			v.fault = s.extraFaults[i].fault
			s.extraFaults = slices.Delete(s.extraFaults, i, i+1)
			return at, true
		}
	}
	return 0, false
}
