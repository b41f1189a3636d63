package endpoint

import (
	"context"

	"twibase/graph/plan"
)

// Trace is what the endpoint learned of a request, for logs. It may be read when the request has been served.
type Trace struct {
	// Operation is the operation's name, empty if it has none; Kind is query or mutation, and empty if there is no valid operation.
	Operation, Kind string
	// Execution says who executed the operation; it is empty if nobody did.
	Execution plan.Execution
	// Errors counts those in the response.
	Errors int
	// SentAway says that too many operations were executed already.
	SentAway bool
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
