// Package explain predicts what an operation reads, without executing it: the rounds, and upper bounds of Gets, RPCs and rows.
//
// What a resolver reads is declared beside it, as a [Cost]; the package names no field of the schema, and no table.
package explain

import (
	"context"
	"fmt"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/plan"
)

// Uncovered is the error for an operation that the plan does not execute, of which nothing is predicted.
type Uncovered struct{ plan.Execution }

// Error implements error.
func (u *Uncovered) Error() string {
	return fmt.Sprintf("nothing is predicted of this operation: it is not executed by the plan (%s)", u.Reason)
}

// Totals are what an operation costs at most.
type Totals struct {
	Rounds int64 `json:"rounds"`
	RPCs   int64 `json:"rpcs"`
	Gets   int64 `json:"gets"`
	Scans  int64 `json:"scans"`
	Rows   int64 `json:"rows"`
	// Objects counts those that resolvers lead to.
	Objects int64 `json:"objects"`
}

// Bound returns what the operation of ctx costs at most, or an [Uncovered]. It takes time linear in the compiled operation.
func Bound(ctx context.Context, schema graphql.ExecutableSchema, costs Costs) (Totals, error) {
	e, err := run(ctx, schema, costs, false)
	if err != nil {
		return Totals{}, err
	}
	return e.totals(), nil
}

func run(ctx context.Context, schema graphql.ExecutableSchema, costs Costs, ordinary bool) (*estimate, error) {
	e := newEstimate(ordinary)
	execution, err := plan.Walk(ctx, schema, &Crowd{N: 1}, func(call plan.Call, parents *Crowd) func(string) *Crowd {
		return e.visit(call, parents, costs)
	})
	if err == nil && execution.Executor != "plan" {
		err = &Uncovered{execution}
	}
	return e, err
}

// chunk is how many Gets of a table go out in one RPC.
const chunk = 256

// place is a table that is read in a course, or with no name all that is.
type place struct {
	course int
	table  string
}

// use is how a place is used: in the round that is the last one at most, by so many calls of loaders, for so many Gets.
type use struct{ last, calls, gets int64 }

// rounds is in how many rounds that is. A call may come earlier than it may at most, and alone, but is one.
func (u use) rounds() int64 { return min(u.last, u.calls) }

func (u use) with(r *record) use {
	return use{max(u.last, int64(r.begun.round+r.Rounds)), u.calls + int64(r.Rounds), add(u.gets, r.gets)}
}

// totals sums up what is on record.
func (e *estimate) totals() (t Totals) {
	for _, s := range e.steps {
		t.Objects = add(t.Objects, s.objects)
	}
	uses := make(map[place]use, 2*len(e.records))
	for _, r := range e.records {
		if r.rows > 0 {
			t.Scans, t.RPCs, t.Rows = t.Scans+1, t.RPCs+1, add(t.Rows, r.rows)
			continue
		}
		t.Gets, t.Rows = add(t.Gets, r.gets), add(t.Rows, r.gets)
		for _, at := range []place{{r.begun.course, ""}, {r.begun.course, r.Table}} {
			uses[at] = uses[at].with(r)
		}
	}
	t.Rounds = t.Scans
	for at, u := range uses {
		if at.table == "" {
			t.Rounds += u.rounds()
		} else {
			t.RPCs = add(t.RPCs, u.rounds()+u.gets/chunk)
		}
	}
	return t
}

// rpcs is how many RPCs bring the Gets of a table in a round.
func rpcs(gets int64) int64 { return max(1, (gets+chunk-1)/chunk) }

// share is how many of a read's Gets are sent in its round i, if they are spread evenly.
func (r *record) share(i int) int64 {
	n := int64(r.Rounds)
	if i == 0 {
		return r.gets - r.gets/n*(n-1)
	}
	return r.gets / n
}
