package plan

import (
	"sync"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/recent"
)

// node is a selection set as it applies to objects of one type.
type node struct {
	object *Object
	fields []selected
	// stored is how many of the fields have values that are kept until the answer is written; firstColumn is the place of the first of them,
	// and index the node's, among those of the operation.
	stored, firstColumn, index int
	// size is that of the whole operation, and frames are what executed it before; only the root has them.
	size   extent
	frames sync.Pool
	// final is whether the response says that it is the only one; only the root has it: see [directives].
	final bool
}

// extent is how much memory an operation takes.
type extent struct{ nodes, columns int }

// place gives each node its place.
func (n *node) place(e *extent) {
	n.index, n.firstColumn = e.nodes, e.columns
	e.nodes, e.columns = e.nodes+1, e.columns+n.stored
	for i := range n.fields {
		if only := n.fields[i].only; only != nil {
			only.place(e)
		}
		for _, below := range n.fields[i].below {
			below.place(e)
		}
	}
}

// selected is a field of a node.
type selected struct {
	graphql.CollectedField
	field *Field // nil for __typename
	// key is the response key as it is written, with the brace or comma before it, quotes and colon.
	key string
	// constant holds the arguments once they have been coerced; nil if they depend on variables.
	constant *atomic.Pointer[map[string]any]
	// slot is the field's place among the stored ones, -1 for a leaf without a resolver.
	slot int
	// below is what is selected of the objects that the field leads to, by their type.
	below map[string]*node
	// only is that node if the type is known beforehand.
	only *node
	// in is the field that led here, for the path; nil for those of the root.
	in *graphql.FieldContext
}

// compiler compiles the operations of a schema, and keeps what it compiled. It is safe for concurrent use.
type compiler struct {
	schema *Schema
	// abstract holds the names of the possible types of interfaces and unions.
	possible map[string][]string
	cache    *recent.Cache[*ast.OperationDefinition, *compiled]
}

// cacheSize is how many operations are kept compiled. They are known by the parsed document, which the query cache keeps for
// the same text.
const cacheSize = 1000

// cacheLength is how long the text of a kept operation is at most, in bytes. Compiled it takes many times that.
const cacheLength = 8 << 10

// cacheBytes is how long the texts of all kept operations are together, at most, in bytes.
const cacheBytes = 1 << 20

// maxVariants bounds how many combinations of the conditions of one operation are kept.
const maxVariants = 16

// compiled is an operation for each combination of the variables that its @skip and @include ask.
type compiled struct {
	size       int
	conditions []string
	final      bool
	mu         sync.Mutex
	variants   map[string]*node
}

func newCompiler(schema *Schema, parsed *ast.Schema) *compiler {
	c := &compiler{schema: schema, possible: map[string][]string{}}
	for name, types := range parsed.PossibleTypes {
		for _, t := range types {
			if t.Kind == ast.Object { // interfaces are listed too
				c.possible[name] = append(c.possible[name], t.Name)
			}
		}
	}
	c.cache = recent.New[*ast.OperationDefinition, *compiled](cacheSize, cacheBytes)
	return c
}

// operation returns the compiled operation. It returns a [LimitError] if the operation has more than [maxFields] fields.
func (c *compiler) operation(op *graphql.OperationContext, root string) (*node, error) {
	entry, ok := c.cache.Get(op.Operation)
	if !ok {
		entry = &compiled{size: size(op.Doc, op.Operation), variants: map[string]*node{}}
		entry.conditions, entry.final = directives(op.Doc, op.Operation)
		if len(op.RawQuery) <= cacheLength && entry.size <= keptFields {
			c.cache.Add(op.Operation, entry, len(op.RawQuery))
		}
	}
	if entry.size > maxFields {
		return nil, &LimitError{"the number of selected fields of an operation", maxFields, entry.size}
	}
	variant := entry.variant(op.Variables)
	entry.mu.Lock()
	defer entry.mu.Unlock()
	n, ok := entry.variants[variant]
	if !ok {
		n = c.node(op, op.Operation.SelectionSet, c.schema.Objects[root], nil)
		n.place(&n.size)
		n.final = entry.final
		if len(entry.variants) < maxVariants && (len(entry.variants)+1)*entry.size <= keptFields {
			entry.variants[variant] = n
		}
	}
	return n, nil
}

func (e *compiled) variant(variables map[string]any) string {
	b := make([]byte, len(e.conditions))
	for i, name := range e.conditions {
		if b[i] = '0'; variables[name] == true {
			b[i] = '1'
		}
	}
	return string(b)
}

// node compiles a selection set for one type. in is the field that leads there. @defer and @stream have no effect.
func (c *compiler) node(op *graphql.OperationContext, set ast.SelectionSet, object *Object, in *graphql.FieldContext) *node {
	n := &node{object: object}
	for _, f := range graphql.CollectFields(op, set, object.Satisfies) {
		s := selected{CollectedField: f, field: object.Fields[f.Name], slot: -1, key: key(len(n.fields), f.Alias), in: in}
		if !dependent(f.Arguments) {
			s.constant = new(atomic.Pointer[map[string]any])
		}
		if s.field != nil {
			if s.field.Leaf == nil {
				s.slot, n.stored = n.stored, n.stored+1
			}
			if s.field.To != "" {
				c.descend(op, &s)
			}
		}
		n.fields = append(n.fields, s)
	}
	return n
}

// key returns how the response key of field i is written.
func key(i int, alias string) string {
	b := []byte{','}
	if i == 0 {
		b[0] = '{'
	}
	return string(append(AppendString(b, alias), ':'))
}

// dependent reports whether arguments depend on variables.
func dependent(arguments ast.ArgumentList) bool {
	for _, a := range arguments {
		if asks(a.Value) {
			return true
		}
	}
	return false
}

func asks(v *ast.Value) bool {
	if v.Kind == ast.Variable {
		return true
	}
	for _, child := range v.Children {
		if asks(child.Value) {
			return true
		}
	}
	return false
}

// descend compiles what is selected of the objects that a field leads to.
func (c *compiler) descend(op *graphql.OperationContext, s *selected) {
	here := &graphql.FieldContext{Parent: s.in, Object: s.field.Object, Field: s.CollectedField}
	if object := c.schema.Objects[s.field.To]; object != nil {
		s.only = c.node(op, s.Selections, object, here)
		return
	}
	s.below = map[string]*node{}
	for _, name := range c.possible[s.field.To] {
		s.below[name] = c.node(op, s.Selections, c.schema.Objects[name], here)
	}
}
