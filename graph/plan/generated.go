package plan

import (
	"bytes"
	"context"
	"slices"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// Schema is the generated code, by object type.
type Schema struct {
	Objects map[string]*Object
	// TypeOf returns the object type of a value of an interface or union, and a pointer to its struct. The type is empty for a nil
	// pointer.
	TypeOf func(v any) (pointer any, typ string)
	// Query, Mutation and Subscription name the root types; empty if there is none.
	Query, Mutation, Subscription string
}

// mustHave panics if the schema has a field without generated code.
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
	// Satisfies are the type conditions that it fulfils: its own name, and those of its interfaces and unions.
	Satisfies []string
	Fields    map[string]*Field
}

// Field is a field of an object type. Objects and parents are pointers to the Go types that gqlgen binds; the parent of a root
// field is nil. exec is the generated execution context.
type Field struct {
	Name   string
	Object string
	// NonNull, List and ElemNonNull are the type's modifiers.
	NonNull, List, ElemNonNull bool
	// To is the object, interface or union that the field leads to. It is empty for a leaf.
	To string
	// Args coerces the arguments; it is nil if there are none. The result is shared by requests with the same literals:
	// resolvers must not change it.
	Args func(ctx context.Context, exec any, raw map[string]any) (map[string]any, error)

	// Exactly one of these says where the value comes from.

	// Leaf appends a leaf without a resolver. It reports false, and appends nothing, for null.
	Leaf func(ctx context.Context, exec any, dst []byte, object any) ([]byte, bool)
	// Gather collects the objects that the field leads to without a resolver, for each parent. A panic fails all of them.
	Gather func(exec any, parents []any, args map[string]any, to *Gathered) error
	// Resolve is a resolver of one parent. It is called for all parents side by side.
	Resolve func(ctx context.Context, exec, object any, args map[string]any) (any, error)
	// Call is a resolver of all parents. It appends a value for each, nil for null.
	Call func(ctx context.Context, exec any, parents []any, args map[string]any, dst []any) ([]any, error)
	// Stream is the resolver of a field of the subscription root.
	Stream func(ctx context.Context, exec any, args map[string]any) (Source, error)

	// AddsErrors is whether Leaf or Append may add errors to ctx, as gqlgen's marshallers do.
	AddsErrors bool

	// Append appends a leaf that a resolver returned.
	Append func(ctx context.Context, exec any, dst []byte, value any) ([]byte, bool)
	// Elems collects the objects of a list that a resolver returned, nil for null.
	Elems func(value any, to *Gathered)
}

// Source waits for the next event, and returns its value, nil for null. It reports false at the end of the events, or when ctx
// is done.
type Source func(ctx context.Context) (value any, ok bool)

// Stream makes a source of the channel that a resolver returned; wrap is Pointers, Slices or Values.
func Stream[T any](events <-chan T, err error, wrap func([]any, []T, error) ([]any, error)) (Source, error) {
	return func(ctx context.Context) (any, bool) {
		select {
		case event, ok := <-events:
			if !ok {
				return nil, false
			}
			values, _ := wrap(nil, []T{event}, nil)
			return values[0], true
		case <-ctx.Done():
			return nil, false
		}
	}, err
}

// Pointers, Slices and Values append what a resolver returned for its parents, without typed nils.

// Pointers takes pointers.
func Pointers[T any](dst []any, values []*T, err error) ([]any, error) {
	dst = slices.Grow(dst, len(values))
	for _, v := range values {
		if v == nil {
			dst = append(dst, nil)
		} else {
			dst = append(dst, v)
		}
	}
	return dst, err
}

// Slices takes lists.
func Slices[T any](dst []any, values [][]T, err error) ([]any, error) {
	for _, v := range values {
		if v == nil {
			dst = append(dst, nil)
		} else {
			dst = append(dst, v)
		}
	}
	return dst, err
}

// Values takes interfaces, and values that can't be null.
func Values[T any](dst []any, values []T, err error) ([]any, error) {
	for _, v := range values {
		dst = append(dst, v)
	}
	return dst, err
}

// AppendInt appends an Int.
func AppendInt(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

// AppendBool appends a Boolean.
func AppendBool(dst []byte, b bool) []byte { return strconv.AppendBool(dst, b) }

// AppendString appends a String, escaped just as gqlgen escapes it.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	dst = append(dst, '"')
	start := 0
	for i := range len(s) {
		c := s[i]
		if c >= 0x20 && c != '\\' && c != '"' {
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '\t':
			dst = append(dst, `\t`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\\':
			dst = append(dst, `\\`...)
		case '"':
			dst = append(dst, `\"`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
		}
		start = i + 1
	}
	return append(append(dst, s[start:]...), '"')
}

// AppendMarshaler appends what gqlgen's own marshalling makes of a value: for scalars that offer no shorter way.
func AppendMarshaler(dst []byte, m graphql.Marshaler) ([]byte, bool) {
	if m == nil || m == graphql.Null {
		return dst, false
	}
	w := bytes.NewBuffer(dst)
	m.MarshalGQL(w)
	return w.Bytes(), true
}
