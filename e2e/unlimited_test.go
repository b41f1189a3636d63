package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"twibase/graph/endpoint"
	"twibase/graph/exec"
	"twibase/graph/limits"
	"twibase/graph/plan"
	"twibase/hbase/tables"
	"twibase/loaders"
	"twibase/resolvers"
)

// The plan executes no operation of more than 20,000 fields, whatever the limits are.
func TestWithoutTheLimitOfFieldsThereAreOthers(t *testing.T) {
	store := sampleStore(t)
	set := func(values map[string]int) limits.Limits {
		l, err := limits.With(values)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	// doubled selects 2ⁿ + 1 fields.
	doubled := func(n int) string {
		return strings.NewReplacer("{...F0}", `{user(username:"LiLei"){...F0}}`, "on Query{", "on User{", "__typename", "name").Replace(chain(n))
	}
	const tooMany = "the number of selected fields of an operation is limited to 20000, and this has more"
	for _, test := range []struct {
		name   string
		limits limits.Limits
		levels int
		want   string
	}{
		{"the fields are limited, those of a fragment for themselves", limits.Default(), 10, "the number of fields, with fragments expanded, is limited to 1000, and this is 1024"},
		{"so are the visits", set(map[string]int{"fields": 0}), 13, "is limited to 10000, and this is "},
		{"without both 16,385 fields are executed", set(map[string]int{"fields": 0, "visits": 0}), 14, `"data":{"user":{"name":"`},
		{"and 32,769 are not", set(map[string]int{"fields": 0, "visits": 0}), 15, tooMany},
		{"also if the bytes alone are limited", limits.Limits{limits.Bytes: 64 << 10}, 15, tooMany},
		{"and if nothing is limited at all", limits.Limits{}, 15, tooMany},
		{"with which 16,385 are executed", limits.Limits{}, 14, `"data":{"user":{"name":"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			schema := exec.NewPlannedSchema(exec.Config{Resolvers: &resolvers.Resolver{}}, func(ctx context.Context) plan.Tasks { return loaders.TasksOf(ctx) })
			handler := endpoint.New(schema, endpoint.Config{Timeout: time.Minute, Limits: test.limits, Costs: resolvers.Costs(tables.ListBound),
				Around: func(ctx context.Context) context.Context { return watchdog.With(ctx, store) }})
			_, body := request{query: doubled(test.levels)}.send(handler)
			if !strings.Contains(string(body), test.want) || strings.Contains(string(body), "error") != strings.Contains(test.want, "limited") {
				t.Errorf("the answer is %s", cut(body))
			}
		})
	}
}
