package endpoint

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/apierr"
	"twibase/graph/auth"
	"twibase/graph/endpoint/transport"
	"twibase/graph/limits"
	"twibase/graph/plan"
	"twibase/graph/resume"
)

// Causes that end a subscription before its source does.
var (
	errReconnect = errors.New("the gateway is shutting down: reconnect")
	errExpired   = errors.New("the token has expired")
)

// operation is a prepared operation that has a slot, and places if it is heavy.
type operation struct {
	*graphql.OperationContext
	prediction
	free          func() // releases the slot and the places
	releasedLater bool   // another goroutine calls free
}

// limitPenalty is how long an operation above a limit keeps its slot and places after its response.
// Otherwise a client that sends such operations without a pause would take processors and region
// servers from other clients.
const limitPenalty = 100 * time.Millisecond

func (op *operation) release() {
	if !op.releasedLater {
		op.free()
	}
}

func (op *operation) end(response *graphql.Response) {
	if response != nil && slices.ContainsFunc(response.Errors, exceedsLimit) {
		op.releasedLater = true
		time.AfterFunc(limitPenalty, op.free)
	}
	op.release()
}

func exceedsLimit(err *gqlerror.Error) bool {
	return err.Extensions["code"] == string(apierr.CodeLimitExceeded)
}

// begin waits for a slot, prepares an operation, and waits for its places. rejection means that the
// server is too busy, or that the client has read too many rows. failed means that the operation is
// invalid or exceeds a limit.
func (e *Endpoint) begin(
	ctx context.Context, params *graphql.RawParams,
) (op *operation, rejection *apierr.Error, failed *graphql.Response) {
	trace := traceOf(ctx)
	trace.identify(params.Headers)
	if rejection := e.checkBudget(ctx); rejection != nil {
		trace.Rejected = true
		return nil, rejection, nil
	}
	rules := e.rules.Load()
	if rejection := rules.limits.Length(params.Query); rejection != nil {
		// Long documents must not fill the queue.
		return nil, nil, e.fail(ctx, rules, newOperation(ctx), gqlerror.List{gqlerror.Wrap(rejection)})
	}
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
	prepared, prediction, rejections := rules.preparer.prepare(ctx, params)
	if rejections != nil {
		return nil, nil, e.fail(ctx, rules, prepared, rejections)
	}
	trace.Operation, trace.Kind = prepared.Operation.Name, string(prepared.Operation.Operation)
	trace.prepared = prepared
	trace.Trusted = e.config.Trusted.Has(prepared.RawQuery)
	// A subscription needs no places: its events have their own slots.
	if prepared.Operation.Operation != ast.Subscription {
		if release, rejection = e.acquirePlaces(ctx, prediction, release); rejection != nil {
			trace.Rejected = true
			return nil, rejection, nil
		}
	}
	return &operation{OperationContext: prepared, prediction: prediction, free: release}, nil, nil
}

func (e *Endpoint) fail(
	ctx context.Context, rules *rules, op *graphql.OperationContext, errs gqlerror.List,
) (failed *graphql.Response) {
	failed = rules.exec.DispatchError(graphql.WithOperationContext(ctx, op), errs)
	traceOf(ctx).count(failed.Errors)
	return failed
}

// After a rejection, acquirePlaces holds nothing, and releaseAll does nothing.
func (e *Endpoint) acquirePlaces(
	ctx context.Context, prediction prediction, release func(),
) (releaseAll func(), rejection *apierr.Error) {
	places := e.heavy.weigh(prediction.rows())
	if places == 0 {
		return release, nil
	}
	client := auth.ClientOf(ctx)
	if !e.heavy.places.TryAcquire(client, places) {
		release()
		if !e.heavy.places.Acquire(ctx, client, places, queueTimeout) {
			return release, e.admission.reject()
		}
		if release, rejection = e.admission.acquire(ctx); rejection != nil {
			e.heavy.places.Release(client, places)
			return func() {}, rejection
		}
	}
	return sync.OnceFunc(func() {
		release()
		e.heavy.places.Release(client, places)
	}), nil
}

func (e *Endpoint) checkBudget(ctx context.Context) *apierr.Error {
	wait := e.config.RowBudget.Wait(ctx)
	if wait == 0 {
		return nil
	}
	e.overdrawn.Add(1)
	return apierr.TooFast("the number of rows per second of a viewer, or of an address without a token,",
		e.config.RowBudget.PerSecond(), wait)
}

// Overdrawn counts operations that were rejected because their clients had read too many rows.
func (e *Endpoint) Overdrawn() int64 { return e.overdrawn.Load() }

// execute runs an operation of a WebSocket or a shared stream.
func (e *Endpoint) execute(ctx context.Context, params *graphql.RawParams) iter.Seq[*graphql.Response] {
	return recovering(ctx, func(yield func(*graphql.Response) bool) {
		ctx, ended := e.config.Observe(ctx, params.Extensions)
		defer ended()
		op, rejection, failed := e.begin(ctx, params)
		switch {
		case rejection != nil:
			err := rejection.GraphQL()
			traceOf(ctx).CountCode(string(rejection.Code))
			traceOf(ctx).mark(err)
			yield(&graphql.Response{Errors: gqlerror.List{err}})
		case failed != nil:
			yield(failed)
		default:
			params, op.Extensions = nil, nil // a subscription would keep them
			defer op.release()
			e.responses(ctx, op)(yield)
		}
	})
}

