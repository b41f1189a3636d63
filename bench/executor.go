package main

import (
	"context"
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/auth"
	"twibase/graph/exec"
	"twibase/graph/plan"
)

// untold is for tasks of which nobody wants to know.
type untold struct{}

func (untold) Start(int)            {}
func (untold) End()                 {}
func (untold) Await() map[any]error { return nil }

// planned is the world's schema as the plan executes it, and stock as gqlgen does.
func (w *world) planned() graphql.ExecutableSchema {
	return exec.NewPlannedSchema(exec.Config{Resolvers: root{w}}, func(context.Context) plan.Tasks { return untold{} })
}

func (w *world) stock() graphql.ExecutableSchema {
	return exec.NewExecutableSchema(exec.Config{Resolvers: root{w}})
}

// answerer returns a function that answers the body of a request by a schema, with what an answer's body is then. Documents that were parsed are kept. What
// it returns must not be used when it is called again.
func answerer(schema graphql.ExecutableSchema, body []byte, viewer string) func() []byte {
	e := executor.New(schema)
	e.SetQueryCache(lru.New[*ast.QueryDocument](10))
	var buffer []byte
	return func() []byte {
		var params graphql.RawParams
		if err := json.Unmarshal(body, &params); err != nil {
			panic(err) // it was made here
		}
		ctx := graphql.StartOperationTrace(auth.WithViewer(context.Background(), auth.Viewer{Username: viewer}))
		op, errs := e.CreateOperationContext(ctx, &params)
		if errs != nil {
			panic(errs)
		}
		respond, ctx := e.DispatchOperation(ctx, op)
		response := respond(ctx)
		if len(response.Errors) > 0 {
			panic(response.Errors)
		}
		buffer = append(append(append(buffer[:0], `{"data":`...), response.Data...), '}')
		plan.Release(response.Data)
		return buffer
	}
}
