package plan_test

import (
	"context"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/google/go-cmp/cmp"

	"twibase/graph/exec"
	"twibase/graph/plan"
)

func TestExecutionNamesTheExecutorAndTheReason(t *testing.T) {
	planned := exec.NewPlannedSchema(exec.Config{}, nil)
	stock := exec.NewExecutableSchema(exec.Config{})
	for _, test := range []struct {
		name   string
		schema graphql.ExecutableSchema
		query  string
		want   plan.Execution
	}{
		{"query", planned, `{user(username:"a"){followers{edges{node{id}}}} node(id:""){id ...on Twit{content}}}`, plan.Execution{Executor: "plan"}},
		{"introspection", planned, `{__schema{types{name}} __typename}`, plan.Execution{Executor: "plan"}},
		{"@defer", planned, `{user(username:"a"){...@defer{name}}}`, plan.Execution{Executor: "plan"}},
		{"@defer in a fragment of a mutation", planned, `mutation{...M@defer} fragment M on Mutation{logIn(input:{username:"a",password:"b"}){token}}`, plan.Execution{Executor: "plan"}},
		{"@stream", planned, `{nodes(ids:[])@stream(initialCount:1){id}}`, plan.Execution{Executor: "plan"}},
		{"a schema of gqlgen", stock, `{user(username:"a"){name}}`, plan.Execution{Executor: "stock", Reason: "unplanned"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := executor.New(test.schema)
			ctx := graphql.StartOperationTrace(context.Background())
			for range 2 {
				op, errs := e.CreateOperationContext(ctx, &graphql.RawParams{Query: test.query})
				if errs != nil {
					t.Fatal(errs)
				}
				e.DispatchOperation(ctx, op)
				if diff := cmp.Diff(test.want, plan.ExecutionOf(op)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestNewPanicsWithoutGeneratedCode(t *testing.T) {
	defer func() {
		want := "plan: no code was generated for "
		if panicked, _ := recover().(string); !strings.HasPrefix(panicked, want) {
			t.Errorf("New panics with %q, want %q…", panicked, want)
		}
	}()
	plan.New(plan.Config{Generated: exec.NewExecutableSchema(exec.Config{}), Types: &plan.Schema{
		Query: "Query", Objects: map[string]*plan.Object{"Query": {Name: "Query"}}}})
}
