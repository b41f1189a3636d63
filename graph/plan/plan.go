package plan

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// Config configures a planned schema.
type Config struct {
	// Generated is gqlgen's schema, for its types and complexities.
	Generated graphql.ExecutableSchema
	// Types is the code that package plugin generated.
	Types *Schema
	// Exec returns the generated execution context.
	Exec func(op *graphql.OperationContext) any
	// Tasks may be nil if no loader needs it.
	Tasks func(ctx context.Context) Tasks
}

// New returns a schema that is executed breadth first. It panics if a field has no generated code.
func New(config Config) graphql.ExecutableSchema {
	schema := config.Generated.Schema()
	config.Types.mustHave(schema)
	if config.Tasks == nil {
		config.Tasks = func(context.Context) Tasks { return untracked{} }
	}
	compiler, noop := newCompiler(config.Types, schema), noopMiddlewares(config.Generated)
	return &planned{config.Generated, config, compiler, noop, newWriteSlots()}
}

type planned struct {
	graphql.ExecutableSchema
	config   Config
	compiler *compiler
	noop     middlewares
	slots    writeSlots
}

func (p *planned) Exec(ctx context.Context) graphql.ResponseHandler {
	op := graphql.GetOperationContext(ctx)
	op.Stats.SetExtension(executionKey, Execution{Executor: "plan"})
	compiled, err := p.compiled(op)
	if err != nil {
		return respondError(err)
	}
	return once(func(ctx context.Context) *graphql.Response {
		r := p.newRun(ctx, op, compiled)
		return &graphql.Response{Data: r.data(r.execute(op.Operation.Operation == ast.Mutation))}
	})
}

func (p *planned) compiled(op *graphql.OperationContext) (*operation, error) {
	if err := p.noop.check(op); err != nil {
		return nil, err
	}
	return p.compiler.operation(op)
}

func once(respond graphql.ResponseHandler) graphql.ResponseHandler {
	done := false
	return func(ctx context.Context) *graphql.Response {
		if done {
			return nil
		}
		done = true
		return respond(ctx)
	}
}

func respondError(err error) graphql.ResponseHandler {
	return once(func(ctx context.Context) *graphql.Response {
		graphql.AddError(ctx, err)
		return &graphql.Response{Data: []byte("null")}
	})
}

// request is of one response or event.
type request struct {
	ctx    context.Context
	op     *graphql.OperationContext
	schema *ast.Schema
	exec   any
}

func (p *planned) request(ctx context.Context, op *graphql.OperationContext) request {
	return request{ctx, op, p.Schema(), p.config.Exec(op)}
}

// recoverTo is deferred: it stores the error of a panic.
func (r *request) recoverTo(ctx context.Context, err *error) {
	if panicked := recover(); panicked != nil {
		*err = r.op.Recover(ctx, panicked)
	}
}

func (p *planned) newRun(ctx context.Context, op *graphql.OperationContext, compiled *operation) *run {
	return &run{
		request: p.request(ctx, op), resolverCtx: graphql.WithResponseContext(ctx, addToCall, op.Recover),
		types: p.config.Types, tasks: p.config.Tasks(ctx), compiled: compiled,
		results: compiled.newResults(), slots: p.slots,
	}
}

func (r *run) data(root *objectSet) []byte {
	bounds, _ := r.ctx.Value(boundsKey{}).(*Bounds)
	if bounds == nil {
		bounds = new(Bounds)
	}
	w := writer{
		request: &r.request, results: r.results, missing: r.missing, maxErrors: bounds.Errors,
		output: newOutput(r.ctx, (*buffers.Get().(*[]byte))[:0], bounds.Bytes, r.slots),
	}
	data := w.data(root)
	bounds.Unreported = w.unreported
	for key, value := range graphql.GetExtensions(r.resolverCtx) { // registered by resolvers
		graphql.RegisterExtension(r.ctx, key, value)
	}
	if strings.Contains(r.op.RawQuery, "@defer") || strings.Contains(r.op.RawQuery, "@stream") {
		// Without is_final, Relay would wait for further responses, and drop the deferred parts.
		graphql.RegisterExtension(r.ctx, "is_final", true)
	}
	return data
}

// buffers are recycled: see response-buffers in 'go -C bench run . without'.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// Release recycles the data of a response that has been sent.
func Release(data []byte) {
	if cap(data) <= maxBuffer {
		buffers.Put(&data)
	}
}

const maxBuffer = 4 << 20 // bytes

// Execution is how an operation is executed.
type Execution struct {
	// Executor is "plan", or "stock" for gqlgen's executor. It is empty after [Walk].
	Executor string
	// Reason is "unplanned" unless [New] made the schema.
	Reason string
}

const executionKey = "execution"

// ExecutionOf returns how a dispatched operation is executed.
func ExecutionOf(op *graphql.OperationContext) Execution {
	if e, ok := op.Stats.GetExtension(executionKey).(Execution); ok {
		return e
	}
	return Execution{"stock", "unplanned"}
}

// InputError is an invalid argument value, or a subscription that does not select exactly one field
// with a resolver.
type InputError struct{ Message string }

func (e *InputError) Error() string { return e.Message }

// LimitError is an operation with too many fields, or a response that is too long.
type LimitError struct {
	What  string
	Limit int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s exceeds the limit of %d", e.What, e.Limit)
}
