package plan

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// Call is a resolver call with all objects of an object set, unless Root is set.
type Call struct {
	// Ctx has the operation, the field and its path.
	Ctx           context.Context
	Object, Field string
	Args          map[string]any
	// Err is set if Args can't be coerced.
	Err error
	// Serial is true for a root field of a mutation.
	Serial bool
	// Root is true for a field without a resolver whose type is the query root.
	Root bool
}

// ErrUnplanned is returned for a schema that was not made by [New].
var ErrUnplanned = errors.New("the schema is executed without a plan")

// Walk visits the resolver calls of the operation of ctx, each after the call that returns its
// parents. For a subscription, these are the call of its field and the calls for one event.
//
// P describes a set of objects, for example by their number. root describes the root object, and
// children(typ) the objects of type typ that a call returns. The objects below a field without a
// call have the P of their parents.
//
// Walk returns [ErrUnplanned], a [LimitError], or an error if the operation has field middleware.
func Walk[P any](ctx context.Context, schema graphql.ExecutableSchema, root P,
	visit func(call Call, parents P) (children func(typ string) P)) error {
	p, ok := schema.(*planned)
	if !ok {
		return ErrUnplanned
	}
	op := graphql.GetOperationContext(ctx)
	op.Stats.SetExtension(executionKey, Execution{})
	compiled, err := p.compiled(op)
	if err != nil {
		return err
	}
	ctx = graphql.WithUnmarshalerMap(ctx, graphql.BuildUnmarshalerMap())
	w := walker[P]{p.request(ctx, op), p.config.Types, visit}
	w.set(compiled.root, root, op.Operation.Operation == ast.Mutation)
	return nil
}

// Resolvers lists the fields with a resolver, as object and field; nil without a plan.
func Resolvers(schema graphql.ExecutableSchema) (fields [][2]string) {
	p, ok := schema.(*planned)
	if !ok {
		return nil
	}
	for _, object := range p.config.Types.Objects {
		for _, field := range object.Fields {
			if field.hasResolver() {
				fields = append(fields, [2]string{object.Name, field.Name})
			}
		}
	}
	return fields
}

type walker[P any] struct {
	request
	types *Schema
	visit func(Call, P) func(typ string) P
}

func (w *walker[P]) set(set *selectionSet, parents P, serial bool) {
	for i := range set.fields {
		s := &set.fields[i]
		if !s.hasColumn() {
			continue
		}
		children := func(string) P { return parents }
		if root := s.field.Composite == w.types.Query; root || s.field.hasResolver() {
			call := Call{Object: s.field.Object, Field: s.Name, Serial: serial, Root: root}
			call.Args, call.Err = w.coerced(s)
			call.Ctx = newCallCtx(w.ctx, s, call.Args)
			children = w.visit(call, parents)
		}
		if s.below != nil {
			w.set(s.below, children(s.field.Composite), false)
		}
		for _, typ := range slices.Sorted(maps.Keys(s.byType)) {
			w.set(s.byType[typ], children(typ), false)
		}
	}
}

func (w *walker[P]) coerced(s *selection) (args map[string]any, err error) {
	defer w.recoverTo(w.ctx, &err)
	return w.args(s)
}
