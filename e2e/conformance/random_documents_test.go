package conformance

import (
	"flag"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"twibase/graph/limits"
)

var fuzzed = flag.Int("fuzzed", 10_000, "with how many documents TestNoDocumentIsAnInternalError asks the server")

func (g *generator) wild() request {
	d := g.valid()
	if g.chance(4) {
		g.inputObject(d)
	}
	n := 1 + g.IntN(6)
	for _, v := range d.values() {
		if g.chance(n) {
			*v = value{text: g.anyLiteral(3)}
		}
	}
	for _, o := range d.operations {
		for _, v := range o.variables {
			if g.chance(n) {
				d.variables[v.name] = g.anyJSON(3)
			}
		}
	}
	return d.request(join(g.Rand, d.tokens()))
}

func (g *generator) anyLiteral(depth int) string {
	return g.anyValue(depth, literals, " ", g.member)
}

func (g *generator) anyJSON(depth int) string {
	return g.anyValue(depth, jsonValues, ",", func(i int) string { return strconv.Quote(g.member(i)) })
}

func (g *generator) anyValue(depth int, leaves []string, separator string, name func(i int) string) string {
	if depth == 0 || g.chance(2) {
		return oneOf(g, leaves...)
	}
	var parts []string
	for range g.IntN(4) {
		parts = append(parts, g.anyValue(depth-1, leaves, separator, name))
	}
	if g.chance(2) {
		return "[" + strings.Join(parts, separator) + "]"
	}
	for i := range parts {
		parts[i] = name(i) + ":" + parts[i]
	}
	return "{" + strings.Join(parts, separator) + "}"
}

var members = [][]string{
	{"username", "code", "content"}, {"name", "role", "photoUrls"}, {"clientMutationId", "visibility", "age"},
}

func (g *generator) member(number int) string {
	if g.chance(4) {
		return fmt.Sprintf("m%d", number)
	}
	return members[number][g.IntN(3)]
}

// No response may be INTERNAL or have a status of 500 or more, and nothing may be logged. Every
// other document has the default limits.
func TestNoDocumentIsAnInternalError(t *testing.T) {
	free := newServer(t, limits.Limits{})
	limited := newServer(t, limits.Default())
	pool, random := collectValues(t, free), *seed
	if random == 0 {
		random = uint64(time.Now().UnixNano())
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	t.Logf("-seed %d -fuzzed %d", random, *fuzzed)
	var next, failures atomic.Int64
	ends := newHistogram()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for number := next.Add(1) - 1; number < int64(*fuzzed) && failures.Load() < 5; number = next.Add(1) - 1 {
				if *only >= 0 && number != *only {
					continue
				}
				g := newGenerator(random, uint64(number), free.schema.Schema(), pool)
				made := "wild values"
				var r request
				if g.chance(3) {
					made, r = g.request(uint64(number))
				} else {
					r = g.wild()
				}
				out := []*server{free, limited}[number%2].outcome(r)
				if ends.add(made, out); out.Phase == failed {
					failures.Add(1)
					t.Errorf("%s\n%s%s", out, r, repeatCommand("TestNoDocumentIsAnInternalError", random, uint64(number)))
				}
			}
		})
	}
	group.Wait()
	t.Log(ends)
	if wild := ends.ends["wild values"]; *only < 0 && failures.Load() == 0 &&
		min(wild[execution], wild[validation], wild[variables]) < *fuzzed/200 {
		t.Error("too few of the documents are executed, or rejected in one of the steps before")
	}
}
