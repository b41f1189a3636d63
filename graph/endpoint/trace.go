package endpoint

import (
	"context"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/plan"
)

// Trace describes a request for the log. It is complete when the request was served.
type Trace struct {
	// name and kind (query, mutation or subscription); empty without a valid operation
	Operation, Kind string
	// empty if no operation was executed
	Execution plan.Execution
	// of the response
	Errors int
	// Codes counts errors by code, also those of refused requests.
	Codes map[string]int
	// rejected by load shedding
	Rejected bool
}

// CountCode counts an error.
func (t *Trace) CountCode(code string) {
	if t.Codes == nil {
		t.Codes = map[string]int{}
	}
	t.Codes[code]++
}

func (t *Trace) count(errs gqlerror.List) {
	t.Errors += len(errs)
	for _, err := range errs {
		code, _ := err.Extensions["code"].(string)
		t.CountCode(code)
	}
}

type traceKey struct{}

// WithTrace returns a ctx whose request is traced.
func WithTrace(ctx context.Context, trace *Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, trace)
}

func traceOf(ctx context.Context) *Trace {
	if trace, ok := ctx.Value(traceKey{}).(*Trace); ok {
		return trace
	}
	return new(Trace)
}
