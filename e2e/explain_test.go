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
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"twibase/graph/auth"
	"twibase/graph/endpoint"
	"twibase/graph/exec"
	"twibase/graph/explain"
	costs "twibase/graph/report"
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/resolvers"
	"twibase/transfer"
)

var explained = flag.Int("explained", 0,
	"number of random queries whose plans are compared with reports; 0 is 20000 in CI and 3000 elsewhere")

func newExplainHandler(store hbase.Store, listBound int) http.Handler {
	schema := exec.NewPlannedSchema(exec.Config{Resolvers: faultyResolvers{}}, tasksOf)
	return endpoint.New(schema, endpoint.Config{Timeout: time.Minute, RecordCalls: resolvers.RecordCalls,
		Costs:  resolvers.Costs(listBound),
		Around: func(ctx context.Context) context.Context { return watchdog.With(ctx, faultPlanOf(ctx).store(store)) }})
}

type costResponse struct {
	Data       json.RawMessage
	Errors     json.RawMessage
	Extensions struct {
		Plan   *explain.Plan
		Report *costs.Report
	}
}

func (r request) costs(handler http.Handler, header string) (a costResponse, body []byte, err error) {
	text, err := json.Marshal(map[string]any{"query": r.query, "variables": r.variables})
	if err != nil {
		return a, nil, err
	}
	ctx := context.WithValue(context.Background(), faultPlanKey{}, r.faults)
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

type comparison struct{ all, unbounded atomic.Int64 }

// An unlimited subtree counts as 1,000 departments, more than any tree of the tests.
func (r request) exceeds(handler http.Handler, c *comparison) (violation string) {
	predicted, body, err := r.costs(handler, explain.Header)
	if err != nil {
		return fmt.Sprintf("%v in %s", err, body)
	}
	actual, text, err := r.costs(handler, costs.Header)
	if err != nil {
		return fmt.Sprintf("%v in %s", err, text)
	}
	p, a := predicted.Extensions.Plan, actual.Extensions.Report
	switch {
	case (p == nil) != (a == nil):
		return fmt.Sprintf("plan: %t, report: %t; want both or none: %s %s", p != nil, a != nil, excerpt(body), excerpt(text))
	case p == nil:
		return ""
	case string(predicted.Data) != "null":
		return "a response with a plan has data: " + string(excerpt(body))
	}
	if c.all.Add(1); slices.ContainsFunc(p.Fields, func(f explain.Field) bool { return f.Open != "" }) {
		c.unbounded.Add(1)
	}
	for _, c := range []struct {
		what           string
		actual, atMost int64
	}{{"rounds", int64(a.Rounds), p.Rounds}, {"Gets", a.Gets, p.Gets}, {"scans", a.Scans, p.Scans},
		{"RPCs", a.RPCs, p.RPCs}, {"rows", a.Rows, p.Rows}} {
		if c.actual > c.atMost {
			levels, _ := json.Marshal(a.Levels)
			return fmt.Sprintf("%d %s, planned at most %d\n%s\n%s", c.actual, c.what, c.atMost, p.Text, levels)
		}
	}
	if violation = exceededLevel(p, a); violation != "" {
		violation += "\n" + p.Text
	}
	return violation
}

func TestPlanCountsReadsOfEachObject(t *testing.T) {
	handler := newExplainHandler(inMemory(t), tables.ListBound)
	gets := func(viewer, query string) int64 {
		return planOf(t, handler, request{query: query, viewer: auth.Viewer{Username: viewer}}).Gets
	}
	const twit, another = `a: twit(id: "VHUwMDIwNgB___67EgvrZHQxMDE4") { content }`,
		`b: twit(id: "VHUwMDA5MAB___62laHH_3Q4Njk") { content }`
	if one, two := gets("", "{"+twit+"}"), gets("", "{"+twit+another+"}"); two != 2*one {
		t.Errorf("one twit: %d Gets, with a twit of another author: %d, want twice as many", one, two)
	}
	alice := func(fields string) int64 { return gets("alice", `{ user(username: "alice") {`+fields+`} }`) }
	const timeline, twits = ` timeline(first: 5) { nodes { content } }`, ` twits(first: 5) { nodes { content } }`
	if usual, unusual := alice(`isFollowing(username: "carol")`+timeline),
		alice(`isFollowing(username: "broadcasters")`+timeline); unusual != usual {
		t.Errorf("isFollowing with the timeline: %d Gets, and %d for a user named broadcasters", usual, unusual)
	}
	if first, last := alice(twits+timeline), alice(timeline+twits); first != last {
		t.Errorf("twits before the timeline: %d Gets, and %d after it", first, last)
	}
}

func TestNoQueryExceedsItsPlan(t *testing.T) {
	n := queryCount(*explained)
	random := seedOf(t)
	t.Logf("-seed %d -explained %d", random, n)
	var unbounded int64
	for _, options := range []transfer.Options{
		{ListBound: tables.ListBound, FanoutLimit: 3},
		{ListBound: 5},
		{ListBound: 5, FanoutLimit: 3},
	} {
		store, bound := inMemory(t), options.ListBound
		importInto(t, store, generated(t, 1), options)
		pool := newExecutors(store).collectArguments(t)
		handler, schema := newExplainHandler(store, bound), plannedSchema().Schema()
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
					violation := r.exceeds(handler, &counted)
					if violation != "" {
						smaller := r.shrunkWhile(func(r request) bool { return r.exceeds(handler, new(comparison)) != "" })
						if c := smaller.exceeds(handler, new(comparison)); c != "" {
							r, violation = smaller, c
						}
						return fmt.Errorf("query %d of seed %d: %s\n%s", i, random, r, violation)
					}
				}
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		compared := counted.all.Load()
		unbounded += counted.unbounded.Load()
		t.Logf("buckets of %d, fan-out limit %d: %d queries, %d compared, %d of them unbounded, in %s",
			bound, options.FanoutLimit, n/3, compared,
			counted.unbounded.Load(), time.Since(begin).Round(time.Millisecond))
		if compared < int64(n/3)*80/100 {
			t.Error("too few queries were compared")
		}
	}
	if unbounded == 0 {
		t.Error("no plan is unbounded")
	}
}

