package plan

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// Call is a resolver that an operation calls with all objects of a batch.
type Call struct {
	// Ctx is the ctx of the resolver, with the operation, the field and its path.
	Ctx context.Context
	// Object and Field name it in the schema.
	Object, Field string
	// Args are the coerced arguments, and Err the error if they can't be coerced.
	Args map[string]any
	Err  error
	// Serial is whether it begins when all earlier calls have ended: a root field of a mutation.
	Serial bool
}

// ErrUnplanned is the error for a schema that was not made by [New].
var ErrUnplanned = errors.New("the schema is executed without a plan")

// Walk visits the resolvers that [New]'s schema would call to execute the operation of ctx, or one event of a subscription. It
// calls none of them. A resolver is visited after the one that leads to it, with what the visit of that one returned, or with
// objects. The function that visit returns is given the type of the objects: a field may lead to an interface or a union. The
// operation counts as executed by nobody. Walk returns [ErrUnplanned], or a [LimitError] if the operation has too many fields.
func Walk[P any](ctx context.Context, schema graphql.ExecutableSchema, objects P, visit func(call Call, parents P) (below func(typ string) P)) error {
	p, ok := schema.(*planned)
	if !ok {
		return ErrUnplanned
	}
	op := graphql.GetOperationContext(ctx)
	note(op, Execution{})
	root, err := p.compiled(op)
	if err != nil {
		return err
	}
	ctx = graphql.WithUnmarshalerMap(ctx, graphql.BuildUnmarshalerMap())
	w := walker[P]{run{ctx: ctx, op: op, types: p.config.Types, schema: p.Schema(), exec: p.config.Exec(op)}, visit}
	w.set(root, objects, op.Operation.Operation == ast.Mutation)
	return nil
}

// Resolvers lists the fields of a planned schema that have resolvers, as object and field; nil if it has no plan.
func Resolvers(schema graphql.ExecutableSchema) (fields [][2]string) {
	p, ok := schema.(*planned)
	if !ok {
		return nil
	}
	for _, object := range p.config.Types.Objects {
		for _, field := range object.Fields {
			if field.resolved() {
				fields = append(fields, [2]string{object.Name, field.Name})
			}
		}
	}
	return fields
}

// resolved reports whether the field has a resolver.
func (f *Field) resolved() bool { return f.Call != nil || f.Resolve != nil || f.Stream != nil }

type walker[P any] struct {
	run
	visit func(Call, P) func(typ string) P
}

func (w *walker[P]) set(n *selectionSet, parents P, serial bool) {
	for i := range n.fields {
		s := &n.fields[i]
		if s.field == nil || !s.hasColumn() {
			continue
		}
		below := func(string) P { return parents }
		if s.field.resolved() {
			call := Call{Object: s.field.Object, Field: s.Name, Serial: serial}
			call.Args, call.Err = w.coerced(s)
			call.Ctx = within(w.ctx, s, call.Args)
			below = w.visit(call, parents)
		}
		if s.only != nil {
			w.set(s.only, below(s.field.To), false)
		}
		for _, typ := range slices.Sorted(maps.Keys(s.below)) {
			w.set(s.below[typ], below(typ), false)
		}
	}
}

// coerced returns the arguments; a panic is an error, as it is when the field is executed.
func (w *walker[P]) coerced(s *selection) (args map[string]any, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = w.op.Recover(w.ctx, panicked)
		}
	}()
	return w.args(s)
}
