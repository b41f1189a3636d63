package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"twibase/graph/auth"
	"twibase/graph/endpoint"
	"twibase/graph/exec"
	"twibase/graph/explain"
	"twibase/graph/plan"
	costs "twibase/graph/report"
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers"
	"twibase/transfer"
)

var explained = flag.Int("explained", 0, "of how many random queries the plans are compared with the reports; 0 is 20000 in CI and 3000 elsewhere")

// explaining is an endpoint with plans and reports over a store whose lists go on in further rows after so many members.
func explaining(store hbase.Store, listBound int) http.Handler {
	schema := exec.NewPlannedSchema(exec.Config{Resolvers: holey{}}, func(ctx context.Context) plan.Tasks { return loaders.TasksOf(ctx) })
	return endpoint.New(schema, endpoint.Config{Timeout: time.Minute, Watch: resolvers.Watch, Costs: resolvers.Costs(listBound),
		Around: func(ctx context.Context) context.Context { return watchdog.With(ctx, whimsOf(ctx).store(store)) }})
}

// accounts are what the two headers bring.
type accounts struct {
	Data       json.RawMessage
	Errors     json.RawMessage
	Extensions struct {
		Plan   *explain.Plan
		Report *costs.Report
	}
}

func (r request) account(handler http.Handler, header string) (a accounts, body []byte, err error) {
	text, err := json.Marshal(map[string]any{"query": r.query, "variables": r.variables})
	if err != nil {
		return a, nil, err
	}
	ctx := context.WithValue(context.Background(), whimsKey{}, r.whims)
	if r.viewer != (auth.Viewer{}) {
		ctx = auth.WithViewer(ctx, r.viewer)
	}
	post := httptest.NewRequestWithContext(ctx, http.MethodPost, "/graphql", bytes.NewReader(text))
	post.Header.Set("Content-Type", "application/json")
	post.Header.Set(header, "1")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, post)
	return a, w.Body.Bytes(), json.Unmarshal(w.Body.Bytes(), &a)
}

// comparison counts the plans that reports were compared with, and those of them that no arguments bound.
type comparison struct{ all, open atomic.Int64 }

// exceed says where a report has more than the plan, if it has. What is open counts as 1,000 departments, and no tree of the tests has so many.
func (r request) exceed(handler http.Handler, c *comparison) (complaint string) {
	predicted, body, err := r.account(handler, explain.Header)
	if err != nil {
		return fmt.Sprintf("%v in %s", err, body)
	}
	actual, text, err := r.account(handler, costs.Header)
	if err != nil {
		return fmt.Sprintf("%v in %s", err, text)
	}
	p, a := predicted.Extensions.Plan, actual.Extensions.Report
	switch {
	case (p == nil) != (a == nil):
		return fmt.Sprintf("there is a plan, %t, or a report, %t: %s %s", p != nil, a != nil, cut(body), cut(text))
	case p == nil:
		return ""
	case string(predicted.Data) != "null":
		return "a plan has data: " + string(cut(body))
	}
	if c.all.Add(1); slices.ContainsFunc(p.Fields, func(f explain.Field) bool { return f.Open != "" }) {
		c.open.Add(1)
	}
	for _, c := range []struct {
		what           string
		actual, atMost int64
	}{{"rounds", int64(a.Rounds), p.Rounds}, {"Gets", a.Gets, p.Gets}, {"scans", a.Scans, p.Scans}, {"RPCs", a.RPCs, p.RPCs}, {"rows", a.Rows, p.Rows}} {
		if c.actual > c.atMost {
			levels, _ := json.Marshal(a.Levels)
			return fmt.Sprintf("%d %s, and predicted are %d\n%s\n%s", c.actual, c.what, c.atMost, p.Text, levels)
		}
	}
	return ""
}

