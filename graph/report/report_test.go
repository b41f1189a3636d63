package report

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/vektah/gqlparser/v2/ast"
)

func TestReportIsInTheResponseIfRequested(t *testing.T) {
	levels := []Level{
		{Path: []string{"a"}, RPCs: 1, RegionServers: 1, Gets: 2, Rows: 1, Bytes: 10,
			Tables: []string{"t"}, Servers: []Server{{Name: "x:1", RPCs: 1, Gets: 2, StartMs: 0.1, Ms: 0.5}}},
		{Path: []string{"a.b"}, RPCs: 3, RegionServers: 2, Gets: 4, Scans: 1, Rows: 5, Bytes: 7, Stalled: true},
	}
	reported := slices.Clone(levels)
	reported[0].StartMs, reported[1].StartMs = 1, 2.5
	whole := map[string]any{"report": &Report{
		Rounds: 2, RPCs: 4, Gets: 6, Scans: 1, Rows: 6, Bytes: 17, Stalls: 1, Executor: "stock", Reason: "unplanned",
		Levels: reported,
	}}
	for _, test := range []struct {
		name     string
		header   []string
		response *graphql.Response
		traced   bool
		want     map[string]any
	}{
		{"no header", nil, &graphql.Response{Data: []byte("{}")}, false, nil},
		{"another value of the header", []string{"0"}, &graphql.Response{Data: []byte("{}")}, false, nil},
		{"the report has the sums of its levels", []string{"1"}, &graphql.Response{Data: []byte("{}")}, true, whole},
		{"other extensions are kept", []string{"1"},
			&graphql.Response{Data: []byte("null"), Extensions: map[string]any{"other": 1}}, true,
			map[string]any{"other": 1, "report": whole["report"]}},
		{"a request that was not executed", []string{"1"}, &graphql.Response{}, true, nil},
		{"no response", []string{"1"}, nil, true, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			traced := false
			respond := Middleware(func(ctx context.Context) func() []Level {
				traced = true
				all, start := slices.Clone(levels), graphql.GetStartTime(ctx)
				all[0].Begun, all[1].Begun = start.Add(time.Millisecond), start.Add(2500*time.Microsecond)
				return func() []Level { return all }
			}, 0)
			op := &graphql.OperationContext{Headers: http.Header{Header: test.header}}
			ctx := graphql.WithOperationContext(graphql.StartOperationTrace(t.Context()), op)
			got := respond(ctx, func(context.Context) *graphql.Response { return test.response })
			if traced != test.traced {
				t.Errorf("traced: %t", traced)
			}
			if got == nil {
				return
			}
			if text, ok := got.Extensions["report"].(json.RawMessage); ok {
				var r Report
				if err := json.Unmarshal(text, &r); err != nil {
					t.Fatal(err)
				}
				got.Extensions["report"] = &r
			}
			ignored := []cmp.Option{
				cmpopts.IgnoreFields(Report{}, "DurationMs"),
				cmpopts.IgnoreFields(Level{}, "Begun", "Stalled"),
			}
			if diff := cmp.Diff(test.want, got.Extensions, ignored...); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTooLongReportIsAnError(t *testing.T) {
	op := &graphql.OperationContext{Headers: http.Header{Header: {"1"}}}
	ctx := graphql.WithOperationContext(graphql.StartOperationTrace(t.Context()), op)
	respond := Middleware(func(context.Context) func() []Level {
		return func() []Level { return []Level{{Path: []string{strings.Repeat("x", 1000)}}} }
	}, 1000)
	got := respond(ctx, func(context.Context) *graphql.Response { return &graphql.Response{Data: []byte("{}")} })
	const want = "the length of the report in bytes exceeds the limit of 1000"
	if got.Extensions != nil || string(got.Data) != "{}" || len(got.Errors) != 1 || got.Errors[0].Message != want {
		t.Errorf("%s %v %v", got.Data, got.Errors, got.Extensions)
	}
}

func TestLevelsHaveThePathsOfTheirFields(t *testing.T) {
	index := 3
	ctx := t.Context()
	field := func(alias string) *graphql.FieldContext {
		return &graphql.FieldContext{Field: graphql.CollectedField{Field: &ast.Field{Alias: alias}}}
	}
	for _, at := range []*graphql.FieldContext{field("a"), {Index: &index}, field("b")} {
		ctx = graphql.WithFieldContext(ctx, at)
	}
	if got := Path(ctx); got != "a.b" {
		t.Errorf("got path %q", got)
	}
	ctx = graphql.WithFieldContext(ctx, field(strings.Repeat("x", 65)))
	if got := Path(ctx); got != "a.b."+strings.Repeat("x", 64)+"…" {
		t.Errorf("got path %q of a long key", got)
	}
}

func TestFieldsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/REPORT.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[Report](), reflect.TypeFor[Level](), reflect.TypeFor[Loader](),
		reflect.TypeFor[Server]()} {
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if name != "-" && !strings.Contains(string(text), "`"+name+"`") {
				t.Errorf("docs/REPORT.md does not describe %s", name)
			}
		}
	}
}
