package explain

import (
	"context"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"twibase/graph/auth"
	"twibase/graph/relay"
)

// prober makes an operation for each field with a resolver, to evaluate its cost for one parent.
type prober struct {
	schema   graphql.ExecutableSchema
	costs    Costs
	ids      []string
	resolved map[string]bool // the fields with resolvers, as Type.field
	paths    map[string]way  // by type
}

// way is the last field of a shortest path to a type. Root types have none.
type way struct {
	object string
	field  *ast.FieldDefinition
}

func pathsOf(schema *ast.Schema) map[string]way {
	paths := map[string]way{}
	var queue []*ast.Definition
	for _, root := range []*ast.Definition{schema.Query, schema.Mutation, schema.Subscription} {
		if root != nil {
			paths[root.Name], queue = way{}, append(queue, root)
		}
	}
	for len(queue) > 0 {
		object := queue[0]
		queue = queue[1:]
		for _, field := range object.Fields {
			for _, typ := range schema.GetPossibleTypes(schema.Types[field.Type.Name()]) {
				if _, known := paths[typ.Name]; !known && typ.Kind == ast.Object {
					paths[typ.Name], queue = way{object.Name, field}, append(queue, typ)
				}
			}
		}
	}
	return paths
}

func (p *prober) definition(name string) *ast.FieldDefinition {
	object, field, _ := strings.Cut(name, ".")
	return p.schema.Schema().Types[object].Fields.ForName(field)
}

func (p *prober) ctx() context.Context {
	return auth.WithViewer(context.Background(), auth.Viewer{Username: "viewer"})
}

func isText(a *ast.ArgumentDefinition) bool {
	return a.Type.NamedType == "String" && !a.Type.NonNull && a.Name != "after" && a.Name != "before"
}

// document returns an operation that selects a field with its required arguments, and the optional
// argument that the parameter text names, if any. With size, such as first:20, it passes size and a
// cursor.
func (p *prober) document(name, size, text, id, omittedType string) (*ast.QueryDocument, map[string]any, error) {
	object, _, _ := strings.Cut(name, ".")
	o := operation{prober: p, schema: p.schema.Schema(), values: map[string]any{}, id: id, omittedType: omittedType}
	call := o.call(p.definition(name), size, text) + o.selection(p.definition(name).Type.Name(), "")
	for p.paths[object].field != nil {
		above := p.paths[object]
		call = o.call(above.field, "", "") + "{...on " + object + "{" + call + "}}"
		object = above.object
	}
	kind := "query"
	if object != o.schema.Query.Name {
		kind = strings.ToLower(object)
	}
	if o.definitions != nil {
		kind += "(" + strings.Join(o.definitions, " ") + ")"
	}
	doc, errs := gqlparser.LoadQueryWithRules(o.schema, kind+"{"+call+"}", rules.NewDefaultRules())
	if errs != nil {
		return nil, nil, errs
	}
	return doc, o.values, nil
}

type operation struct {
	*prober
	schema      *ast.Schema
	definitions []string
	values      map[string]any
	id          string
	omittedType string
}

func (o *operation) call(field *ast.FieldDefinition, size, text string) string {
	var arguments []string
	if size != "" {
		arguments = append(arguments, size)
	}
	cursor := map[bool]string{true: "after", false: "before"}[strings.HasPrefix(size, "first")]
	for _, a := range field.Arguments {
		if a.Type.NonNull || size != "" && a.Name == cursor || a.Name == text {
			variable := "$v" + string(rune('a'+len(o.definitions)))
			o.definitions = append(o.definitions, variable+":"+a.Type.String())
			o.values[variable[1:]] = o.value(a.Type)
			arguments = append(arguments, a.Name+":"+variable)
		}
	}
	if arguments == nil {
		return field.Name
	}
	return field.Name + "(" + strings.Join(arguments, ",") + ")"
}

// selection selects all fields without resolvers. prefix makes the aliases of different types
// distinct.
func (o *operation) selection(typ, prefix string) string {
	def := o.schema.Types[typ]
	if !def.IsCompositeType() {
		return ""
	}
	text := "{__typename"
	if def.IsAbstractType() {
		for _, possible := range o.schema.GetPossibleTypes(def) {
			text += " ...on " + possible.Name + o.selection(possible.Name, possible.Name+"_")
		}
		return text + "}"
	}
	for _, field := range def.Fields {
		below := field.Type.Name()
		if !o.resolved[typ+"."+field.Name] && below != o.schema.Query.Name && below != o.omittedType && !strings.HasPrefix(field.Name, "__") {
			text += " " + prefix + field.Name + ":" + field.Name + o.selection(below, "")
		}
	}
	return text + "}"
}

func (o *operation) value(typ *ast.Type) any {
	if typ.Elem != nil {
		return slices.Repeat([]any{o.value(typ.Elem)}, relay.MaxPage)
	}
	switch def := o.schema.Types[typ.NamedType]; {
	case def.Kind == ast.Enum:
		return def.EnumValues[0].Name
	case def.Kind == ast.InputObject:
		object := map[string]any{}
		for i, field := range def.Fields {
			if field.Type.NonNull || i == 0 && def.Directives.ForName("oneOf") != nil {
				object[field.Name] = o.value(field.Type)
			}
		}
		return object
	}
	switch typ.NamedType {
	case "ID":
		return o.id
	case "Int":
		return 1
	case "Boolean":
		return true
	case "Date":
		return "1970-01-01"
	}
	return "x"
}
