package plan

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/apierr"
)

// Call is a resolver that an operation calls with all objects of a level.
type Call struct {
	// Ctx is what the resolver is called with: it knows the operation, the field and its path.
	Ctx context.Context
	// Object and Field name it in the schema.
	Object, Field string
	// Args are the coerced arguments; Err says why they can't be.
	Args map[string]any
	Err  error
	// Serial is whether it begins when all that was called before it has ended, as the roots of a mutation do.
	Serial bool
}

// ErrUnplanned says that a schema has no plan.
var ErrUnplanned = errors.New("the schema is executed without a plan")

// Walk tells visit what [New]'s schema would call to execute the operation of ctx, or an event of a subscription, each resolver after the one that
// leads to it, and calls nothing. visit gets what it returned for that one, or root, given the type of the objects: what it returns may depend on it where a field
// leads to an interface or a union. The operation counts as executed by nobody; the answer is how it would be executed. Unless that is
// by the plan there is nothing to visit. An operation of more than 20,000 fields, those of fragments counted where these are spread, is not walked: that is an
// [apierr.Error].
func Walk[P any](ctx context.Context, schema graphql.ExecutableSchema, root P, visit func(call Call, parents P) (below func(typ string) P)) (Execution, error) {
	p, ok := schema.(*planned)
	if !ok {
		return Execution{}, ErrUnplanned
	}
	op := graphql.GetOperationContext(ctx)
	note(op, Execution{})
	name, serial := p.config.Types.Query, false
	switch op.Operation.Operation {
	case ast.Mutation:
		name, serial = p.config.Types.Mutation, true
	case ast.Subscription:
		name = p.config.Types.Subscription
	}
	n := p.compiler.operation(op, name)
	if n.uncovered != "" {
		return Execution{"stock", n.uncovered}, nil
	}
	if n.fresh != nil {
		return Execution{}, apierr.LimitExceeded("the number of selected fields of an operation of which the cost is known beforehand", maxFields, size(op.Doc, op.Operation))
	}
	ctx = graphql.WithUnmarshalerMap(ctx, graphql.BuildUnmarshalerMap())
	w := walker[P]{run{ctx: ctx, op: op, types: p.config.Types, schema: p.Schema(), exec: p.config.Exec(op)}, visit}
	w.node(n, root, serial)
	return Execution{Executor: "plan"}, nil
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
func (f *Field) resolved() bool { return f.Call != nil || f.Stream != nil }

type walker[P any] struct {
	run
	visit func(Call, P) func(typ string) P
}

func (w *walker[P]) node(n *node, parents P, serial bool) {
	for i := range n.fields {
		s := &n.fields[i]
		if s.field == nil || s.slot < 0 {
			continue
		}
		below := func(string) P { return parents }
		if s.field.resolved() {
			call := Call{Object: s.field.Object, Field: s.Name, Serial: serial}
			call.Args, call.Err = w.coerced(s)
			call.Ctx = w.within(s, call.Args)
			below = w.visit(call, parents)
		}
		if s.only != nil {
			w.node(s.only, below(s.field.To), false)
		}
		for _, typ := range slices.Sorted(maps.Keys(s.below)) {
			w.node(s.below[typ], below(typ), false)
		}
	}
}

// coerced returns the arguments; a panic is an error, as it is when the field is executed.
func (w *walker[P]) coerced(s *selected) (args map[string]any, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = w.op.Recover(w.ctx, panicked)
		}
	}()
	return w.args(s)
}
