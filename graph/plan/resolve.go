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
	added := &added{ctx: ctx}
	ctx = added.to(ctx)
	values, err := f.Call(ctx, r.exec, parents, args, col.values)
	r.keep(ctx, added, col, 0) // gqlgen, too, calls a batch resolver in the name of the first parent
	return values, err
}

// each calls a resolver of one parent for each of them, side by side. A call is a task. The one that ends last leaves its task to
// the caller, which goes on with what they returned.
func (r *run) each(ctx context.Context, f *Field, parents []any, args map[string]any, col *column) ([]any, error) {
	n := len(parents)
	values, errs := slices.Grow(col.values, n)[:n], make(graphql.BatchErrorList, n)
	var left atomic.Int64
	left.Store(int64(n))
	var mu sync.Mutex
	one := func(i int) {
		added := &added{ctx: ctx}
		ctx := added.to(ctx)
		defer func() {
			if panicked := recover(); panicked != nil {
				errs[i] = r.op.Recover(ctx, panicked)
			}
			mu.Lock()
			r.keep(ctx, added, col, i)
			mu.Unlock()
			if left.Add(-1) > 0 {
				r.tasks.End()
			}
		}()
		values[i], errs[i] = f.Resolve(ctx, r.exec, parents[i], args)
	}
	r.tasks.Start(n - 1)
	var group sync.WaitGroup
	for i := range n - 1 {
		group.Go(func() { one(i) })
	}
	one(n - 1)
	group.Wait()
	return values, errs
}

// added collects the errors that a resolver adds by [graphql.AddError]. They get their path when the answer is written: a
// resolver knows that of its field only, without the indexes of the lists that its objects come from.
type added struct {
	ctx  context.Context // of the resolver
	mu   sync.Mutex
	errs []addedError
}

// addedError is an error, and its path below the field: an element of a list has one.
type addedError struct {
	err   error
	below ast.Path
}

// to returns the ctx of a resolver whose errors are collected.
func (a *added) to(ctx context.Context) context.Context {
	return graphql.WithResponseContext(ctx, a.add, graphql.DefaultRecover)
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

// keep notes for parent i what its resolver added to ctx, beside what it returned.
func (r *run) keep(ctx context.Context, a *added, col *column, i int) {
	for key, value := range graphql.GetExtensions(ctx) {
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
