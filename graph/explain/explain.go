// Package explain predicts upper bounds of the reads of an operation, without executing it: see
// docs/EXPLAIN.md.
//
// Resolvers declare their reads as a [Cost], and estimate.go adds them up.
package explain

import (
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/apierr"
	"twibase/graph/plan"
)

// Totals are upper bounds of an operation: see docs/EXPLAIN.md.
type Totals struct {
	Rounds   int64 `json:"rounds"`
	RPCs     int64 `json:"rpcs"`
	Gets     int64 `json:"gets"`
	Scans    int64 `json:"scans"`
	Rows     int64 `json:"rows"`
	Objects  int64 `json:"objects"`
	Resolved int64 `json:"resolved"`
}

// Bound returns, in linear time, the cost of the operation of ctx, or the error of a resolver that
// will reject its arguments.
func Bound(ctx context.Context, schema graphql.ExecutableSchema, costs Costs) (Totals, error) {
	e, err := walk(ctx, schema, costs, false)
	if err != nil {
		return Totals{}, err
	}
	for _, s := range e.steps {
		if s.uncalled {
			continue
		}
		if public := (*apierr.Error)(nil); errors.As(s.err, &public) {
			locations := apierr.Present(s.call.Ctx, public).Locations
			return Totals{}, &gqlerror.Error{Err: public, Message: public.Message, Locations: locations}
		}
	}
	return e.totals(), nil
}

func walk(ctx context.Context, schema graphql.ExecutableSchema, costs Costs, ordinary bool) (*estimate, error) {
	e := newEstimate(ordinary)
	err := plan.Walk(ctx, schema, &Set{Cardinality: 1}, func(call plan.Call, parents *Set) func(string) *Set {
		return e.visit(call, parents, costs)
	})
	return e, err
}

const chunk = 256 // Gets of an RPC

// rpcs bounds the number of RPCs: a round of n > 0 Gets takes 1 + (n-1)/chunk RPCs.
func rpcs(rounds, gets int64) int64 { return add(rounds, max(gets-rounds, 0)/chunk) }

func (e *estimate) totals() (t Totals) {
	for _, s := range e.steps {
		t.Objects, t.Resolved = add(t.Objects, s.objects), add(t.Resolved, s.parents)
	}
	// e.chains may count rounds without reads, so the sum of the rounds of a chain's reads may be a
	// smaller bound.
	serial := make([]int, len(e.chains))
	for _, r := range e.records {
		if r.rows > 0 {
			t.Scans, t.Rows = t.Scans+1, add(t.Rows, r.rows)
			continue
		}
		t.Gets, t.Rows = add(t.Gets, r.gets), add(t.Rows, r.gets)
		serial[r.begun.chain] += r.Rounds
	}
	for chain, rounds := range e.chains {
		t.Rounds += int64(min(rounds, serial[chain]))
	}
	t.RPCs = add(rpcs(t.Rounds, t.Gets), t.Scans)
	t.Rounds += t.Scans
	return t
}

// share returns the Gets of round i of a read, about equal in all rounds.
func (r *record) share(i int) int64 {
	n := int64(r.Rounds)
	if i == 0 {
		return r.gets - r.gets/n*(n-1)
	}
	return r.gets / n
}

// Header with the value 1 requests a plan in place of execution.
const Header = "X-Twibase-Explain"

// Middleware responds with a plan to requests with [Header].
func Middleware(schema graphql.ExecutableSchema, costs Costs, maxBytes int) graphql.OperationMiddleware {
	return func(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
		if graphql.GetOperationContext(ctx).Headers.Get(Header) != "1" {
			return next(ctx)
		}
		response := &graphql.Response{Data: []byte("null")}
		if p, err := Predict(ctx, schema, costs, maxBytes); err != nil {
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
