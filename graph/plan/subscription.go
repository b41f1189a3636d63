package plan

import (
	"context"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
)

// Each event is executed like a query, in the ctx of its own response, with its own loaders,
// deadline and report. The handler of ExecWithEventContext puts a function that executes the event
// into that ctx. The last response interceptor, [Events], calls it, so that the others apply.

var _ graphql.ExecutableSchemaWithEventContext = (*planned)(nil)

type eventKey struct{}

type event func(ctx context.Context) (data []byte)

// IsEvent reports whether the response of ctx will be an event, and not the end or an error of a
// subscription.
func IsEvent(ctx context.Context) bool { return ctx.Value(eventKey{}) != nil }

// Events is the gqlgen extension that executes events. It must be the last extension.
type Events struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.ResponseInterceptor
} = Events{}

func (Events) ExtensionName() string { return "events" }

func (Events) Validate(graphql.ExecutableSchema) error { return nil }

func (Events) InterceptResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	execute, ok := ctx.Value(eventKey{}).(event)
	if !ok {
		return next(ctx)
	}
	data := execute(ctx) // before next, which takes the errors and extensions of ctx
	response := next(ctx)
	response.Data = data
	return response
}

type endingKey struct{}

type ending struct{ err atomic.Pointer[error] }

// End sets the error of the last response of the subscription of ctx, unless it is set. The
// response has no data, and is sent when the resolver has closed the channel. End is safe for
// concurrent use.
func End(ctx context.Context, err error) {
	if e, ok := ctx.Value(endingKey{}).(*ending); ok {
		e.err.CompareAndSwap(nil, &err)
	}
}

func (p *planned) ExecWithEventContext(ctx context.Context) graphql.ResponseHandlerWithContext {
	op := graphql.GetOperationContext(ctx)
	op.Stats.SetExtension(executionKey, Execution{Executor: "plan"})
	compiled, err := p.compiled(op)
	if err != nil {
		respond := respondError(err)
		return func(ctx context.Context) (context.Context, *graphql.Response) { return ctx, respond(ctx) }
	}
	end := new(ending)
	subscription := p.request(context.WithValue(ctx, endingKey{}, end), op)
	source := subscription.source(compiled.root)
	return func(ctx context.Context) (context.Context, *graphql.Response) {
		value, ok := source(ctx)
		if !ok {
			err := end.err.Swap(nil)
			if err == nil {
				return ctx, nil
			}
			graphql.AddError(ctx, *err)
			return ctx, &graphql.Response{}
		}
		ctx = graphql.StartOperationTrace(ctx)
		return context.WithValue(ctx, eventKey{}, event(func(ctx context.Context) []byte {
			r := p.newRun(ctx, op, compiled)
			return r.data(r.executeEvent(value))
		})), &graphql.Response{}
	}
}

// source adds errors to ctx: gqlgen responds with them, and does not wait for events.
func (r *request) source(root *selectionSet) Source {
	if len(root.fields) != 1 || root.fields[0].field == nil {
		graphql.AddError(r.ctx, &InputError{"must subscribe to exactly one stream"})
		return nil
	}
	s := &root.fields[0]
	source, err := r.subscribe(s)
	if err != nil {
		w := writer{request: r}
		w.fail(s, err)
		w.addErrors()
	}
	return source
}

func (r *request) subscribe(s *selection) (source Source, err error) {
	defer r.recoverTo(r.ctx, &err)
	args, err := r.args(s)
	if err != nil {
		return nil, err
	}
	return s.field.Subscribe(newCallCtx(r.ctx, s, args), r.exec, args)
}
