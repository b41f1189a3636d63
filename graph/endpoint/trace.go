package endpoint

import (
	"context"

	"twibase/graph/plan"
)

// Trace describes a request, for logs. Read it after the request has been served.
type Trace struct {
	// Operation is the operation's name, and Kind query, mutation or subscription. Both are empty if there is no
	// valid operation.
	Operation, Kind string
	// Execution is the executor of the operation; it is empty if it was not executed.
	Execution plan.Execution
	// Errors counts those in the response.
	Errors int
	// Rejected is whether load shedding rejected the request.
	Rejected bool
}

type traceKey struct{}

// WithTrace returns a ctx whose request is traced in trace.
func WithTrace(ctx context.Context, trace *Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, trace)
}

func traceOf(ctx context.Context) *Trace {
	if trace, ok := ctx.Value(traceKey{}).(*Trace); ok {
		return trace
	}
	return new(Trace)
}
