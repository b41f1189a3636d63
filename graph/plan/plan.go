package plan

import (
	"context"
	"sync"

	"github.com/99designs/gqlgen/graphql"
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
	without  middlewares
}

// Exec implements [graphql.ExecutableSchema].
func (p *planned) Exec(ctx context.Context) graphql.ResponseHandler {
	op := graphql.GetOperationContext(ctx)
	note(op, Execution{Executor: "plan"})
	root, serial, err := p.root(op)
	if err == nil {
		err = p.without.check(op)
	}
	if err != nil {
		return failed(err)
	}
	done := false
	return func(ctx context.Context) *graphql.Response {
		if done {
			return nil
		}
		done = true
		r := p.run(ctx, op)
		r.tasks.AllowLazy()
		return r.response(root, r.root(root, serial))
	}
}

// root returns the compiled operation, and whether its root fields run one after the other.
func (p *planned) root(op *graphql.OperationContext) (root *selectionSet, serial bool, err error) {
	name := p.config.Types.Query
	if serial = op.Operation.Operation == ast.Mutation; serial {
		name = p.config.Types.Mutation
	}
	root, err = p.compiler.operation(op, name)
	return root, serial, err
}

// failed is the only response of an operation that can't be executed.
func failed(err error) graphql.ResponseHandler {
	done := false
	return func(ctx context.Context) *graphql.Response {
		if done {
			return nil
		}
		done = true
		graphql.AddError(ctx, err)
		return &graphql.Response{Data: []byte("null")}
	}
}

func (p *planned) run(ctx context.Context, op *graphql.OperationContext) *run {
	resolverCtx := graphql.WithResponseContext(ctx, addToCall, op.Recover)
	return &run{ctx: ctx, resolverCtx: resolverCtx, op: op, types: p.config.Types, schema: p.Schema(), exec: p.config.Exec(op), tasks: p.config.Tasks(ctx)}
}

// response writes the answer.
func (r *run) response(root *selectionSet, b *batch) *graphql.Response {
	w := writer{ctx: r.ctx, op: r.op, exec: r.exec, missing: r.missing, dst: buffer(), most: mostOf(r.ctx), failed: failuresOf(r.ctx)}
	data := w.answer(b)
	for key, value := range graphql.GetExtensions(r.resolverCtx) {
		graphql.RegisterExtension(r.ctx, key, value)
	}
	if root.final {
		graphql.RegisterExtension(r.ctx, "is_final", true)
	}
	root.release(r.memory)
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
