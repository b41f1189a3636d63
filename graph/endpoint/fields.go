package endpoint

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/introspection"
)

// Field is a field of the schema.
type Field struct {
	Name string // such as User.bio
	// Deprecated is the reason of a deprecation, or "".
	Deprecated string
}

// Fields returns the selectable fields, sorted by name.
func (e *Endpoint) Fields() []Field { return e.rules.Load().preparer.fields.all }

type fields struct {
	all     []Field
	indexes map[*ast.FieldDefinition]int
}

func newFields(schema *ast.Schema) *fields {
	named := map[string]*ast.FieldDefinition{}
	for _, definition := range schema.Types {
		for _, field := range definition.Fields {
			selectable := definition.Kind == ast.Object || definition.Kind == ast.Interface
			if selectable && !strings.HasPrefix(definition.Name, "__") && !strings.HasPrefix(field.Name, "__") {
				named[definition.Name+"."+field.Name] = field
			}
		}
	}
	f := &fields{indexes: make(map[*ast.FieldDefinition]int, len(named))}
	for i, name := range slices.Sorted(maps.Keys(named)) {
		f.indexes[named[name]] = i
		field := Field{Name: name}
		if reason := introspection.DeprecationReason(named[name].Directives); reason != nil {
			field.Deprecated = *reason
		}
		f.all = append(f.all, field)
	}
	return f
}

type validDocument struct {
	*ast.QueryDocument
	operations map[*ast.OperationDefinition]*validOperation
}

type validOperation struct {
	fields   []int
	fraction atomic.Uint64 // see prediction
}

func (f *fields) of(doc *ast.QueryDocument) *validDocument {
	d := &validDocument{doc, make(map[*ast.OperationDefinition]*validOperation, len(doc.Operations))}
	for _, operation := range doc.Operations {
		found, fragments := map[int]bool{}, map[string]bool{}
		f.collect(operation.SelectionSet, found, fragments)
		d.operations[operation] = &validOperation{fields: slices.Sorted(maps.Keys(found))}
	}
	return d
}

func (f *fields) collect(selections ast.SelectionSet, found map[int]bool, fragments map[string]bool) {
	for _, selection := range selections {
		switch selection := selection.(type) {
		case *ast.Field:
			if i, ok := f.indexes[selection.Definition]; ok {
				found[i] = true
			}
			f.collect(selection.SelectionSet, found, fragments)
		case *ast.InlineFragment:
			f.collect(selection.SelectionSet, found, fragments)
		case *ast.FragmentSpread:
			if !fragments[selection.Name] {
				fragments[selection.Name] = true
				f.collect(selection.Definition.SelectionSet, found, fragments)
			}
		}
	}
}
