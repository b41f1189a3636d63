package e2e

import (
	"fmt"
	"strings"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"

	"twibase/e2e/oracle"
)

// nulls counts nulls by position, such as User.name, or UserConnection.nodes[]. It is safe for
// concurrent use.
type nulls struct {
	schema *ast.Schema

	mu     sync.Mutex
	failed map[string]int
	// silent has a null without an error, with path and response.
	silent map[string]string
}

func newNulls(schema *ast.Schema) *nulls {
	return &nulls{schema: schema, failed: map[string]int{}, silent: map[string]string{}}
}

func (n *nulls) positions() map[string]bool {
	all := map[string]bool{}
	for name, def := range n.schema.Types {
		if def.Kind != ast.Object || strings.HasPrefix(name, "__") {
			continue
		}
		for _, field := range def.Fields {
			position, typ := name+"."+field.Name, field.Type
			for level := 0; typ != nil && !strings.HasPrefix(field.Name, "__"); level++ {
				if !typ.NonNull {
					all[position] = marked(field, level)
				}
				position, typ = position+"[]", typ.Elem
			}
		}
	}
	return all
}

func marked(field *ast.FieldDefinition, level int) bool {
	mark := field.Directives.ForName("semanticNonNull")
	if mark == nil {
		return false
	}
	levels := mark.ArgumentMap(nil)["levels"].([]any)
	for _, marked := range levels {
		if marked == int64(level) {
			return true
		}
	}
	return false
}

func withTypenames(schema *ast.Schema, set ast.SelectionSet, typ string) ast.SelectionSet {
	for _, selected := range set {
		switch selected := selected.(type) {
		case *ast.Field:
			selected.SelectionSet = withTypenames(schema, selected.SelectionSet, selected.Definition.Type.Name())
		case *ast.InlineFragment:
			selected.SelectionSet = withTypenames(schema, selected.SelectionSet, "")
		}
	}
	if def := schema.Types[typ]; def != nil && def.IsAbstractType() {
		set = append(set, &ast.Field{Alias: typename, Name: "__typename"})
	}
	return set
}

const typename = "typename_of_object"

func (n *nulls) add(operation *ast.OperationDefinition, typ string, body []byte) error {
	response, err := oracle.Decode(body)
	if err != nil {
		return fmt.Errorf("%w: %s", err, excerpt(body))
	}
	r := nullsOf{nulls: n, body: body, errors: map[string]bool{}}
	errors, _ := oracle.Get(response, "errors").(oracle.List)
	for _, e := range errors {
		path, _ := oracle.Get(e, "path").(oracle.List)
		at := ""
		for _, step := range path {
			at += "/" + fmt.Sprint(step)
			r.errors[at] = true
		}
	}
	if data, ok := oracle.Get(response, "data").(oracle.Object); ok {
		r.object(operation.SelectionSet, typ, data, "")
	}
	return nil
}

type nullsOf struct {
	*nulls
	body   []byte
	errors map[string]bool // paths of errors, and all paths above
}

type selectedField struct {
	*ast.FieldDefinition
	below ast.SelectionSet
}

func (n *nullsOf) object(set ast.SelectionSet, typ string, object oracle.Object, path string) {
	if name, ok := oracle.Get(object, typename).(string); ok {
		typ = name
	}
	fields := map[string]*selectedField{}
	n.collect(set, typ, fields)
	for _, member := range object {
		if f := fields[member.Key]; f != nil {
			n.value(f, f.Type, typ+"."+f.Name, member.Value, path+"/"+member.Key)
		}
	}
}

func (n *nullsOf) collect(set ast.SelectionSet, typ string, fields map[string]*selectedField) {
	for _, selected := range set {
		switch selected := selected.(type) {
		case *ast.Field:
			if selected.Definition == nil {
				continue
			}
			if fields[selected.Alias] == nil {
				fields[selected.Alias] = &selectedField{FieldDefinition: selected.Definition}
			}
			f := fields[selected.Alias]
			f.below = append(f.below, selected.SelectionSet...)
		case *ast.InlineFragment:
			if n.applies(selected.TypeCondition, typ) {
				n.collect(selected.SelectionSet, typ, fields)
			}
		case *ast.FragmentSpread:
			if n.applies(selected.Definition.TypeCondition, typ) {
				n.collect(selected.Definition.SelectionSet, typ, fields)
			}
		}
	}
}

func (n *nullsOf) applies(condition, typ string) bool {
	if condition == "" || condition == typ {
		return true
	}
	for _, possible := range n.schema.PossibleTypes[condition] {
		if possible.Name == typ {
			return true
		}
	}
	return false
}

func (n *nullsOf) value(f *selectedField, typ *ast.Type, position string, value any, path string) {
	switch value := value.(type) {
	case nil:
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.errors[path] {
			n.failed[position]++
		} else if n.silent[position] == "" {
			n.silent[position] = fmt.Sprintf("%s in %s", path, excerpt(n.body))
		}
	case oracle.List:
		for i, element := range value {
			n.value(f, typ.Elem, position+"[]", element, fmt.Sprint(path, "/", i))
		}
	case oracle.Object:
		n.object(f.below, typ.Name(), value, path)
	}
}
