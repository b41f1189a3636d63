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
)

// resolve calls a resolver for all objects of a batch, and returns a value for each.
func (r *run) resolve(t task, args map[string]any, col *column) ([]any, error) {
	ctx, f, parents := r.within(t.field, args), t.field.field, t.batch.objects
	if f.Resolve != nil {
		return r.each(ctx, f, parents, args, col)
	}
	added := collect(ctx)
	defer r.keep(added, col, 0) // as gqlgen, which calls a batch resolver with the ctx of the first parent
	return f.Call(added.response, r.exec, parents, args, col.values)
}

// each calls a resolver of one parent for each of them, side by side. Each call is a task; one of them takes over the task of the
// caller. The last to end leaves its task to the caller, which goes on with the values.
func (r *run) each(ctx context.Context, f *Field, parents []any, args map[string]any, col *column) ([]any, error) {
	n := len(parents)
	values, errs, all := slices.Grow(col.values, n)[:n], make(graphql.BatchErrorList, n), make([]*added, n)
	var group sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(n))
	r.tasks.Start(n - 1)
	for i, object := range parents {
		group.Go(func() {
			all[i] = collect(ctx)
			values[i], errs[i] = r.one(all[i].response, f, object, args)
			if left.Add(-1) > 0 {
				r.tasks.End()
			}
		})
	}
	group.Wait()
	for i, added := range all {
		r.keep(added, col, i)
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

// added collects the errors that a resolver adds by [graphql.AddError]. They get their path when the answer is written: a
// resolver knows the path of its field only without the indexes of the lists that its objects come from.
type added struct {
	ctx      context.Context // of the resolver
	response context.Context // ctx with a response context of its own

	mu   sync.Mutex
	errs []addedError
}

// addedError is an error, and its path below the field: an element of a list has one.
type addedError struct {
	err   error
	below ast.Path
}

// collect returns what collects the errors that are added to response, which is made of ctx.
func collect(ctx context.Context) *added {
	a := &added{ctx: ctx}
	a.response = graphql.WithResponseContext(ctx, a.add, graphql.DefaultRecover)
	return a
}

// add implements [graphql.ErrorPresenterFunc].
func (a *added) add(_ context.Context, err error) *gqlerror.Error {
	presented := gqlerror.Wrap(err)
	if given := (*gqlerror.Error)(nil); errors.As(err, &given) {
		presented = given
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.errs = append(a.errs, addedError{err, below(graphql.GetPath(a.ctx), presented.Path)})
	return presented
}

// below returns what a path has after that of a field, nil if it does not lead below the field.
func below(field, path ast.Path) ast.Path {
	if n := len(field); len(path) > n && slices.Equal(path[:n], field) {
		return path[n:]
	}
	return nil
}

// keep keeps what the resolver of parent i added to its response context: errors in the column, and extensions in the response.
func (r *run) keep(a *added, col *column, i int) {
	for key, value := range graphql.GetExtensions(a.response) {
		graphql.RegisterExtension(r.ctx, key, value)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.errs) == 0 {
		return
	}
	if col.added == nil {
		col.added = map[int32][]addedError{}
	}
	col.added[int32(i)] = a.errs
}
