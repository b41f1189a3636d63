package e2e

import (
	"strings"
	"testing"
	"time"

	"twibase/graph/endpoint"
	"twibase/graph/exec"
	"twibase/graph/limits"
	"twibase/hbase/tables"
	"twibase/resolvers"
)

func TestFieldsAreLimitedWithoutFieldLimit(t *testing.T) {
	store := sampleStore(t)
	set := func(values map[string]int) limits.Limits {
		l, err := limits.With(values)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	doubled := func(n int) string {
		return strings.NewReplacer("{...F0}", `{user(username:"LiLei"){...F0}}`, "on Query{", "on User{", "__typename",
			"name").Replace(chain(n))
	}
	const tooMany = "the number of selected fields of the operation exceeds the limit of 20000"
	for _, test := range []struct {
		name   string
		limits limits.Limits
		levels int
		want   string
	}{
		{"fields", limits.Default(), 10,
			"the number of fields, with fragments expanded, is limited to 1000, and this is 1024"},
		{"visits", set(map[string]int{"fields": 0}), 13, "is limited to 10000, and this is "},
		{"neither: 16,385 fields are executed", set(map[string]int{"fields": 0, "visits": 0}), 14,
			`"data":{"user":{"name":"`},
		{"neither: 32,769 fields are rejected", set(map[string]int{"fields": 0, "visits": 0}), 15, tooMany},
		{"bytes only", limits.Limits{limits.Bytes: 64 << 10}, 15, tooMany},
		{"no limits: 32,769 fields are rejected", limits.Limits{}, 15, tooMany},
		{"no limits: 16,385 fields are executed", limits.Limits{}, 14, `"data":{"user":{"name":"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			schema := exec.NewPlannedSchema(exec.Config{Resolvers: &resolvers.Resolver{}}, tasksOf)
			handler := endpoint.New(schema,
				endpoint.Config{Timeout: time.Minute, Limits: test.limits, Costs: resolvers.Costs(tables.ListBound),
					Around: loadersOver(store)})
			_, body := request{query: doubled(test.levels)}.send(handler)
			if !strings.Contains(string(body), test.want) ||
				strings.Contains(string(body), "error") != strings.Contains(test.want, "limit") {
				t.Errorf("got %s, want %s", excerpt(body), test.want)
			}
		})
	}
}
