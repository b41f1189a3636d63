package e2e

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"twibase/graph/auth"
	"twibase/graph/explain"
	"twibase/graph/report"
	"twibase/hbase/tables"
)

// What a mutation reads, but for its writer: whether the viewer may make it, and what its payload shows.
func TestAMutationReadsNoMoreThanItsPlanBesidesWhatItsWriterDoes(t *testing.T) {
	random := *seed
	if random == 0 {
		random = uint64(time.Now().UnixNano())
	}
	t.Logf("-seed %d", random)
	folder, schema, compared := folderOf(t, cast), plannedSchema().Schema(), 0
	const each = 8
	for i := range each * len(roundsOf) {
		c := roundsOf[i/each]
		s := newStage(t, folder)
		if c.before != "" {
			s.query(t, root, c.before)
		}
		input := c.input
		if input == "" {
			input = inputs[c.mutation]
		}
		q := &queries{Rand: rand.New(rand.NewPCG(random, uint64(i))), schema: schema, narrow: true}
		payload := schema.Types[schema.Mutation.Fields.ForName(c.mutation).Type.Name()]
		text, variables := q.whole("mutation", func() string {
			return "{" + c.mutation + "(input:" + s.ids.Replace(input) + ")" + q.selection(payload, scope{}, 1+q.IntN(4), 10) + "}"
		})
		r := request{query: text, variables: variables, viewer: auth.Viewer(c.viewer)}
		a, _, err := r.account(explaining(s.store, tables.ListBound), explain.Header)
		if err != nil {
			t.Fatal(err)
		}
		p := a.Extensions.Plan
		if err = json.Unmarshal(s.ask(t, text, variables, c.viewer, "1"), &a); err != nil {
			t.Fatal(err)
		}
		s.root.Writers.Close(t.Context())
		if p == nil || a.Extensions.Report == nil {
			continue
		}
		compared++
		rounds, gets, rpcs := reading(a.Extensions.Report)
		if rounds > p.Rounds || gets > p.Gets || rpcs > p.RPCs {
			levels, _ := json.Marshal(a.Extensions.Report.Levels)
			t.Errorf("%s\nby %q after %q reads in %d rounds, with %d Gets and %d RPCs, and predicted are\n%s\n%s", r, c.viewer.Username, c.before, rounds, gets, rpcs, p.Text, levels)
		}
	}
	if t.Logf("%d compared", compared); compared < each*len(roundsOf)*8/10 {
		t.Error("too few of the mutations are compared")
	}
}

// reading sums up the levels of a report that are not those of a writer, whose loader has a colon in its name.
func reading(r *report.Report) (rounds, gets, rpcs int64) {
	for _, level := range r.Levels {
		if len(level.Loaders) == 1 && strings.Contains(level.Loaders[0].Name, ": ") {
			continue
		}
		rounds, rpcs = rounds+1, rpcs+level.RPCs
		for _, l := range level.Loaders {
			gets += int64(l.Gets)
		}
	}
	return rounds, gets, rpcs
}
