package plan

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/coercion"
)

// resolve calls a resolver for all objects of a batch, and returns a value for each.
func (r *run) resolve(t task, args map[string]any, col *column) ([]any, error) {
	f, parents := t.field.field, t.batch.objects
	if f.Resolve != nil {
		return r.each(t.field, parents, args, col)
	}
	c := within(r.resolverCtx, t.field, args)
	defer col.keep(c, 0) // as gqlgen, which calls a batch resolver with the ctx of the first parent
	return f.Call(c, r.exec, parents, args, col.values)
}

// args returns the coerced arguments of a field. An error is the field's: its resolver is not called.
func (r *run) args(s *selection) (args map[string]any, err error) {
	if s.field.Args == nil {
		return nil, nil
	}
	if s.constant != nil {
		if known := s.constant.Load(); known != nil {
			return *known, nil
		}
	}
	raw, err := coercion.Arguments(r.schema, s.Definition.Arguments, s.Arguments, r.op.Variables)
	if err != nil {
		return nil, &InputError{err.Error()}
	}
	ctx := graphql.WithUnmarshalerMap(r.ctx, graphql.BuildUnmarshalerMap())
	args, err = s.field.Args(ctx, r.exec, raw)
	if s.constant != nil && err == nil {
		kept := args
		s.constant.Store(&kept)
	}
	return args, err
}

// each calls a resolver of one parent for each of them, side by side. Each call is a task; one of them takes over the task of the
// caller. The last to end leaves its task to the caller, which goes on with the values.
func (r *run) each(s *selection, parents []any, args map[string]any, col *column) ([]any, error) {
	n := len(parents)
	values, errs, calls := slices.Grow(col.values, n)[:n], make(graphql.BatchErrorList, n), make([]*callCtx, n)
	var group sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(n))
	r.tasks.Start(n - 1)
	for i, object := range parents {
		group.Go(func() {
			calls[i] = within(r.resolverCtx, s, args)
			values[i], errs[i] = r.one(calls[i], s.field, object, args)
			if left.Add(-1) > 0 {
				r.tasks.End()
			}
		})
	}
	group.Wait()
	for i, c := range calls {
		col.keep(c, i)
	}
	return values, errs
}

// one calls a resolver of one parent. A panic is an error.
func (r *run) one(ctx context.Context, f *Field, object any, args map[string]any) (value any, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			value, err = nil, r.op.Recover(ctx, panicked)
		}
	}()
	return f.Resolve(ctx, r.exec, object, args)
}

// callCtx is the ctx of a call of a resolver. It collects the errors that the resolver adds by [graphql.AddError]. They get their
// path when the answer is written: a resolver knows the path of its field only without the indexes of the lists that its objects
// come from.
type callCtx struct {
	context.Context
	field graphql.FieldContext
	mu    sync.Mutex
	errs  []addedError
}

// addedError is an error, and its path below the field: an element of a list has one.
type addedError struct {
	err   error
	below ast.Path
}

type callKey struct{}

// Value implements [context.Context].
func (c *callCtx) Value(key any) any {
	if key == (callKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// within returns the ctx in which the resolver of a field is called.
func within(ctx context.Context, s *selection, args map[string]any) *callCtx {
	c := &callCtx{field: graphql.FieldContext{Object: s.field.Object, Field: s.CollectedField, Args: args, IsMethod: true, IsResolver: true}}
	c.Context = graphql.WithFieldContext(ctx, &c.field)
	c.field.Parent = s.in
	return c
}

// addToCall implements [graphql.ErrorPresenterFunc] for the ctx of all resolvers.
func addToCall(ctx context.Context, err error) *gqlerror.Error {
	presented := gqlerror.Wrap(err)
	if given := (*gqlerror.Error)(nil); errors.As(err, &given) {
		presented = given
	}
	c := ctx.Value(callKey{}).(*callCtx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errs = append(c.errs, addedError{err, below(c.field.Path(), presented.Path)})
	return presented
}

// below returns what a path has after that of a field, nil if it does not lead below the field.
func below(field, path ast.Path) ast.Path {
	if n := len(field); len(path) > n && slices.Equal(path[:n], field) {
		return path[n:]
	}
	return nil
}

// keep keeps the errors that the resolver of parent i added.
func (col *column) keep(c *callCtx, i int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.errs) == 0 {
		return
	}
	if col.added == nil {
		col.added = map[int32][]addedError{}
	}
	col.added[int32(i)] = c.errs
}
