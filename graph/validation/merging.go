package validation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
)

const maxMerged = 100_000 // visited selections of a document

// fieldsMerge is section 5.3.2. Unlike gqlparser's rule, it compares each field only with the first
// of its response key, because equality is transitive. It reports only the first conflict of an
// operation.
func fieldsMerge(observers *core.Events, addError core.AddErrFunc) {
	m := merging{left: maxMerged}
	observers.OnOperation(func(walker *core.Walker, operation *ast.OperationDefinition) {
		m.schema = walker.Schema
		if conflict := m.merge(m.fields(operation.SelectionSet), false); conflict != nil {
			addError(conflict...)
		}
	})
}

type merging struct {
	schema *ast.Schema
	left   int
}

// merge returns the first conflict of the fields of one response object. With shapeOnly it compares
// only their shapes.
func (m *merging) merge(fields []*ast.Field, shapeOnly bool) (conflict []core.ErrorOption) {
	if m.left < 0 {
		return []core.ErrorOption{core.Message("there are too many selections to be merged")}
	}
	for _, same := range group(fields, func(f *ast.Field) string { return f.Alias }) {
		for _, f := range same[1:] {
			if a, b := same[0].Definition.Type, f.Definition.Type; m.differ(a, b) {
				return conflicting(f, fmt.Sprintf(`they return conflicting types "%s" and "%s"`, a, b))
			}
		}
		parts := [][]*ast.Field{same}
		if !shapeOnly {
			parts = ofOneObject(same)
		}
		for _, part := range parts {
			if !shapeOnly {
				conflict = different(part)
			}
			if conflict == nil {
				conflict = m.merge(m.below(part), shapeOnly)
			}
			if conflict != nil {
				return conflict
			}
		}
		if len(parts) > 1 {
			if conflict = m.merge(m.below(same), true); conflict != nil {
				return conflict
			}
		}
	}
	return nil
}

func group(fields []*ast.Field, key func(*ast.Field) string) (groups [][]*ast.Field) {
	index := map[string]int{}
	for _, f := range fields {
		i, known := index[key(f)]
		if !known {
			i = len(groups)
			index[key(f)], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	return groups
}

// ofOneObject groups fields by object type. Each group has the fields of interfaces, too.
func ofOneObject(fields []*ast.Field) [][]*ast.Field {
	var objects, interfaces []*ast.Field
	for _, f := range fields {
		if f.ObjectDefinition.Kind == ast.Object {
			objects = append(objects, f)
		} else {
			interfaces = append(interfaces, f)
		}
	}
	groups := group(objects, func(f *ast.Field) string { return f.ObjectDefinition.Name })
	if len(groups) < 2 {
		return [][]*ast.Field{fields}
	}
	for i := range groups {
		groups[i] = append(groups[i], interfaces...)
	}
	return groups
}

// fields expands each fragment once.
func (m *merging) fields(sets ...ast.SelectionSet) (all []*ast.Field) {
	spread := map[*ast.FragmentDefinition]bool{}
	var collect func(set ast.SelectionSet)
	collect = func(set ast.SelectionSet) {
		for _, selection := range set {
			if m.left--; m.left < 0 {
				return
			}
			switch s := selection.(type) {
			case *ast.Field:
				if s.ObjectDefinition != nil && s.Definition != nil {
					all = append(all, s)
				}
			case *ast.InlineFragment:
				collect(s.SelectionSet)
			case *ast.FragmentSpread:
				if s.Definition != nil && !spread[s.Definition] {
					spread[s.Definition] = true
					collect(s.Definition.SelectionSet)
				}
			}
		}
	}
	for _, set := range sets {
		collect(set)
	}
	return all
}

func (m *merging) below(fields []*ast.Field) []*ast.Field {
	sets := make([]ast.SelectionSet, len(fields))
	for i, f := range fields {
		sets[i] = f.SelectionSet
	}
	return m.fields(sets...)
}

// differ compares the shapes of types, without selection sets.
func (m *merging) differ(a, b *ast.Type) bool {
	if a.NonNull != b.NonNull || (a.Elem == nil) != (b.Elem == nil) {
		return true
	}
	if a.Elem != nil {
		return m.differ(a.Elem, b.Elem)
	}
	return a.NamedType != b.NamedType &&
		(m.schema.Types[a.NamedType].IsLeafType() || m.schema.Types[b.NamedType].IsLeafType())
}

func different(fields []*ast.Field) []core.ErrorOption {
	first := fields[0]
	for _, f := range fields[1:] {
		if f.Name != first.Name {
			return conflicting(f, fmt.Sprintf(`"%s" and "%s" are different fields`, first.Name, f.Name))
		}
		if len(f.Arguments)+len(first.Arguments) > 0 && signature(f) != signature(first) {
			return conflicting(f, "they have differing arguments")
		}
	}
	return nil
}

func conflicting(f *ast.Field, because string) []core.ErrorOption {
	const format = `Fields "%s" conflict because %s. ` +
		`Use different aliases on the fields to fetch both if this was intentional.`
	return []core.ErrorOption{core.At(f.Position), core.Message(format, f.Alias, because)}
}

// signature is equal for equal arguments in any order.
func signature(f *ast.Field) string {
	arguments := &ast.Value{Kind: ast.ObjectValue}
	for _, a := range f.Arguments {
		arguments.Children = append(arguments.Children, &ast.ChildValue{Name: a.Name, Value: a.Value})
	}
	var b strings.Builder
	sign(&b, arguments)
	return b.String()
}

func sign(b *strings.Builder, v *ast.Value) {
	fmt.Fprintf(b, ":%d%q(", v.Kind, v.Raw)
	children := v.Children
	if v.Kind == ast.ObjectValue {
		children = slices.SortedFunc(slices.Values(children), func(a, b *ast.ChildValue) int {
			return cmp.Compare(a.Name, b.Name)
		})
	}
	for _, child := range children {
		b.WriteString(child.Name)
		sign(b, child.Value)
	}
	b.WriteByte(')')
}
