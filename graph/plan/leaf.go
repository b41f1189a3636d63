package plan

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// place is the ctx in which a leaf is written that may add errors: gqlgen's marshallers have no other way. The errors are the
// field's, as those of resolvers are. Few marshallers use their ctx, so what it holds is made at the first call of Value. It is
// valid while the leaf is written.
type place struct {
	context.Context // the writer's
	w               *writer
	s               *selection
	made            context.Context
}

// Value implements [context.Context].
func (p *place) Value(key any) any {
	if p.made == nil {
		w := p.w
		w.path = append(w.path, step{key: p.s.Alias})
		p.made = graphql.WithResponseContext(w.at(p.s), p.add, w.op.Recover)
		w.path = w.path[:len(w.path)-1]
	}
	return p.made.Value(key)
}

// add implements [graphql.ErrorPresenterFunc]. What it returns is what [graphql.HasFieldError] finds.
func (p *place) add(ctx context.Context, err error) *gqlerror.Error {
	p.w.fail(p.s, err)
	return &gqlerror.Error{Err: err, Message: err.Error(), Path: graphql.GetPath(ctx)}
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