// responses runs an operation until its responses end or ctx is done. It releases the slot before
// it yields, because clients may read slowly. An operation above a limit keeps it for limitPenalty.
// A response was sent if yield returns true.
func (e *Endpoint) responses(ctx context.Context, op *operation) iter.Seq[*graphql.Response] {
	return recovering(ctx, func(yield func(*graphql.Response) bool) {
		if op.Operation.Operation == ast.Subscription {
			op.release() // each event has its own slot
			e.subscription(ctx, op.OperationContext, yield)
			return
		}
		response := e.dispatch(ctx, op.OperationContext)()
		op.end(response)
		if response == nil {
			return // ctx was done before the execution
		}
		rows := e.config.Rows(ctx)
		if len(response.Errors) == 0 { // an operation that failed may have read less than usual
			op.learn(rows)
		}
		e.config.RowBudget.Charge(ctx, rows)
		yield(response)
	})
}

// dispatch returns a function that executes an operation, or the next event of a subscription. It
// returns nil after the last event.
func (e *Endpoint) dispatch(ctx context.Context, operation *graphql.OperationContext) (next func() *graphql.Response) {
	respond, ctx := e.rules.Load().exec.DispatchOperation(ctx, operation)
	trace := traceOf(ctx)
	trace.Execution = plan.ExecutionOf(operation)
	return func() *graphql.Response {
		response := respond(ctx)
		if response != nil {
			trace.count(response.Errors)
		}
		return response
	}
}

func (e *Endpoint) subscription(
	ctx context.Context, operation *graphql.OperationContext, yield func(*graphql.Response) bool,
) {
	size := len(operation.RawQuery) + limits.Size(operation.Variables)
	release, rejection := e.admitSubscription(auth.AddressOf(ctx), size)
	if rejection != nil {
		yield(&graphql.Response{Errors: gqlerror.List{rejection.GraphQL()}})
		return
	}
	defer release()
	ctx, cancel := e.whileServed(ctx)
	defer cancel()
	key, _ := resume.KeyOf(ctx, operation.RawQuery, operation.OperationName, operation.Variables)
	ctx, resumed := e.positions.Start(ctx, key)
	defer resumed.End(false)
	if !e.sendEvents(ctx, operation, resumed, yield) {
		// After the expiry, the close of the connection may have interrupted yield.
		resumed.End(context.Cause(ctx) == errExpired)
		return
	}
	cause := context.Cause(ctx)
	stopped := resumed.End(cause == nil || cause == errExpired)
	switch {
	case cause == errReconnect:
		yield(transport.Reconnect)
	case cause == errExpired, cause == nil && stopped:
		yield(transport.Expired)
	}
}

// admitSubscription counts a subscription until release, or rejects it.
func (e *Endpoint) admitSubscription(address string, size int) (release func(), rejection *apierr.Error) {
	if n, ok := e.texts.add(address, size); !ok {
		const what = "the size of the documents and variables of all subscriptions of an address, in bytes,"
		return nil, apierr.LimitExceeded(what, e.texts.limit, n)
	}
	if _, ok := e.subscriptions.add(address, 1); !ok {
		e.texts.remove(address, size)
		return nil, apierr.TooMany("the number of subscriptions of an address", e.subscriptions.limit, time.Second)
	}
	return func() {
		e.subscriptions.remove(address, 1)
		e.texts.remove(address, size)
	}, nil
}

// whileServed returns a ctx that ends with the cause errReconnect at a shutdown, and with
// errExpired when the token has been expired for [resume.Grace].
func (e *Endpoint) whileServed(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(e.draining, func() { cancel(errReconnect) })
	done := func() {}
	if expires, ok := auth.ExpiryOf(ctx); ok {
		ctx, done = context.WithDeadlineCause(ctx, expires.Add(resume.Grace), errExpired)
	}
	return ctx, func() {
		done()
		stop()
		cancel(nil)
	}
}

// sendEvents returns false if the client, or a response without data, ended the subscription.
func (e *Endpoint) sendEvents(
	ctx context.Context, operation *graphql.OperationContext, resumed *resume.Operation,
	yield func(*graphql.Response) bool,
) bool {
	next, charged := e.dispatch(ctx, operation), int64(0)
	charge := func() {
		rows := e.config.Rows(ctx)
		e.config.RowBudget.Charge(ctx, rows-charged)
		charged = rows
	}
	defer charge()
	for response := next(); response != nil; response = next() {
		// A response without data during a shutdown may have failed only because ctx is done.
		if cause := context.Cause(ctx); cause == errExpired || cause == errReconnect && response.Data == nil {
			return true
		}
		charge()
		if !yield(response) {
			return false
		}
		resumed.Sent()
		if response.Data == nil {
			return false
		}
	}
	return true
}

func recovering(ctx context.Context, responses iter.Seq[*graphql.Response]) iter.Seq[*graphql.Response] {
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