// Random queries rarely read a whole subtree.
func TestNoSubtreeExceedsItsPlan(t *testing.T) {
	store := inMemory(t)
	importInto(t, store, generated(t, 1), transfer.Options{ListBound: 5})
	pool, handler := newExecutors(store).collectArguments(t), newExplainHandler(store, 5)
	var counted comparison
	sent := map[string]bool{}
	for _, code := range pool["department code"] {
		query := fmt.Sprintf(`{ department(code: %q) { descendants(last: 100) { nodes { name } } } }`, code)
		if sent[query] || len(sent) == 8 {
			continue
		}
		sent[query] = true
		if violation := (request{query: query}).exceeds(handler, &counted); violation != "" {
			t.Fatalf("%s: %s", query, violation)
		}
	}
	if n := int64(len(sent)); counted.unbounded.Load() != n {
		t.Errorf("%d of %d plans are unbounded", counted.unbounded.Load(), n)
	}
}

// The query finds hub twice: first without the length of its list of followers.
func TestLazyObjectsAwaitListLength(t *testing.T) {
	users, follows := "username,name\nhub,Hub\nx,X\n", "follower,followee\nx,hub\n"
	for i := range 20 {
		users, follows = users+fmt.Sprintf("f%d,F\n", i), follows+fmt.Sprintf("f%d,hub\nhub,f%d\n", i, i)
	}
	store := inMemory(t)
	importInto(t, store, folderOf(t, map[string]string{"users": users, "follows": follows}), transfer.Options{})
	r := request{query: `{user(username:"hub"){followers(first:20){nodes{username}}}
		a:user(username:"x"){following(first:1){nodes{followers(first:20){totalCount nodes{name followers(first:1){nodes{username}}}}}}}}`}
	var compared comparison
	if violation := r.exceeds(newExplainHandler(store, tables.ListBound), &compared); violation != "" ||
		compared.all.Load() == 0 {
		t.Error(compared.all.Load(), violation)
	}
}