// Two things of one type have nothing in common, whatever they are called.
func TestAPlanCountsTheReadsOfEachThing(t *testing.T) {
	handler := explaining(inMemory(t), tables.ListBound)
	gets := func(viewer, query string) int64 {
		return planOf(t, handler, request{query: query, viewer: auth.Viewer{Username: viewer}}).Gets
	}
	const twit, another = `a: twit(id: "VHUwMDIwNgB___67EgvrZHQxMDE4") { content }`, `b: twit(id: "VHUwMDA5MAB___62laHH_3Q4Njk") { content }`
	if one, two := gets("", "{"+twit+"}"), gets("", "{"+twit+another+"}"); two != 2*one {
		t.Errorf("a twit takes %d Gets, and that with one of another author %d", one, two)
	}
	alice := func(fields string) int64 { return gets("alice", `{ user(username: "alice") {`+fields+`} }`) }
	const timeline, twits = ` timeline(first: 5) { nodes { content } }`, ` twits(first: 5) { nodes { content } }`
	if usual, unusual := alice(`isFollowing(username: "carol")`+timeline), alice(`isFollowing(username: "broadcasters")`+timeline); unusual != usual {
		t.Errorf("whom a user follows takes %d Gets with the timeline, and %d if it is about a user who is called broadcasters", usual, unusual)
	}
	if first, last := alice(twits+timeline), alice(timeline+twits); first != last {
		t.Errorf("a user's own twits take %d Gets before the timeline, and %d behind it", first, last)
	}
}

// TestNothingCostsMoreThanItsPlan holds the reports of random queries to their plans.
func TestNothingCostsMoreThanItsPlan(t *testing.T) {
	n := *explained
	if n == 0 {
		if n = 3000; os.Getenv("CI") != "" {
			n = 20_000
		}
	}
	random := *seed
	if random == 0 {
		random = uint64(time.Now().UnixNano())
	}
	t.Logf("-seed %d -explained %d", random, n)
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	var opened int64
	for _, options := range []transfer.Options{{ListBound: tables.ListBound, FanoutLimit: 3}, {ListBound: 5}, {ListBound: 5, FanoutLimit: 3}} {
		store, bound := inMemory(t), options.ListBound
		importInto(t, store, generated(t, 1), options)
		pool := newExecutors(store).harvest(t)
		handler, schema := explaining(store, bound), plannedSchema().Schema()
		begin := time.Now()
		var counted comparison
		var next atomic.Int64
		var group errgroup.Group
		for range 8 {
			group.Go(func() error {
				for {
					i := uint64(next.Add(1))
					if i > uint64(n/3) {
						return nil
					}
					if i%10_000 == 0 {
						t.Logf("%d queries in %s", i, time.Since(begin).Round(time.Second))
					}
					q := &queries{Rand: rand.New(rand.NewPCG(random+uint64(bound), i)), schema: schema, pool: pool, narrow: i%2 == 0}
					r := q.request(q.query())
					complaint := r.exceed(handler, &counted)
					if complaint != "" {
						smaller := r.shrunk(func(r request) bool { return r.exceed(handler, new(comparison)) != "" })
						if c := smaller.exceed(handler, new(comparison)); c != "" {
							r, complaint = smaller, c
						}
						return fmt.Errorf("query %d of seed %d: %s\n%s", i, random, r, complaint)
					}
				}
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		compared := counted.all.Load()
		opened += counted.open.Load()
		t.Logf("lists of %d, broadcasters from %d followers on: %d queries, %d of them compared, of which %d are open, in %s", bound, options.FanoutLimit, n/3, compared,
			counted.open.Load(), time.Since(begin).Round(time.Millisecond))
		if compared < int64(n/3)*85/100 {
			t.Error("too few of the queries are compared")
		}
	}
	if opened == 0 {
		t.Error("no plan is open")
	}
}

// What random queries ask of subtrees is mostly small, so that of the whole company and others are read down to their last departments here.
func TestASubtreeThatIsReadDownToItsEndCostsNoMoreThanItsPlan(t *testing.T) {
	store := inMemory(t)
	importInto(t, store, generated(t, 1), transfer.Options{ListBound: 5})
	pool, handler := newExecutors(store).harvest(t), explaining(store, 5)
	var counted comparison
	asked := map[string]bool{}
	for _, code := range pool["department code"] {
		query := fmt.Sprintf(`{ department(code: %q) { descendants(last: 100) { nodes { name } } } }`, code)
		if asked[query] || len(asked) == 8 {
			continue
		}
		asked[query] = true
		if complaint := (request{query: query}).exceed(handler, &counted); complaint != "" {
			t.Fatalf("%s: %s", query, complaint)
		}
	}
	if n := int64(len(asked)); counted.open.Load() != n {
		t.Errorf("%d of %d plans are open", counted.open.Load(), n)
	}
}
