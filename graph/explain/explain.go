// Package explain predicts what an operation reads, without executing it: the rounds, and upper bounds of Gets, RPCs and rows.
//
// What a resolver reads is declared beside it, as a [Cost]; the package names no field of the schema, and no table.
package explain

import (
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/apierr"
	"twibase/graph/plan"
)

// Totals are what an operation costs at most.
type Totals struct {
	Rounds int64 `json:"rounds"`
	RPCs   int64 `json:"rpcs"`
	Gets   int64 `json:"gets"`
	Scans  int64 `json:"scans"`
	Rows   int64 `json:"rows"`
	// Objects counts those that resolvers lead to.
	Objects int64 `json:"objects"`
	// Resolved counts what resolvers answer: a value for each object of each of their fields.
	Resolved int64 `json:"resolved"`
}

// Bound returns what the operation of ctx costs at most, or the error with which a resolver will refuse its arguments, with
// its place in the document. It takes time linear in the compiled operation.
func Bound(ctx context.Context, schema graphql.ExecutableSchema, costs Costs) (Totals, error) {
	e, err := run(ctx, schema, costs, false)
	if err != nil {
		return Totals{}, err
	}
	for _, s := range e.steps {
		if s.uncalled {
			continue // A null where an argument needs a value fails its field alone: nothing is read for it.
		}
		if public := (*apierr.Error)(nil); errors.As(s.err, &public) {
			return Totals{}, &gqlerror.Error{Err: public, Message: public.Message, Locations: apierr.Present(s.call.Ctx, public).Locations}
		}
	}
	return e.totals(), nil
}

func run(ctx context.Context, schema graphql.ExecutableSchema, costs Costs, ordinary bool) (*estimate, error) {
	e := newEstimate(ordinary)
	err := plan.Walk(ctx, schema, &Set{Cardinality: 1}, func(call plan.Call, parents *Set) func(string) *Set {
		return e.visit(call, parents, costs)
	})
	return e, err
}

// chunk is how many Gets go out in one RPC.
const chunk = 256

// rpcs is how many RPCs bring the Gets of so many rounds from a region server.
func rpcs(rounds, gets int64) int64 { return add(rounds, max(gets-rounds, 0)/chunk) }

// totals sums up what is on record.
func (e *estimate) totals() (t Totals) {
	for _, s := range e.steps {
		t.Objects, t.Resolved = add(t.Objects, s.objects), add(t.Resolved, s.parents)
	}
	// A call of a loader may come in an earlier round than it may at most, and alone; but each comes in one.
	calls := make([]int, len(e.chains))
	for _, r := range e.records {
		if r.rows > 0 {
			t.Scans, t.Rows = t.Scans+1, add(t.Rows, r.rows)
			continue
		}
		t.Gets, t.Rows = add(t.Gets, r.gets), add(t.Rows, r.gets)
		calls[r.begun.chain] += r.Rounds
	}
	for chain, rounds := range e.chains {
		t.Rounds += int64(min(rounds, calls[chain]))
	}
	t.RPCs = add(rpcs(t.Rounds, t.Gets), t.Scans)
	t.Rounds += t.Scans
	return t
}

// share is how many of a read's Gets are sent in its round i, if they are spread evenly.
func (r *record) share(i int) int64 {
	n := int64(r.Rounds)
	if i == 0 {
		return r.gets - r.gets/n*(n-1)
	}
	return r.gets / n
}

// Header asks for a plan, instead of execution, if its value is 1.
const Header = "X-Twibase-Explain"

// Middleware answers requests that ask for it with their plans, of at most so many bytes, 0 for any number.
func Middleware(schema graphql.ExecutableSchema, costs Costs, most int) graphql.OperationMiddleware {
	return func(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
		if graphql.GetOperationContext(ctx).Headers.Get(Header) != "1" {
			return next(ctx)
		}
		response := &graphql.Response{Data: []byte("null")}
		if p, err := Predict(ctx, schema, costs, most); err != nil {
			if errors.Is(err, plan.ErrUnplanned) {
				err = apierr.BadUserInput("%s", err)
			}
			response.Errors = append(response.Errors, apierr.Present(ctx, err))
		} else {
			response.Extensions = map[string]any{"plan": p.JSON}
		}
		return graphql.OneShot(response)
	}
}
