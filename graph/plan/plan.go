package plan

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"
)

// Config configures a planned schema.
type Config struct {
	// Generated is the schema that gqlgen generated, for its types and complexities.
	Generated graphql.ExecutableSchema
	// Types is the generated code that the plan calls.
	Types *Schema
	// Exec returns the generated execution context of an operation.
	Exec func(op *graphql.OperationContext) any
	// Tasks returns the task tracker of an operation. It is nil if no loader needs one.
	Tasks func(ctx context.Context) Tasks
}

// New returns the schema executed breadth first. It is safe for concurrent use. New panics if the schema has a field for which
// no code was generated.
func New(config Config) graphql.ExecutableSchema {
	schema := config.Generated.Schema()
	config.Types.mustHave(schema)
	if config.Tasks == nil {
		config.Tasks = func(context.Context) Tasks { return untracked{} }
	}
	return &planned{config.Generated, config, newCompiler(config.Types, schema), newMiddlewares(config.Generated)}
}

type planned struct {
	graphql.ExecutableSchema
	config   Config
	compiler *compiler
	// middlewares are those that do nothing.
	middlewares middlewares
}

// Exec implements [graphql.ExecutableSchema].
func (p *planned) Exec(ctx context.Context) graphql.ResponseHandler {
	op := graphql.GetOperationContext(ctx)
	note(op, Execution{Executor: "plan"})
	root, err := p.compiled(op)
	if err != nil {
		return failed(err)
	}
	return once(func(ctx context.Context) *graphql.Response {
		r := p.run(ctx, op)
		return r.response(r.root(root, op.Operation.Operation == ast.Mutation))
	})
}

// compiled returns the compiled operation, unless it can't be executed.
func (p *planned) compiled(op *graphql.OperationContext) (*selectionSet, error) {
	if err := p.middlewares.check(op); err != nil {
		return nil, err
	}
	types := p.config.Types
	roots := map[ast.Operation]string{ast.Query: types.Query, ast.Mutation: types.Mutation, ast.Subscription: types.Subscription}
	return p.compiler.operation(op, roots[op.Operation.Operation])
}

// once responds once.
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

// failed is the only response of an operation that can't be executed.
func failed(err error) graphql.ResponseHandler {
	return once(func(ctx context.Context) *graphql.Response {
		graphql.AddError(ctx, err)
		return &graphql.Response{Data: []byte("null")}
	})
}

func (p *planned) run(ctx context.Context, op *graphql.OperationContext) *run {
	resolverCtx := graphql.WithResponseContext(ctx, addToCall, op.Recover)
	return &run{ctx: ctx, resolverCtx: resolverCtx, op: op, types: p.config.Types, schema: p.Schema(), exec: p.config.Exec(op), tasks: p.config.Tasks(ctx)}
}

// response writes the answer.
func (r *run) response(root *batch) *graphql.Response {
	w := writer{ctx: r.ctx, op: r.op, exec: r.exec, memory: r.memory, missing: r.missing, dst: buffer(), bounds: boundsOf(r.ctx)}
	data := w.answer(root)
	for key, value := range graphql.GetExtensions(r.resolverCtx) {
		graphql.RegisterExtension(r.ctx, key, value)
	}
	if strings.Contains(r.op.RawQuery, "@defer") || strings.Contains(r.op.RawQuery, "@stream") {
		// Without it Relay waits for further responses, and drops the deferred parts.
		graphql.RegisterExtension(r.ctx, "is_final", true)
	}
	root.set.release(r.memory)
	return &graphql.Response{Data: data}
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

func buffer() []byte { return (*buffers.Get().(*[]byte))[:0] }

// Release takes back the data of a response that has been sent. Later responses use its memory.
func Release(data []byte) {
	if cap(data) <= maxBuffer {
		buffers.Put(&data)
	}
}

// maxBuffer is the capacity of the largest buffer that is kept, in bytes.
const maxBuffer = 4 << 20

// Execution is how an operation is executed.
type Execution struct {
	// Executor is "plan", or "stock" for any other.
	Executor string
	// Reason is empty for the plan. It is "unplanned" for a schema without one, as tests have it.
	Reason string
}

const executionKey = "execution"

func note(op *graphql.OperationContext, e Execution) { op.Stats.SetExtension(executionKey, e) }

// ExecutionOf returns how an operation that was dispatched is executed.
func ExecutionOf(op *graphql.OperationContext) Execution {
	if e, ok := op.Stats.GetExtension(executionKey).(Execution); ok {
		return e
	}
	return Execution{"stock", "unplanned"}
}

// InputError is a mistake of the client: arguments that can't be coerced, or a subscription without exactly one field.
type InputError struct{ Message string }

// Error implements error.
func (e *InputError) Error() string { return e.Message }

// LimitError is the error of an operation that has too many fields, or of an answer that is too long.
type LimitError struct {
	What  string
	Limit int
}

// Error implements error.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s is limited to %d, and this has more", e.What, e.Limit)
}

// PassField and PassRootField are the middlewares of an operation without field middlewares, for programs that make a
// [graphql.OperationContext] themselves.

// PassField implements [graphql.FieldMiddleware].
func PassField(ctx context.Context, next graphql.Resolver) (any, error) { return next(ctx) }

// PassRootField implements [graphql.RootFieldMiddleware].
func PassRootField(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
	return next(ctx)
}

var errMiddleware = errors.New("plan: AroundFields, AroundRootFields and extensions with InterceptField or InterceptRootField " +
	"are never called, as a resolver is called once for many objects: do it in AroundResponses or in the resolvers")

// middlewares are the functions that do nothing around a field, by their code.
type middlewares []uintptr

// newMiddlewares asks gqlgen for those of a server without extensions.
func newMiddlewares(schema graphql.ExecutableSchema) middlewares {
	op, _ := executor.New(schema).CreateOperationContext(graphql.StartOperationTrace(context.Background()), &graphql.RawParams{})
	return middlewares{code(op.ResolverMiddleware), code(op.RootResolverMiddleware), code(PassField), code(PassRootField)}
}

// check returns an error if an operation has other middlewares of fields.
func (m middlewares) check(op *graphql.OperationContext) error {
	if slices.Contains(m, code(op.ResolverMiddleware)) && slices.Contains(m, code(op.RootResolverMiddleware)) {
		return nil
	}
	return errMiddleware
}

func code(f any) uintptr { return reflect.ValueOf(f).Pointer() }
