package plan

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// leafCtx returns the ctx in which a leaf is written that may add errors: gqlgen's marshallers have no other way. The errors are
// the field's, as those of resolvers are. The ctx is valid while the leaf is written.
func (w *writer) leafCtx(s *selection) context.Context {
	w.path = append(w.path, step{key: s.Alias})
	defer func() { w.path = w.path[:len(w.path)-1] }()
	return graphql.WithResponseContext(w.at(s), func(ctx context.Context, err error) *gqlerror.Error {
		w.fail(s, err)
		// What is returned is what graphql.HasFieldError finds.
		return &gqlerror.Error{Err: err, Message: err.Error(), Path: graphql.GetPath(ctx)}
	}, w.op.Recover)
}

// at returns the ctx of the present path, which leads to a field or to an element of its list.
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
