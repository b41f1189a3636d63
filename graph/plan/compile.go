package plan

import (
	"math"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/recent"
)

type operation struct {
	root          *selectionSet
	sets, columns int // counts, for [results]
}

// selectionSet is a selection set for one object type, with fragments expanded.
type selectionSet struct {
	object *Object
	fields []selection
	index  int // in [results]
}

type selection struct {
	graphql.CollectedField
	field *Field // nil for __typename
	// key is `{"name":` for the first field, else `,"name":`.
	key string
	// constant caches the coerced arguments, made with the ctx of one request. It is nil if they
	// depend on variables, or without arguments: see constant-arguments in 'go -C bench run .
	// without'.
	constant *atomic.Pointer[map[string]any]
	// column is an index in [results], or -1: see hasColumn.
	column int
	// below is the selection set of a field with an object type, byType those of an interface or
	// union.
	below  *selectionSet
	byType map[string]*selectionSet
	// parentField is for the paths of resolvers' contexts, without list indexes, because one call
	// serves all elements. It is nil for a root field.
	parentField *graphql.FieldContext
	// semNonNull and elemSemNonNull are true if @semanticNonNull covers the value, or the elements
	// of its list.
	semNonNull, elemSemNonNull bool
}

// hasColumn is false for fields that only the writer reads: __typename, and leaves without a
// resolver.
func (s *selection) hasColumn() bool { return s.column >= 0 }

// compiler is safe for concurrent use.
type compiler struct {
	types    *Schema
	possible map[string][]string
	cache    *recent.Cache[variant, *operation]
}

const (
	maxVariants     = 1000
	maxCachedText   = 8 << 10 // bytes of one operation
	maxCachedTexts  = 1 << 20 // bytes of all operations
	maxCachedFields = 2_000   // fields of one operation
)

// maxFields is needed because nested fragments expand exponentially, and so do nested fields with
// abstract types, which are compiled for each object type.
const maxFields = 20_000

// variant has the values of Boolean variables, which @skip and @include may use. operation is the
// same pointer only if the server has a query cache.
type variant struct {
	operation *ast.OperationDefinition
	booleans  string
}

func variantOf(op *graphql.OperationContext) variant {
	var booleans []byte
	for _, v := range op.Operation.VariableDefinitions {
		if v.Type.NamedType == "Boolean" {
			booleans = strconv.AppendBool(booleans, op.Variables[v.Variable] == true)
		}
	}
	return variant{op.Operation, string(booleans)}
}

func newCompiler(types *Schema, schema *ast.Schema) *compiler {
	c := &compiler{types: types, possible: map[string][]string{}}
	for name, possible := range schema.PossibleTypes {
		for _, t := range possible {
			if t.Kind == ast.Object { // t may be an interface that implements name
				c.possible[name] = append(c.possible[name], t.Name)
			}
		}
	}
	c.cache = recent.New[variant, *operation](maxVariants, maxCachedTexts)
	return c
}

func (c *compiler) operation(op *graphql.OperationContext) (*operation, error) {
	variant := variantOf(op)
	if compiled, ok := c.cache.Get(variant); ok {
		return compiled, nil
	}
	if countFields(op.Operation.SelectionSet, op.Doc.Fragments, map[string]int{}) > maxFields {
		return nil, &LimitError{"the number of selected fields of the operation", maxFields}
	}
	compiling := compilation{compiler: c, op: op}
	set := compiling.set(op.Operation.SelectionSet, c.types.root(op.Operation.Operation), nil)
	if compiling.fields > maxFields {
		return nil, &LimitError{"the number of selected fields of the operation, counted for each object type,", maxFields}
	}
	if compiling.sets > maxFields { // sets can be empty for some types
		return nil, &LimitError{"the number of selection sets of the operation, counted for each object type,", maxFields}
	}
	compiled := &operation{root: set, sets: compiling.sets, columns: compiling.columns}
	if len(op.RawQuery) <= maxCachedText && compiling.fields <= maxCachedFields {
		c.cache.Add(variant, compiled, len(op.RawQuery))
	}
	return compiled, nil
}

// countFields expands fragments. known has the counts of fragments, by name.
func countFields(set ast.SelectionSet, fragments ast.FragmentDefinitionList, known map[string]int) (n int) {
	for _, selected := range set {
		switch selected := selected.(type) {
		case *ast.Field:
			n += 1 + countFields(selected.SelectionSet, fragments, known)
		case *ast.InlineFragment:
			n += countFields(selected.SelectionSet, fragments, known)
		case *ast.FragmentSpread:
			if _, ok := known[selected.Name]; !ok {
				known[selected.Name] = countFields(fragments.ForName(selected.Name).SelectionSet, fragments, known)
			}
			n += known[selected.Name]
		}
		n = min(n, math.MaxInt32)
	}
	return n
}

type compilation struct {
	*compiler
	op                    *graphql.OperationContext
	fields, sets, columns int
}

// set compiles a selection set for an object type, or a part of it if there are too many fields or
// sets. It ignores @defer and @stream.
func (c *compilation) set(selected ast.SelectionSet, object *Object, enclosing *graphql.FieldContext) *selectionSet {
	set := &selectionSet{object: object, index: c.sets}
	c.sets++
	for i, f := range graphql.CollectFields(c.op, selected, object.Satisfies) {
		if c.fields++; max(c.fields, c.sets) > maxFields {
			break
		}
		s := selection{
			CollectedField: f, field: object.Fields[f.Name], key: key(i, f.Alias), column: -1, parentField: enclosing,
		}
		if s.field != nil {
			takesVariable := func(a *ast.Argument) bool { return hasVariable(a.Value) }
			if s.field.Args != nil && !slices.ContainsFunc(f.Arguments, takesVariable) {
				s.constant = new(atomic.Pointer[map[string]any])
			}
			if s.field.Leaf == nil {
				s.column, c.columns = c.columns, c.columns+1
			}
			if s.field.Composite != "" {
				s.semNonNull, s.elemSemNonNull = semanticNonNull(f.Definition, 0), semanticNonNull(f.Definition, 1)
				c.children(&s)
			}
		}
		set.fields = append(set.fields, s)
	}
	return set
}

// semanticNonNull reports whether the directive has a level: 0 is the value, 1 the elements of its
// list.
func semanticNonNull(f *ast.FieldDefinition, level int) bool {
	mark := f.Directives.ForName("semanticNonNull")
	if mark == nil {
		return false
	}
	levels := mark.Arguments.ForName("levels")
	if levels == nil {
		return level == 0
	}
	return slices.ContainsFunc(levels.Value.Children, func(v *ast.ChildValue) bool {
		return v.Value.Raw == strconv.Itoa(level)
	})
}

func key(i int, alias string) string {
	b := []byte{','}
	if i == 0 {
		b[0] = '{'
	}
	return string(append(AppendString(b, alias), ':'))
}

func hasVariable(v *ast.Value) bool {
	return v.Kind == ast.Variable ||
		slices.ContainsFunc(v.Children, func(child *ast.ChildValue) bool { return hasVariable(child.Value) })
}

func (c *compilation) children(s *selection) {
	field := &graphql.FieldContext{Parent: s.parentField, Object: s.field.Object, Field: s.CollectedField}
	if object := c.types.Objects[s.field.Composite]; object != nil {
		s.below = c.set(s.Selections, object, field)
		return
	}
	s.byType = map[string]*selectionSet{}
	for _, name := range c.possible[s.field.Composite] {
		s.byType[name] = c.set(s.Selections, c.types.Objects[name], field)
	}
}
