package plan

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/apierr"
)

// lonely is a world of people of whom nobody knows another, but for the first.
func lonely() *world {
	return people().with(map[string]resolver{"Person.best": each(func(p *thing) any {
		if p.fields["name"] == "a" {
			return of("Person", "name", "b")
		}
		return nil
	})})
}

func TestAnOperationOfMoreFieldsThanThereIsMemoryForTakesThatOfItsAnswer(t *testing.T) {
	var before, after runtime.MemStats
	w := lonely()
	schema := w.build()
	e := engine(schema)
	runtime.ReadMemStats(&before)
	got := ask(e, doubled(60), "", nil)
	runtime.ReadMemStats(&after)
	// Two are there on the first level, and nobody on the second.
	if want := `{"data":{"me":{"a":{"a":null,"b":null},"b":{"a":null,"b":null}}}}`; got != want {
		t.Error(got)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("it took %d bytes", took)
	}
	if len(schema.compiler.cache.Values()) != 0 {
		t.Error("it is kept")
	}
	if want := []string{"Query.me 1", "Person.a 1", "Person.b 1", "Person.a 1", "Person.b 1", "Person.a 1", "Person.b 1"}; len(w.calls) != len(want) {
		t.Errorf("the calls are %q", w.calls)
	}
}

func TestWhatIsTooLargeIsNotWalked(t *testing.T) {
	schema := people().build()
	ctx := graphql.StartOperationTrace(t.Context())
	for _, test := range []struct {
		levels int
		actual any
	}{{12, nil}, {13, 3<<13 - 1}, {60, 1<<31 - 1}} {
		op, errs := engine(schema).CreateOperationContext(ctx, &graphql.RawParams{Query: doubled(test.levels)})
		if errs != nil {
			t.Fatal(errs)
		}
		visited := 0
		_, err := Walk(graphql.WithOperationContext(ctx, op), schema, "", func(Call, string) func(string) string {
			visited++
			return func(string) string { return "" }
		})
		refusal := (*apierr.Error)(nil)
		if errors.As(err, &refusal); test.actual == nil {
			if err != nil || visited != 1<<13-1 {
				t.Errorf("%d calls of %d levels are visited: %v", visited, test.levels, err)
			}
		} else if visited != 0 || refusal == nil || refusal.Code != apierr.CodeLimitExceeded || refusal.Extensions["actual"] != test.actual || refusal.Extensions["limit"] != maxFields {
			t.Errorf("%d calls of %d levels are visited: %v %v", visited, test.levels, err, refusal)
		}
	}
}

func TestEachEventOfALargeSubscriptionIsExecutedByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := people()
		w.sdl += ` type Subscription { ticks: Person }`
		w.resolvers["Subscription.ticks"] = always(nil)
		schema := w.build()
		schema.compiler.whole = 0
		schema.config.Types.Objects["Subscription"].Fields["ticks"].Stream = func(context.Context, any, map[string]any) (Source, error) {
			n := 0
			return func(context.Context) (any, bool) {
				n++
				return of("Person", "name", fmt.Sprint(n)), n < 4
			}, nil
		}
		e := engine(schema)
		ctx := graphql.StartOperationTrace(t.Context())
		op, errs := e.CreateOperationContext(ctx, &graphql.RawParams{Query: `subscription{ticks{name best{name} friends{name}}}`})
		if errs != nil {
			t.Fatal(errs)
		}
		respond, ctx := e.DispatchOperation(ctx, op)
		var got []string
		for response := respond(ctx); response != nil; response = respond(ctx) {
			got = append(got, string(response.Data))
		}
		var want []string
		for n := range 3 {
			want = append(want, strings.ReplaceAll(`{"ticks":{"name":"N","best":{"name":"best of N"},"friends":[{"name":"N0"},{"name":"N1"}]}}`, "N", fmt.Sprint(n+1)))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the events are\n%q\nand should be\n%q", got, want)
		}
	})
}
