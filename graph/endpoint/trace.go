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

// Trace describes a request for the log. It is complete when the request was served.
type Trace struct {
	// ID is sent as extensions.traceId of errors, unless it is empty.
	ID string
	// name and kind (query, mutation or subscription); empty without a valid operation
	Operation, Kind string
	// Trusted is whether the document is a trusted one.
	Trusted bool
	// Fields are the selected fields, as indexes of [Endpoint.Fields], ascending. Callers must not
	// change them.
	Fields []int
	// Client and ClientVersion are the name and the version that the client sent; may be empty.
	Client, ClientVersion string
	// empty if no operation was executed
	Execution plan.Execution
	// of the response
	Errors int
	// Codes counts errors by code, also those of refused requests.
	Codes map[string]int
	// rejected by load shedding
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

// Code returns the code of a response: of its errors one that is no fault of the client, if any, and
// otherwise the first by name.
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

// identify sets the client that sent these headers.
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

// mark adds the trace's ID to an error of a response.
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
