package plan

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// place is the ctx in which a leaf is written that may tell errors: gqlgen's marshallers have no other way. They are the field's, as those of
// resolvers are, and forgotten if the answer is written once more. Few look into it, so what it holds is made when somebody does; that ends with the
// writing of the leaf.
type place struct {
	context.Context // the writer's
	w               *writer
	s               *selected
	made            context.Context
}

// Value implements [context.Context].
func (p *place) Value(key any) any {
	if p.made == nil {
		w := p.w
		w.path = append(w.path, step{key: p.s.Alias})
		p.made = graphql.WithResponseContext(w.at(p.s), p.hear, w.op.Recover)
		w.path = w.path[:len(w.path)-1]
	}
	return p.made.Value(key)
}

// hear takes an error. What it returns is what the marshaller can ask for, to tell the same but once.
func (p *place) hear(ctx context.Context, err error) *gqlerror.Error {
	p.w.fail(p.s, err)
	return &gqlerror.Error{Err: err, Message: err.Error(), Path: graphql.GetPath(ctx)}
}

// at returns the ctx of the present path, which leads to a field or to an element of its list.
func (w *writer) at(s *selected) context.Context {
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
