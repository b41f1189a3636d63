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

func (w *dataset) planned() graphql.ExecutableSchema {
	return exec.NewPlannedSchema(exec.Config{Resolvers: root{dataset: w}}, nil)
}

func (w *dataset) stock() graphql.ExecutableSchema {
	return exec.NewExecutableSchema(exec.Config{Resolvers: root{dataset: w}})
}

// The response is valid until the next call of the responder.
func responder(schema graphql.ExecutableSchema, body []byte, viewer string) func() []byte {
	e := executor.New(schema)
	e.SetQueryCache(lru.New[*ast.QueryDocument](10))
	var buffer []byte
	return func() []byte {
		var params graphql.RawParams
		if err := json.Unmarshal(body, &params); err != nil {
			panic(err)
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
