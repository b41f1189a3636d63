package conformance

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/limits"
)

var (
	documents = flag.Int("documents", 1500, "how many random documents twibase and graphql-js are compared on")
	seed      = flag.Uint64("seed", 0, "the seed of the documents; 0 takes one from the clock")
	only      = flag.Int64("document", -1, "compares only the document of this number")
	most      = flag.Int("differences", 5, "after how many differences the test stops")
)

type comparison struct {
	*server
	*reference
	ast  *ast.Schema
	pool map[string][]string
	seed uint64
}

func newComparison(t testing.TB) *comparison {
	s := newServer(t, limits.Limits{})
	c := &comparison{
		server:    s,
		reference: newReference(t, s),
		ast:       s.schema.Schema(),
		pool:      collectValues(t, s),
		seed:      *seed,
	}
	if c.seed == 0 {
		c.seed = uint64(time.Now().UnixNano())
	}
	return c
}

func collectValues(t testing.TB, s *server) map[string][]string {
	pool := map[string][]string{}
	out := s.outcome(request{Query: `{users(first:12){edges{cursor node{username id followers(first:2){edges{cursor}}
		twits(first:2){edges{cursor node{id}}} roles(first:1){edges{cursor}}}}}
		roles(first:4){nodes{id code}} games(first:4){edges{cursor node{id code}}}
		topDepartments(first:3){edges{cursor node{id code}}}}`})
	if out.Phase != execution || len(out.Errors) > 0 {
		t.Fatal("collecting values: ", out)
	}
	var data any
	if err := json.Unmarshal([]byte(out.Data), &data); err != nil {
		t.Fatal(err)
	}
	var walk func(name string, value any)
	walk = func(name string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(value)) {
				walk(key, value[key])
			}
		case []any:
			for _, element := range value {
				walk(name, element)
			}
		case string:
			pool[name] = append(pool[name], value)
		}
	}
	walk("", data)
	return pool
}

type sample struct {
	number uint64
	made   string // the mutation, or "valid"
	request
}

func (c *comparison) sample(number uint64) sample {
	g := newGenerator(c.seed, number, c.ast, c.pool)
	made, r := g.request(number)
	return sample{number, made, r}
}

func (c *comparison) differ(t testing.TB, r request) (got, want outcome, text string) {
	wait := make(chan outcome, 1)
	go func() { wait <- c.reference.outcome(t, r) }()
	got = c.server.outcome(r)
	want = <-wait
	return got, want, difference(got, want)
}

func TestResponsesConformToTheReference(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	c := newComparison(t)
	from, to := uint64(0), uint64(*documents)
	if *only >= 0 {
		from, to = uint64(*only), uint64(*only)+1
	}
	t.Logf("-seed %d -documents %d", c.seed, *documents)
	t.Run("random documents", func(t *testing.T) {
		counts := newHistogram()
		found := c.compare(t, counts, from, to, c.sample)
		if t.Log(counts); *only < 0 && found == 0 {
			counts.check(t, *documents)
		}
	})
	if *only >= 0 {
		return
	}
	t.Run("every value at every position", func(t *testing.T) {
		var all []request
		for _, p := range positions {
			all = append(all, p.requests()...)
		}
		counts := newHistogram()
		c.compare(
			t,
			counts,
			0,
			uint64(len(all)),
			func(number uint64) sample { return sample{number, "a position", all[number]} },
		)
		t.Log(counts)
	})
}

func (c *comparison) compare(t *testing.T, counts *histogram, from, to uint64, of func(number uint64) sample) int64 {
	var next atomic.Uint64
	var found atomic.Int64
	next.Store(from)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for number := next.Add(1) - 1; number < to && found.Load() < int64(*most); number = next.Add(1) - 1 {
				s := of(number)
				got, want, text := c.differ(t, s.request)
				counts.add(s.made, want)
				switch {
				case text == "":
					continue
				case want.Phase == failed:
					t.Error("graphql-js can't be asked: ", want)
					found.Add(int64(*most))
					return
				}
				if name := intended(s.request, got, want); name != "" {
					counts.intend(name)
					continue
				}
				found.Add(1)
				t.Error(c.report(t, s))
			}
		})
	}
	group.Wait()
	return found.Load()
}

func (c *comparison) report(t testing.TB, s sample) string {
	r := c.shrink(t, s.request)
	got, want, text := c.differ(t, r)
	return fmt.Sprintf("%s\n  made by: %s\n%s  twibase: %s\n  graphql-js: %s\n%s",
		text, s.made, r, got, want, repeatCommand("TestResponsesConformToTheReference", c.seed, s.number))
}

func repeatCommand(test string, seed, number uint64) string {
	return fmt.Sprintf("  again: go test -count 1 -run %s ./e2e/conformance -seed %d -document %d", test, seed, number)
}
