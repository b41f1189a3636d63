package plan

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// lazy is the batch of a node of which no more is known than its type, until there are objects. Such a node belongs to one execution, and there
// to one task.
type lazy struct {
	batch   batch
	compile func()
}

// lazily compiles the root of an operation that has too many fields, for one execution. What is below follows where there are objects: so an
// operation takes the memory of what it answers, whatever its fragments stand for.
func (c *compiler) lazily(op *graphql.OperationContext, root string, final bool) *node {
	n := (&compiler{lazy: true, schema: c.schema, possible: c.possible}).node(op, op.Operation.SelectionSet, c.schema.Objects[root], nil)
	n.place(&n.size)
	n.final = final
	n.fresh = func() *node { return c.lazily(op, root, final) }
	return n
}

// below compiles what a field of an operation leads to, or leaves that for later.
func (c *compiler) below(op *graphql.OperationContext, set ast.SelectionSet, object *Object, in *graphql.FieldContext) *node {
	if !c.lazy || object == nil {
		return c.node(op, set, object, in)
	}
	n := &node{object: object, lazy: &lazy{}}
	n.lazy.batch.node = n
	n.lazy.compile = func() {
		if n.compile(c, op, set, in); n.uncovered != "" {
			panic("plan: a field of " + object.Name + " has no glue")
		}
		n.lazy.batch.columns = make([]column, n.stored)
	}
	return n
}
