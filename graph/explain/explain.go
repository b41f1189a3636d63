// Package explain predicts the reads of an operation without executing it: the rounds, and upper
// bounds of Gets, RPCs and rows.
//
// The reads of a resolver are declared next to it, as a [Cost]. This package names no field of the
// schema and no table.
package explain

import (
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/apierr"
	"twibase/graph/plan"
)

// Totals are upper bounds of the cost of an operation.
type Totals struct {
	Rounds int64 `json:"rounds"`
	RPCs   int64 `json:"rpcs"`
	Gets   int64 `json:"gets"`
	Scans  int64 `json:"scans"`
	Rows   int64 `json:"rows"`
	// Objects counts the objects that resolvers return.
	Objects int64 `json:"objects"`
	// Resolved counts the values that resolvers return: one for each object and each field with a
	// resolver.
	Resolved int64 `json:"resolved"`
}

// Bound returns the cost of the operation of ctx, or the error with which a resolver will refuse
// its arguments, with its location. It takes time linear in the compiled operation.
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

// chunk is the maximum number of Gets of one RPC.
const chunk = 256

// rpcs is the number of RPCs to one region server for so many Gets in so many rounds.
func rpcs(rounds, gets int64) int64 { return add(rounds, max(gets-rounds, 0)/chunk) }

// totals returns the sums of the records.
func (e *estimate) totals() (t Totals) {
	for _, s := range e.steps {
		t.Objects, t.Resolved = add(t.Objects, s.objects), add(t.Resolved, s.parents)
	}
	// A read may begin in an earlier round than its stage, and alone, but takes no more rounds.
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

// share is the number of Gets of a read in its round i, if they are spread evenly.
func (r *record) share(i int) int64 {
	n := int64(r.Rounds)
	if i == 0 {
		return r.gets - r.gets/n*(n-1)
	}
	return r.gets / n
}

// Header requests a plan, instead of execution, if its value is 1.
const Header = "X-Twibase-Explain"

// Middleware answers requests that ask for it with their plans. most bounds the bytes of a plan, 0
// for no bound.
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
