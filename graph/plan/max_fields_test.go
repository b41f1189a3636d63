package plan

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
)

const tooMany = `{"errors":[{"message":"the number of selected fields of the operation exceeds the limit of 20000"}],"data":null}`

func TestTooManyFieldsAreRejectedWithoutAllocation(t *testing.T) {
	for _, test := range []struct{ name, query string }{
		{"a query", doubled(60)},
		{"a subscription", `subscription{ticks{...F0}}` + doubled(60)[len(`{me{...F0}}`):]},
	} {
		t.Run(test.name, func(t *testing.T) {
			var before, after runtime.MemStats
			fx := people()
			fx.sdl += ` type Subscription { ticks: Person }`
			fx.resolvers["Subscription.ticks"] = returns(nil)
			schema := fx.build()
			e := newExecutor(schema)
			runtime.ReadMemStats(&before)
			got := execute(e, test.query, "", nil)
			runtime.ReadMemStats(&after)
			if got != tooMany || fx.calls != nil {
				t.Errorf("resolver calls %q, response %s", fx.calls, got)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
				t.Errorf("allocated %d bytes", took)
			}
			if values := schema.compiler.cache.Values(); len(values) != 0 {
				t.Error("the operation is cached")
			}
		})
	}
}

func TestNestedAbstractFieldsAreCountedForEachType(t *testing.T) {
	schema := (&fixture{sdl: `
		interface Node { id: ID next: Node }
		type A implements Node { id: ID next: Node }
		type B implements Node { id: ID next: Node }
		type Query { node: Node }`,
		resolvers: map[string]resolver{"Query.node": returns(obj("A", "id", "1"))}}).build()
	nested := func(levels int) string {
		return `{node` + strings.Repeat(`{next`, levels) + `{id}` + strings.Repeat(`}`, levels+1)
	}
	if got := execute(newExecutor(schema), nested(12), "", nil); got != `{"data":{"node":{"next":null}}}` {
		t.Error(got)
	}
	const message = "the number of selected fields of the operation, counted for each object type, exceeds the limit of 20000"
	if got := execute(newExecutor(schema), nested(100), "", nil); got != `{"errors":[{"message":"`+message+`"}],"data":null}` {
		t.Error(got)
	}
}

func TestSelectionSetsWithoutFieldsAreCounted(t *testing.T) {
	sdl := "interface Node { id: ID } type Query { node: Node }"
	for i := range 30 {
		sdl += fmt.Sprintf(" type T%d implements Node { id: ID }", i)
	}
	schema := (&fixture{sdl: sdl, resolvers: map[string]resolver{"Query.node": returns(nil)}}).build()
	query := "{"
	for i := range 1000 {
		query += fmt.Sprintf("a%d: node{...{... on T0{id}}}", i)
	}
	const message = "the number of selection sets of the operation, counted for each object type, exceeds the limit of 20000"
	if got := execute(newExecutor(schema), query+"}", "", nil); got != `{"errors":[{"message":"`+message+`"}],"data":null}` {
		t.Error(got)
	}
}

func TestWalkRejectsTooManyFields(t *testing.T) {
	schema := people().build()
	ctx := graphql.StartOperationTrace(t.Context())
	for _, test := range []struct {
		levels   int
		rejected bool
	}{{12, false}, {13, true}, {60, true}} {
		op, errs := newExecutor(schema).CreateOperationContext(ctx, &graphql.RawParams{Query: doubled(test.levels)})
		if errs != nil {
			t.Fatal(errs)
		}
		visited := 0
		err := Walk(graphql.WithOperationContext(ctx, op), schema, "", func(Call, string) func(string) string {
			visited++
			return func(string) string { return "" }
		})
		limit := (*LimitError)(nil)
		if errors.As(err, &limit); !test.rejected {
			if err != nil || visited != 1<<13-1 {
				t.Errorf("%d calls visited in %d levels: %v", visited, test.levels, err)
			}
		} else if visited != 0 || limit == nil || limit.Limit != maxFields {
			t.Errorf("%d calls visited in %d levels: %v", visited, test.levels, err)
		}
	}
}
