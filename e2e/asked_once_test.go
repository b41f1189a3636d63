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
	"twibase/graph/plan"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers"
)

func TestWhatARequestCostsIsAskedOnceIfThatIsAlwaysTheSame(t *testing.T) {
	store, declared, calls := sampleStore(t), resolvers.Costs(tables.ListBound), 0
	most, err := limits.With(map[string]int{"rows": 1000})
	if err != nil {
		t.Fatal(err)
	}
	schema := exec.NewPlannedSchema(exec.Config{Resolvers: holey{}}, func(ctx context.Context) plan.Tasks { return loaders.TasksOf(ctx) })
	handler := endpoint.New(schema, endpoint.Config{Timeout: time.Minute, Limits: most,
		Costs:  func(object, field string) explain.Cost { calls++; return declared(object, field) },
		Around: func(ctx context.Context) context.Context { return watchdog.With(ctx, whimsOf(ctx).store(store)) }})
	const query, long = `{user(username:"LiLei"){name followers{nodes{name}}}}`, `{users(first:100){nodes{followers(first:100){nodes{name}}}}}`
	const named = `query($u:String!){user(username:$u){name}}`
	variables := map[string]any{"u": "LiLei"}
	for _, step := range []struct {
		name  string
		of    request
		asks  bool
		holds string
	}{
		{"the first time it is asked", request{query: query}, true, `"name"`},
		{"then it is known", request{query: query}, false, `"name"`},
		{"not for somebody with a token, who sees other things", request{query: query, viewer: auth.Viewer{Username: "LiLei"}}, true, `"name"`},
		{"but for all of them", request{query: query, viewer: auth.Viewer{Username: "HanMeimei"}}, false, `"name"`},
		{"and for those whose token makes them administrators", request{query: query, viewer: auth.Viewer{Username: "root", Admin: true}}, true, `"name"`},
		{"another operation is another", request{query: strings.Replace(query, "{name ", "{id ", 1)}, true, `"id"`},
		{"what has variables is asked", request{query: named, variables: variables}, true, `"name"`},
		{"each time", request{query: named, variables: variables}, true, `"name"`},
		{"what would cost too much is refused", request{query: long}, true, "LIMIT_EXCEEDED"},
		{"each time", request{query: long}, true, "LIMIT_EXCEEDED"},
	} {
		calls = 0
		if _, body := step.of.send(handler); calls > 0 != step.asks || !strings.Contains(string(body), step.holds) {
			t.Errorf("%s: %d costs are asked for, and the answer is %s", step.name, calls, cut(body))
		}
	}
}

// What is known of one viewer is taken for all whose tokens say as much.
func TestWhatARequestCostsAtMostDoesNotDependOnAName(t *testing.T) {
	handler := explaining(sampleStore(t), tables.ListBound)
	for _, file := range exampleNames(t) {
		first := planOf(t, handler, request{query: example(t, file), viewer: auth.Viewer{Username: "LiLei"}})
		for _, username := range []string{"HanMeimei", "nobody"} {
			if other := planOf(t, handler, request{query: example(t, file), viewer: auth.Viewer{Username: username}}); other.Totals != first.Totals {
				t.Errorf("%s costs LiLei %s, and %s %s", file, first.Totals, username, other.Totals)
			}
		}
	}
}
