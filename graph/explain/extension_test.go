package explain

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"

	"twibase/graph/apierr"
	"twibase/graph/exec"
	"twibase/graph/plan"
)

// respond dispatches a query with a header; executed tells whether it was executed.
func respond(t *testing.T, schema graphql.ExecutableSchema, query, header string, most int) (response *graphql.Response, executed bool) {
	t.Helper()
	e := executor.New(schema)
	e.AroundOperations(Middleware(schema, func(string, string) Cost { return nil }, most))
	e.AroundResponses(func(context.Context, graphql.ResponseHandler) *graphql.Response {
		executed = true
		return &graphql.Response{}
	})
	ctx := graphql.StartOperationTrace(t.Context())
	op, errs := e.CreateOperationContext(ctx, &graphql.RawParams{Query: query, Headers: http.Header{Header: {header}}})
	if errs != nil {
		t.Fatal(errs)
	}
	handler, ctx := e.DispatchOperation(ctx, op)
	return handler(ctx), executed
}

func TestExtension(t *testing.T) {
	planned := exec.NewPlannedSchema(exec.Config{}, func(context.Context) plan.Tasks { panic("a task") })
	const query = `{user(username:"x"){id}}`
	t.Run("with the header a plan comes, and nothing is executed", func(t *testing.T) {
		response, executed := respond(t, planned, query, "1", 0)
		p := Plan{}
		if err := json.Unmarshal(response.Extensions["plan"].(json.RawMessage), &p); err != nil {
			t.Fatal(err)
		}
		if executed || !bytes.Equal(response.Data, []byte("null")) || response.Errors != nil || p.Fields[0].Path != "user" {
			t.Errorf("executed: %t; %+v", executed, response)
		}
		if p.Fields[0].Open != "its cost is not declared" {
			t.Errorf("a resolver without a cost is %+v", p.Fields[0])
		}
	})
	t.Run("a plan is as long as it may be, to the byte", func(t *testing.T) {
		response, _ := respond(t, planned, query, "1", 0)
		whole := response.Extensions["plan"].(json.RawMessage)
		if response, _ := respond(t, planned, query, "1", len(whole)); response.Errors != nil {
			t.Error(response.Errors)
		}
		response, executed := respond(t, planned, query, "1", len(whole)-1)
		if executed || len(response.Errors) != 1 || response.Errors[0].Extensions["code"] != string(apierr.CodeLimitExceeded) || response.Extensions != nil {
			t.Errorf("executed: %t; %+v", executed, response)
		}
	})
	t.Run("a long argument is written once, wherever its fragment is spread", func(t *testing.T) {
		var query strings.Builder
		for i := range 200 {
			fmt.Fprintf(&query, " a%d:user(username:%q){...A}", i, "x")
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		response, _ := respond(t, planned, "{"+query.String()+"} fragment A on User{hasRole(code:\""+strings.Repeat("x", 30_000)+"\")}", "1", 0)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; response.Errors != nil || took > 10<<20 {
			t.Errorf("it takes %d bytes: %v", took, response.Errors)
		}
	})
	t.Run("with another value it is executed", func(t *testing.T) {
		if _, executed := respond(t, planned, query, "0", 0); !executed {
			t.Error("it is not executed")
		}
	})
	t.Run("what has no plan is an error", func(t *testing.T) {
		response, executed := respond(t, exec.NewExecutableSchema(exec.Config{}), query, "1", 0)
		if executed || len(response.Errors) != 1 || response.Errors[0].Extensions["code"] != string(apierr.CodeBadUserInput) {
			t.Errorf("executed: %t; %+v", executed, response)
		}
	})
}
