package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"twibase/graph/auth"
	"twibase/graph/endpoint"
	"twibase/graph/exec"
	"twibase/graph/explain"
	"twibase/graph/limits"
	"twibase/hbase/tables"
	"twibase/resolvers"
)

func TestCostOfConstantRequestIsCached(t *testing.T) {
	store, declared, calls := sampleStore(t), resolvers.Costs(tables.ListBound), 0
	most, err := limits.With(map[string]int{"rows": 1000})
	if err != nil {
		t.Fatal(err)
	}
	schema := exec.NewPlannedSchema(exec.Config{Resolvers: faultyResolvers{}}, tasksOf)
	handler := endpoint.New(schema, endpoint.Config{Timeout: time.Minute, Limits: most,
		Costs:  func(object, field string) explain.Cost { calls++; return declared(object, field) },
		Around: func(ctx context.Context) context.Context { return watchdog.With(ctx, faultPlanOf(ctx).store(store)) }})
	const query, long = `{user(username:"LiLei"){name followers{nodes{name}}}}`,
		`{users(first:100){nodes{followers(first:100){nodes{name}}}}}`
	const named = `query($u:String!){user(username:$u){name}}`
	variables := map[string]any{"u": "LiLei"}
	for _, step := range []struct {
		name    string
		request request
		costs   bool
		want    string
	}{
		{"the first request", request{query: query}, true, `"name"`},
		{"the second request", request{query: query}, false, `"name"`},
		{"the first request with a token", request{query: query, viewer: auth.Viewer{Username: "LiLei"}}, true, `"name"`},
		{"a request of another user", request{query: query, viewer: auth.Viewer{Username: "HanMeimei"}}, false, `"name"`},
		{"an administrator's token", request{query: query, viewer: auth.Viewer{Username: "root", Admin: true}}, true,
			`"name"`},
		{"another operation", request{query: strings.Replace(query, "{name ", "{id ", 1)}, true, `"id"`},
		{"variables", request{query: named, variables: variables}, true, `"name"`},
		{"variables, again", request{query: named, variables: variables}, true, `"name"`},
		{"a rejected request", request{query: long}, true, "LIMIT_EXCEEDED"},
		{"a rejected request, again", request{query: long}, true, "LIMIT_EXCEEDED"},
	} {
		calls = 0
		if _, body := step.request.send(handler); calls > 0 != step.costs || !strings.Contains(string(body), step.want) {
			t.Errorf("%s: %d calls of cost functions, response %s", step.name, calls, excerpt(body))
		}
	}
}

func TestCostDoesNotDependOnUsername(t *testing.T) {
	handler := newExplainHandler(sampleStore(t), tables.ListBound)
	for _, file := range exampleNames(t) {
		first := planOf(t, handler, request{query: example(t, file), viewer: auth.Viewer{Username: "LiLei"}})
		for _, username := range []string{"HanMeimei", "nobody"} {
			if other := planOf(t, handler, request{query: example(t, file),
				viewer: auth.Viewer{Username: username}}); other.Totals != first.Totals {
				t.Errorf("%s costs %s for LiLei, and for %s %s", file, first.Totals, username, other.Totals)
			}
		}
	}
}
