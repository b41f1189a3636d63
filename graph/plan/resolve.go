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

func (r *run) resolve(t task, args map[string]any, col *column) ([]any, error) {
	f, parents := t.field.field, t.parents.objects
	if f.Resolve != nil {
		return r.resolveEach(t.field, parents, args, col)
	}
	c := newCallCtx(r.resolverCtx, t.field, args)
	if f.Object == r.types.Query {
		return r.resolveQueryField(c, f, parents, args, col)
	}
	defer col.addErrors(c, 0) // errors of any parents are reported at one of them, as by gqlgen
	return f.ResolveBatch(c, r.exec, parents, args)
}

// resolveQueryField calls the resolver once: all parents have its value and errors. There are
// several if the query root is below objects, such as `query` of payloads.
func (r *run) resolveQueryField(
	c *callCtx, f *Field, parents []any, args map[string]any, col *column,
) ([]any, error) {
	defer func() {
		for i := range parents {
			col.addErrors(c, i)
		}
	}()
	values, err := f.ResolveBatch(c, r.exec, parents, args)
	for err == nil && len(values) < len(parents) {
		values = append(values, values[0])
	}
	return values, err
}

func (r *request) args(s *selection) (args map[string]any, err error) {
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

// resolveEach calls a resolver of one parent concurrently for all parents. Each call is a task, and
// one of them is the calling task. So n − 1 tasks are started, and the call that returns last ends
// none.
func (r *run) resolveEach(s *selection, parents []any, args map[string]any, col *column) ([]any, error) {
	n := len(parents)
	values, errs, calls := make([]any, n), make(graphql.BatchErrorList, n), make([]*callCtx, n)
	var group sync.WaitGroup
	var running atomic.Int64
	running.Store(int64(n))
	r.tasks.Start(n - 1)
	for i, object := range parents {
		group.Go(func() {
			calls[i] = newCallCtx(r.resolverCtx, s, args)
			values[i], errs[i] = r.resolveOne(calls[i], s.field, object, args)
			if running.Add(-1) > 0 {
				r.tasks.End()
			}
		})
	}
	group.Wait()
	for i, c := range calls {
		col.addErrors(c, i)
	}
	return values, errs
}

func (r *run) resolveOne(ctx context.Context, f *Field, object any, args map[string]any) (value any, err error) {
	defer r.recoverTo(ctx, &err)
	return f.Resolve(ctx, r.exec, object, args)
}

// callCtx collects the errors of graphql.AddError, because only the writer knows their paths.
type callCtx struct {
	context.Context
	field graphql.FieldContext
	mu    sync.Mutex
	errs  []addedError
}

// addedError has a path below the field, such as the index of a list element.
type addedError struct {
	err   error
	below ast.Path
}

type callKey struct{}

func (c *callCtx) Value(key any) any {
	if key == (callKey{}) {
		return c
	}
	return c.Context.Value(key)
}

func newCallCtx(ctx context.Context, s *selection, args map[string]any) *callCtx {
	c := &callCtx{field: graphql.FieldContext{
		Object: s.field.Object, Field: s.CollectedField, Args: args, IsMethod: true, IsResolver: true,
	}}
	c.Context = graphql.WithFieldContext(ctx, &c.field)
	c.field.Parent = s.parentField // WithFieldContext has set another parent
	return c
}

// addToCall is the [graphql.ErrorPresenterFunc] of resolvers: graphql.AddError calls it.
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

func below(field, path ast.Path) ast.Path {
	if n := len(field); len(path) > n && slices.Equal(path[:n], field) {
		return path[n:]
	}
	return nil
}

func (c *column) addErrors(call *callCtx, i int) {
	call.mu.Lock()
	defer call.mu.Unlock()
	if len(call.errs) == 0 {
		return
	}
	if c.added == nil {
		c.added = map[int32][]addedError{}
	}
	c.added[int32(i)] = call.errs
}
