package plan

import (
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// failure has a ctx with the path of the error for the error presenter.
type failure struct {
	ctx context.Context
	err error
}

func (w *writer) addErrors() {
	for _, f := range w.failures {
		graphql.AddError(f.ctx, f.err)
	}
}

func (w *writer) countErrors() int { return len(w.failures) + w.unreported }

func (w *writer) fail(s *selection, err error) outcome {
	w.path = append(w.path, step{key: s.Alias})
	w.failHere(s, err)
	w.path = w.path[:len(w.path)-1]
	return null
}

// failHere adds an error at the path w.path + below.
func (w *writer) failHere(s *selection, err error, below ...ast.PathElement) {
	if list, ok := err.(gqlerror.List); ok {
		for _, err := range list {
			if err != nil {
				w.failHere(s, err, below...)
			}
		}
		return
	}
	if w.maxErrors > 0 && len(w.failures) >= w.maxErrors {
		w.unreported++
		return
	}
	ctx := w.pathCtx(s)
	located := gqlerror.Wrap(err)
	if given := (*gqlerror.Error)(nil); errors.As(err, &given) {
		clone := *given
		located = &clone
	}
	located.Path = append(graphql.GetPath(ctx), below...)
	// An error below the field keeps its own location.
	if s.Position != nil && (below == nil || located.Locations == nil) {
		located.Locations = []gqlerror.Location{{Line: s.Position.Line, Column: s.Position.Column}}
	}
	w.failures = append(w.failures, failure{ctx, located})
}

// leafCtx returns a ctx whose graphql.AddError fails s, for leaves with [Field].AddsErrors.
func (w *writer) leafCtx(s *selection) context.Context {
	w.path = append(w.path, step{key: s.Alias})
	defer func() { w.path = w.path[:len(w.path)-1] }()
	return graphql.WithResponseContext(w.pathCtx(s), func(ctx context.Context, err error) *gqlerror.Error {
		w.fail(s, err)
		// graphql.HasFieldError finds the returned error, so a marshaller adds no other.
		return &gqlerror.Error{Err: err, Message: err.Error(), Path: graphql.GetPath(ctx)}
	}, w.op.Recover)
}

// pathCtx returns a ctx with w.path, which ends with field s or an element of its list.
func (w *writer) pathCtx(s *selection) context.Context {
	ctx := w.ctx
	for i, p := range w.path {
		element := &graphql.FieldContext{Index: &p.index}
		switch {
		case p.key != "" && i == len(w.path)-1:
			element = &graphql.FieldContext{Object: s.field.Object, Field: s.CollectedField}
		case p.key != "":
			element = &graphql.FieldContext{Field: graphql.CollectedField{Field: &ast.Field{Alias: p.key}}}
		}
		ctx = graphql.WithFieldContext(ctx, element)
	}
	return ctx
}
