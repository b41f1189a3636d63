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

func respond(
	t *testing.T, schema graphql.ExecutableSchema, query, header string, most int,
) (response *graphql.Response, executed bool) {
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

func TestHeaderRequestsAPlanInsteadOfExecution(t *testing.T) {
	planned := exec.NewPlannedSchema(exec.Config{}, func(context.Context) plan.Tasks { panic("a task") })
	const query = `{user(username:"x"){id}}`
	t.Run("the header requests a plan", func(t *testing.T) {
		response, executed := respond(t, planned, query, "1", 0)
		p := Plan{}
		if err := json.Unmarshal(response.Extensions["plan"].(json.RawMessage), &p); err != nil {
			t.Fatal(err)
		}
		if executed || !bytes.Equal(response.Data, []byte("null")) || response.Errors != nil || p.Fields[0].Path != "user" {
			t.Errorf("executed: %t; %+v", executed, response)
		}
		if p.Fields[0].Open != "its cost is not declared" {
			t.Errorf("got %+v for a resolver without a cost", p.Fields[0])
		}
	})
	t.Run("the length of a plan is limited", func(t *testing.T) {
		response, _ := respond(t, planned, query, "1", 0)
		whole := response.Extensions["plan"].(json.RawMessage)
		if response, _ := respond(t, planned, query, "1", len(whole)); response.Errors != nil {
			t.Error(response.Errors)
		}
		response, executed := respond(t, planned, query, "1", len(whole)-1)
		if executed || len(response.Errors) != 1 || response.Extensions != nil ||
			response.Errors[0].Extensions["code"] != string(apierr.CodeLimitExceeded) {
			t.Errorf("executed: %t; %+v", executed, response)
		}
	})
	t.Run("a long argument in a fragment is formatted once", func(t *testing.T) {
		var query strings.Builder
		for i := range 200 {
			fmt.Fprintf(&query, " a%d:user(username:%q){...A}", i, "x")
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		fragment := " fragment A on User{hasRole(code:\"" + strings.Repeat("x", 30_000) + "\")}"
		response, _ := respond(t, planned, "{"+query.String()+"}"+fragment, "1", 0)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; response.Errors != nil || took > 10<<20 {
			t.Errorf("allocated %d bytes: %v", took, response.Errors)
		}
	})
	t.Run("another value of the header", func(t *testing.T) {
		if _, executed := respond(t, planned, query, "0", 0); !executed {
			t.Error("not executed")
		}
	})
	t.Run("a schema without a plan", func(t *testing.T) {
		response, executed := respond(t, exec.NewExecutableSchema(exec.Config{}), query, "1", 0)
		if executed || len(response.Errors) != 1 || response.Errors[0].Extensions["code"] != string(apierr.CodeBadUserInput) {
			t.Errorf("executed: %t; %+v", executed, response)
		}
	})
}
