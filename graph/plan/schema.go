package plan

import (
	"context"

	"github.com/vektah/gqlparser/v2/ast"
)

// Schema is the generated code of a schema.
type Schema struct {
	Objects map[string]*Object
	// TypeOf takes an object of an interface or union, as a struct or a pointer. It returns the
	// pointer and the object type, or "" for a nil pointer. It panics for any other value.
	TypeOf func(v any) (pointer any, typ string)
	// Query, Mutation and Subscription name the root types, or are empty.
	Query, Mutation, Subscription string
}

func (s *Schema) root(of ast.Operation) *Object {
	switch of {
	case ast.Mutation:
		return s.Objects[s.Mutation]
	case ast.Subscription:
		return s.Objects[s.Subscription]
	}
	return s.Objects[s.Query]
}

func (s *Schema) mustHave(schema *ast.Schema) {
	for name, def := range schema.Types {
		if def.Kind != ast.Object {
			continue
		}
		object := s.Objects[name]
		for _, f := range def.Fields {
			if object == nil || object.Fields[f.Name] == nil {
				panic("plan: no code was generated for " + name + "." + f.Name + ": generate it again from this schema")
			}
		}
	}
}

// Object is an object type.
type Object struct {
	Name string
	// Satisfies are the type, its interfaces and its unions.
	Satisfies []string
	Fields    map[string]*Field
}

// Field is a field of an object type. Its functions get objects and parents as pointers to the Go
// types that gqlgen binds. Those of root fields ignore the pointers.
type Field struct {
	Name    string
	Object  string
	NonNull bool
	// List is true for a list of objects. A list of leaves is one leaf.
	List, ElemNonNull bool
	// Composite names the type of the field, or of the elements of its list; empty for a leaf.
	Composite string
	// Args may be nil. Requests may share the result of Args, so resolvers must not change it.
	Args func(ctx context.Context, exec any, raw map[string]any) (map[string]any, error)

	// Exactly one of the next five functions is set.

	// Leaf appends a leaf without a resolver. It returns false, and appends nothing, for null.
	Leaf func(ctx context.Context, exec any, dst []byte, object any) ([]byte, bool)
	// Gather collects the children of a composite field without a resolver. A panic fails the field
	// for all parents.
	Gather func(exec any, parents []any, args map[string]any, to *Children) error
	// Resolve is a resolver of one parent. It is called for all parents concurrently.
	Resolve func(ctx context.Context, exec, object any, args map[string]any) (any, error)
	// ResolveBatch is a resolver of all parents. It returns a value for each parent, nil for null,
	// or one value for a root field. The caller may change the slice.
	ResolveBatch func(ctx context.Context, exec any, parents []any, args map[string]any) ([]any, error)
	// Subscribe is the resolver of a subscription field.
	Subscribe func(ctx context.Context, exec any, args map[string]any) (Source, error)

	// AddsErrors is true if Leaf or Append may add errors to ctx, as gqlgen's marshallers do.
	AddsErrors bool

	// Append appends a leaf that a resolver returned.
	Append func(ctx context.Context, exec any, dst []byte, value any) ([]byte, bool)
	// Elems collects the objects of one list that a resolver returned, nil for null.
	Elems func(value any, to *Children)
}

func (f *Field) hasResolver() bool {
	return f.ResolveBatch != nil || f.Resolve != nil || f.Subscribe != nil
}

// GatherRoot is the Gather of fields whose type is the query root, such as `query` of a payload.
func GatherRoot(_ any, parents []any, _ map[string]any, to *Children) error {
	for range parents {
		to.Objects = append(to.Objects, root{})
	}
	return nil
}

// root is the object of root types.
type root struct{}

// Source waits for the next event, and returns its value, nil for null. ok is false after the last
// event, or if ctx is done.
type Source func(ctx context.Context) (value any, ok bool)

// NewSource returns the Source of a resolver's result. wrap is Pointers, Slices or Values.
func NewSource[T any](events <-chan T, err error, wrap func([]T, error) ([]any, error)) (Source, error) {
	return func(ctx context.Context) (any, bool) {
		select {
		case event, ok := <-events:
			if !ok {
				return nil, false
			}
			values, _ := wrap([]T{event}, nil)
			return values[0], true
		case <-ctx.Done():
			return nil, false
		}
	}, err
}
