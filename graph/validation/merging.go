package validation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
)

// mostMerged is how many selections are looked at in a document. Those within the limits have fewer, unless interfaces nest in each other.
const mostMerged = 100_000

// fieldsMerge is GraphQL's rule that fields with one place in the answer are the same field there. It is gqlparser's OverlappingFieldsCanBeMerged, but for
// its cost: that compares each two fields, at each inline fragment anew, and keeps all that it finds. Here a field is compared with the first of
// its place alone, as being the same is transitive, and the first conflict of an operation is the last that is looked for.
func fieldsMerge(observers *core.Events, addError core.AddErrFunc) {
	m := merging{left: mostMerged, signatures: map[*ast.Field]string{}}
	observers.OnOperation(func(walker *core.Walker, operation *ast.OperationDefinition) {
		m.schema, m.conflict = walker.Schema, nil
		m.merge(m.places([]ast.SelectionSet{operation.SelectionSet}), false)
		if m.conflict != nil {
			addError(m.conflict...)
		}
	})
}

// place are the fields that are answered in the same place.
type place []*ast.Field

// below are what the fields of a place select.
func (p place) below() []ast.SelectionSet {
	sets := make([]ast.SelectionSet, 0, len(p))
	for _, f := range p {
		if len(f.SelectionSet) > 0 {
			sets = append(sets, f.SelectionSet)
		}
	}
	return sets
}

// together returns those fields of a place that one object may answer: the fields of each object type, with those of interfaces.
func (p place) together() []place {
	var objects []place
	var interfaces place
	for _, f := range p {
		if f.ObjectDefinition.Kind != ast.Object {
			interfaces = append(interfaces, f)
			continue
		}
		i := slices.IndexFunc(objects, func(of place) bool { return of[0].ObjectDefinition.Name == f.ObjectDefinition.Name })
		if i < 0 {
			objects = append(objects, place{f})
		} else {
			objects[i] = append(objects[i], f)
		}
	}
	if len(objects) < 2 {
		return []place{p}
	}
	for i := range objects {
		objects[i] = slices.Concat(objects[i], interfaces)
	}
	return objects
}

type merging struct {
	schema     *ast.Schema
	left       int
	signatures map[*ast.Field]string
	conflict   []core.ErrorOption
}

// places groups what selection sets select together, in the order of the document. What the schema does not have is left to the rules that
// refuse it.
func (m *merging) places(sets []ast.SelectionSet) (all []place) {
	index, spread := map[string]int{}, map[*ast.FragmentDefinition]bool{}
	var collect func(set ast.SelectionSet)
	collect = func(set ast.SelectionSet) {
		for _, selection := range set {
			if m.left--; m.left < 0 {
				return
			}
			switch s := selection.(type) {
			case *ast.Field:
				if s.ObjectDefinition == nil || s.Definition == nil {
					continue
				}
				i, known := index[s.Alias]
				if !known {
					i = len(all)
					index[s.Alias], all = i, append(all, nil)
				}
				all[i] = append(all[i], s)
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
	if m.left < 0 {
		m.conflict = []core.ErrorOption{core.Message("there are too many selections to be merged")}
	}
	return all
}

// merge looks for a conflict. Fields that no object answers together need only have answers of the same shape.
func (m *merging) merge(places []place, apart bool) {
	for _, p := range places {
		for _, f := range p[1:] {
			if m.differ(p[0].Definition.Type, f.Definition.Type) {
				m.refuse(f, fmt.Sprintf(`they return conflicting types "%s" and "%s"`, p[0].Definition.Type, f.Definition.Type))
			}
		}
		parts := []place{p}
		if !apart {
			parts = p.together()
		}
		for _, part := range parts {
			for _, f := range part[1:] {
				if apart {
					break
				} else if f.Name != part[0].Name {
					m.refuse(f, fmt.Sprintf(`"%s" and "%s" are different fields`, part[0].Name, f.Name))
				} else if m.signature(f) != m.signature(part[0]) {
					m.refuse(f, "they have differing arguments")
				}
			}
			m.under(part, apart)
		}
		if len(parts) > 1 {
			m.under(p, true)
		}
		if m.conflict != nil {
			return
		}
	}
}

func (m *merging) under(p place, apart bool) {
	if below := p.below(); len(below) > 0 && m.conflict == nil {
		m.merge(m.places(below), apart)
	}
}

func (m *merging) refuse(f *ast.Field, because string) {
	if m.conflict == nil {
		m.conflict = []core.ErrorOption{core.Message(
			`Fields "%s" conflict because %s. Use different aliases on the fields to fetch both if this was intentional.`, f.Alias, because), core.At(f.Position)}
	}
}

// differ tells whether answers of two types have different shapes. Those of objects are what is selected of them.
func (m *merging) differ(a, b *ast.Type) bool {
	if a.NonNull != b.NonNull || (a.Elem == nil) != (b.Elem == nil) {
		return true
	}
	if a.Elem != nil {
		return m.differ(a.Elem, b.Elem)
	}
	return a.NamedType != b.NamedType && (m.schema.Types[a.NamedType].IsLeafType() || m.schema.Types[b.NamedType].IsLeafType())
}

// signature is the same text for the same arguments, in whatever order. It is made once for each field.
func (m *merging) signature(f *ast.Field) string {
	if len(f.Arguments) == 0 {
		return ""
	}
	signature, known := m.signatures[f]
	if !known {
		var b strings.Builder
		for _, a := range slices.SortedFunc(slices.Values(f.Arguments), func(a, b *ast.Argument) int { return cmp.Compare(a.Name, b.Name) }) {
			b.WriteString(a.Name)
			sign(&b, a.Value)
		}
		signature = b.String()
		m.signatures[f] = signature
	}
	return signature
}

func sign(b *strings.Builder, v *ast.Value) {
	fmt.Fprintf(b, ":%d%q(", v.Kind, v.Raw)
	children := v.Children
	if v.Kind == ast.ObjectValue {
		children = slices.SortedFunc(slices.Values(children), func(a, b *ast.ChildValue) int { return cmp.Compare(a.Name, b.Name) })
	}
	for _, child := range children {
		b.WriteString(child.Name)
		sign(b, child.Value)
	}
	b.WriteByte(')')
}
