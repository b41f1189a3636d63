package endpoint

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/apierr"
	"twibase/graph/auth"
	"twibase/graph/endpoint/transport"
	"twibase/graph/plan"
	"twibase/graph/resume"
)

// The causes that end a subscription before its source does.
var (
	errReconnect = errors.New("the gateway is shutting down: reconnect")
	errExpired   = errors.New("the token has expired")
)

// operation is an operation that can be executed. It has a slot until release is called.
type operation struct {
	*graphql.OperationContext
	release func()
}

// begin waits for a slot and prepares an operation. Otherwise it returns the rejection of a request that got no slot, or
// the errors of an operation that is not valid.
func (e *Endpoint) begin(
	ctx context.Context, params *graphql.RawParams,
) (op *operation, rejection *apierr.Error, errs *graphql.Response) {
	trace := traceOf(ctx)
	release, rejection := e.admission.acquire(ctx)
	if rejection != nil {
		trace.Rejected = true
		return nil, rejection, nil
	}
	defer func() {
		if op == nil { // also after a panic
			release()
		}
	}()
	prepared, refusals := e.preparer.prepare(ctx, params)
	if refusals != nil {
		errs = e.exec.DispatchError(graphql.WithOperationContext(ctx, prepared), refusals)
		trace.Errors = len(errs.Errors)
		return nil, nil, errs
	}
	trace.Operation, trace.Kind = prepared.Operation.Name, string(prepared.Operation.Operation)
	return &operation{prepared, release}, nil, nil
}

// execute runs an operation of a WebSocket or of a shared stream.
func (e *Endpoint) execute(ctx context.Context, params *graphql.RawParams) iter.Seq[*graphql.Response] {
	return guarded(ctx, func(yield func(*graphql.Response) bool) {
		ctx, ended := e.config.Observe(ctx)
		defer ended()
		op, rejection, errs := e.begin(ctx, params)
		switch {
		case rejection != nil:
			yield(&graphql.Response{Errors: gqlerror.List{rejection.GraphQL()}})
		case errs != nil:
			yield(errs)
		default:
			params, op.Extensions = nil, nil // a subscription would keep them in memory
			defer op.release()
			e.responses(ctx, op)(yield)
		}
	})
}

// responses runs an operation until its responses end or ctx is done. It releases the operation's slot before it
// yields a response, because the client may read slowly. A response counts as sent when yield returns true.
func (e *Endpoint) responses(ctx context.Context, op *operation) iter.Seq[*graphql.Response] {
	return guarded(ctx, func(yield func(*graphql.Response) bool) {
		if op.Operation.Operation == ast.Subscription {
			op.release() // each of its events has a slot of its own
			e.subscription(ctx, op.OperationContext, yield)
			return
		}
		response := e.dispatch(ctx, op.OperationContext)()
		op.release()
		yield(response)
	})
}

// dispatch starts an operation. next returns its next response, nil after the last.
func (e *Endpoint) dispatch(ctx context.Context, operation *graphql.OperationContext) (next func() *graphql.Response) {
	respond, ctx := e.exec.DispatchOperation(ctx, operation)
	trace := traceOf(ctx)
	trace.Execution = plan.ExecutionOf(operation)
	return func() *graphql.Response {
		response := respond(ctx)
		if response != nil {
			trace.Errors += len(response.Errors)
		}
		return response
	}
}

// subscription runs a subscription.
func (e *Endpoint) subscription(
	ctx context.Context, operation *graphql.OperationContext, yield func(*graphql.Response) bool,
) {
	address, size := auth.AddressOf(ctx), len(operation.RawQuery)
	if n, ok := e.texts.add(address, size); !ok {
		refusal := apierr.LimitExceeded("the length of the documents of all subscriptions of an address, in bytes,", e.texts.most, n)
		yield(&graphql.Response{Errors: gqlerror.List{refusal.GraphQL()}})
		return
	}
	defer e.texts.remove(address, size)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(e.draining, func() { cancel(errReconnect) })()
	if expires, ok := auth.ExpiryOf(ctx); ok {
		var done context.CancelFunc
		ctx, done = context.WithDeadlineCause(ctx, expires.Add(resume.Grace), errExpired)
		defer done()
	}
	key, _ := resume.KeyOf(ctx, operation.RawQuery, operation.OperationName, operation.Variables)
	ctx, resumed := e.positions.Start(ctx, key)
	defer resumed.End(false)
	next := e.dispatch(ctx, operation)
	for response := next(); response != nil; response = next() {
		if cause := context.Cause(ctx); cause == errExpired || cause == errReconnect && response.Data == nil {
			break // the response failed because of that cause
		}
		if !yield(response) {
			return
		}
		resumed.Sent()
		if response.Data == nil {
			return
		}
	}
	cause := context.Cause(ctx)
	expired := resumed.End(cause == nil)
	switch {
	case cause == errReconnect:
		yield(transport.Reconnect)
	case cause == errExpired, cause == nil && expired:
		yield(transport.Expired)
	}
}

// guarded turns a panic into a response.
func guarded(ctx context.Context, responses iter.Seq[*graphql.Response]) iter.Seq[*graphql.Response] {
	return func(yield func(*graphql.Response) bool) {
		open := true
		defer func() {
			if panicked := recover(); panicked != nil && open {
				public, _ := apierr.Of(apierr.Recover(ctx, panicked))
				yield(&graphql.Response{Errors: gqlerror.List{public.GraphQL()}})
			}
		}()
		responses(func(response *graphql.Response) bool {
			open = yield(response)
			return open
		})
	}
}

// stream calls serve, which keeps its connection for long, unless the client's address has too many such streams.
func (e *Endpoint) stream(w http.ResponseWriter, r *http.Request, serve func()) {
	if remove, ok := e.admit(w, r); ok {
		defer remove()
		serve()
	}
}

// admit counts a stream for the client's address, until remove is called. If the address has too many, it answers
// the request with an error.
func (e *Endpoint) admit(w http.ResponseWriter, r *http.Request) (remove func(), ok bool) {
	address := auth.AddressOf(r.Context())
	n, ok := e.streams.add(address, 1)
	if !ok {
		w.Header().Set("Retry-After", "30")
		apierr.LimitExceeded("the number of WebSockets and subscriptions of an address", e.streams.most, n).
			Write(w, http.StatusTooManyRequests)
		return nil, false
	}
	return func() { e.streams.remove(address, 1) }, true
}

// textEach bounds the bytes of the documents of an address's subscriptions, for each stream that the address may
// have. A document stays parsed while its subscription lasts, and then takes up to 150 times as much.
const textEach = 4 << 10

// perAddress is a counter for each client address.
type perAddress struct {
	most int // 0 for any number
	mu   sync.Mutex
	has  map[string]int
}

// add adds n unless that exceeds the maximum. It returns the new count, or the one that would
// exceed.
func (p *perAddress) add(address string, n int) (all int, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if all = p.has[address] + n; p.most > 0 && all > p.most {
		return all, false
	}
	if p.has == nil {
		p.has = map[string]int{}
	}
	p.has[address] = all
	return all, true
}

func (p *perAddress) remove(address string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.has[address] -= n; p.has[address] == 0 {
		delete(p.has, address)
	}
}
