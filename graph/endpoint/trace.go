package endpoint

import (
	"context"

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
	// rejected by load shedding
	Rejected bool
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
