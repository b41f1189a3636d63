package endpoint

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/apierr"
	"twibase/graph/endpoint/transport"
	"twibase/graph/plan"
)

// Trace describes a request for the log. It is complete after the request was served.
type Trace struct {
	// ID becomes extensions.traceId of errors.
	ID string
	// Operation and Kind are empty without a valid operation.
	Operation, Kind string
	Trusted         bool
	// Fields has the selected fields, as ascending indexes of [Endpoint.Fields]. It is read-only.
	Fields                []int
	Client, ClientVersion string
	Execution             plan.Execution
	Errors                int
	// Codes counts errors, also of rejected requests.
	Codes map[string]int
	// Rejected: no slot, place or memory for parsing was free, or the client had used up its rows.
	Rejected bool

	prepared *graphql.OperationContext // nil without a valid operation
}

// CountCode counts an error.
func (t *Trace) CountCode(code string) {
	if t.Codes == nil {
		t.Codes = map[string]int{}
	}
	t.Codes[code]++
}

// NoError is the code of a response without errors.
const NoError = "OK"

// Code returns the first of INTERNAL, UNAVAILABLE and TIMEOUT that an error has, or else the first
// code in alphabetical order, or [NoError].
func (t *Trace) Code() string {
	for _, code := range []apierr.Code{apierr.CodeInternal, apierr.CodeUnavailable, apierr.CodeTimeout} {
		if t.Codes[string(code)] > 0 {
			return string(code)
		}
	}
	if len(t.Codes) == 0 {
		return NoError
	}
	return slices.Min(slices.Collect(maps.Keys(t.Codes)))
}

func (t *Trace) identify(headers http.Header) {
	t.Client, t.ClientVersion = transport.ClientOf(headers)
}

func (t *Trace) count(errs gqlerror.List) {
	t.Errors += len(errs)
	for _, err := range errs {
		code, _ := err.Extensions["code"].(string)
		t.CountCode(code)
		t.mark(err)
	}
}

func (t *Trace) mark(err *gqlerror.Error) {
	if t.ID != "" {
		err.Extensions = maps.Clone(err.Extensions)
		if err.Extensions == nil {
			err.Extensions = map[string]any{}
		}
		err.Extensions["traceId"] = t.ID
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
