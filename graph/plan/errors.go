package plan

import (
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Bounds are the limits of a response; 0 is no limit.
type Bounds struct {
	// Bytes is the maximum length of the data. Longer data is replaced by null and a [LimitError].
	Bytes int
	// Errors is the maximum number of errors, whose paths are expensive. Further errors are only
	// counted.
	Errors int
	// Unreported is set to the number of errors beyond Errors.
	Unreported int
}

type boundsKey struct{}

// WithBounds returns a ctx for a response with these bounds.
func WithBounds(ctx context.Context, bounds *Bounds) context.Context {
	return context.WithValue(ctx, boundsKey{}, bounds)
}

func boundsOf(ctx context.Context) *Bounds {
	if bounds, ok := ctx.Value(boundsKey{}).(*Bounds); ok {
		return bounds
	}
	return &Bounds{}
}

// failure is an error with its path, and a ctx that has the path too.
type failure struct {
	ctx context.Context
	err error
}

func (w *writer) addErrors() {
	for _, f := range w.failed {
		graphql.AddError(f.ctx, f.err)
	}
}

func (w *writer) countErrors() int { return len(w.failed) + w.bounds.Unreported }

// fail adds an error of a field at its path. It returns false.
func (w *writer) fail(s *selection, err error) bool {
	w.path = append(w.path, step{key: s.Alias})
	w.failHere(s, err)
	w.path = w.path[:len(w.path)-1]
	return false
}

// failHere adds an error at the current path, a field or a list element, and returns false.
func (w *writer) failHere(s *selection, err error, below ...ast.PathElement) bool {
	if list, ok := err.(gqlerror.List); ok {
		for _, err := range list {
			if err != nil {
				w.failHere(s, err)
			}
		}
		return false
	}
	if w.bounds.Errors > 0 && len(w.failed) >= w.bounds.Errors {
		w.bounds.Unreported++
		return false
	}
	ctx := w.at(s)
	failed := gqlerror.Wrap(err)
	if already := (*gqlerror.Error)(nil); errors.As(err, &already) {
		// many objects may share the error
		clone := *already
		failed = &clone
	}
	failed.Path = append(graphql.GetPath(ctx), below...)
	if s.Position != nil && (below == nil || failed.Locations == nil) {
		failed.Locations = []gqlerror.Location{{Line: s.Position.Line, Column: s.Position.Column}}
	}
	w.failed = append(w.failed, failure{ctx, failed})
	return false
}

// leafCtx returns the ctx for one leaf, whose marshaller may call graphql.AddError.
func (w *writer) leafCtx(s *selection) context.Context {
	w.path = append(w.path, step{key: s.Alias})
	defer func() { w.path = w.path[:len(w.path)-1] }()
	return graphql.WithResponseContext(w.at(s), func(ctx context.Context, err error) *gqlerror.Error {
		w.fail(s, err)
		// graphql.HasFieldError finds the returned error.
		return &gqlerror.Error{Err: err, Message: err.Error(), Path: graphql.GetPath(ctx)}
	}, w.op.Recover)
}

// at returns a ctx with the current path, which ends with field s or an element of its list.
func (w *writer) at(s *selection) context.Context {
	ctx := w.ctx
	for i, p := range w.path {
		at := &graphql.FieldContext{Index: &p.index}
		switch {
		case p.key != "" && i == len(w.path)-1:
			at = &graphql.FieldContext{Object: s.field.Object, Field: s.CollectedField}
		case p.key != "":
			at = &graphql.FieldContext{Field: graphql.CollectedField{Field: &ast.Field{Alias: p.key}}}
		}
		ctx = graphql.WithFieldContext(ctx, at)
	}
	return ctx
}
