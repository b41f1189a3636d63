package resolvers

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"twibase/graph/exec"
)

// selection is what a query selects of something, fragments resolved and directives heeded.
type selection []graphql.CollectedField

// selected returns what is selected of the field that is being resolved, whose answer is of that type.
func selected(ctx context.Context, typ string) selection {
	return collect(ctx, graphql.GetFieldContext(ctx).Field, typ)
}

func collect(ctx context.Context, field graphql.CollectedField, typ string) selection {
	return graphql.CollectFields(graphql.GetOperationContext(ctx), field.Selections, conditions[typ])
}

// conditions are the type conditions that hold for each object type: its own name and those of its interfaces and unions.
var conditions = func() map[string][]string {
	schema, conditions := exec.NewExecutableSchema(exec.Config{}).Schema(), map[string][]string{}
	for name := range schema.Types {
		conditions[name] = []string{name}
		for _, abstract := range schema.Implements[name] {
			conditions[name] = append(conditions[name], abstract.Name)
		}
	}
	return conditions
}()

// below returns what is selected of the fields of that name, under whatever aliases, that are of that type.
func (s selection) below(ctx context.Context, name, typ string) selection {
	var all selection
	for _, f := range s {
		if f.Name == name {
			all = append(all, collect(ctx, f, typ)...)
		}
	}
	return all
}

// names lists the selected fields.
func (s selection) names() []string {
	list := make([]string, len(s))
	for i, f := range s {
		list[i] = f.Name
	}
	return list
}

func (s selection) has(name string) bool {
	for _, f := range s {
		if f.Name == name {
			return true
		}
	}
	return false
}

// wants is what a query wants of a connection.
type wants struct {
	parts
	entries, total bool
	fields         []string // of the nodes
	noun           string
	selection      selection
}

// parts are those parts of a connection that are made only for who selects them.
type parts struct{ edges, info bool }

// wanted returns what is selected of the connection that is being resolved, whose nodes are of that noun.
func wanted(ctx context.Context, noun string) wants {
	s := selected(ctx, noun+"Connection")
	w := wants{noun: noun, selection: s, total: s.has("totalCount"), parts: parts{s.has("edges"), s.has("pageInfo")}}
	w.entries = s.has("nodes") || w.edges || w.info
	w.fields = append(s.below(ctx, "nodes", noun), s.below(ctx, "edges", noun+"Edge").below(ctx, "node", noun)...).names()
	return w
}

// fail adds an error at every place at which the query selects the node of an entry, whose list is that of a parent.
func (w wants) fail(ctx context.Context, parent, entry int, err error) {
	connection := parentPath(ctx, parent)
	for _, f := range w.selection {
		switch f.Name {
		case "nodes":
			addError(ctx, f, append(slices.Clone(connection), ast.PathName(f.Alias), ast.PathIndex(entry)), err)
		case "edges":
			for _, node := range collect(ctx, f, w.noun+"Edge") {
				if node.Name == "node" {
					addError(ctx, node, append(slices.Clone(connection), ast.PathName(f.Alias), ast.PathIndex(entry), ast.PathName(node.Alias)), err)
				}
			}
		}
	}
}

// parentPath returns the path of the field that is being resolved, as it is below one of its parents.
func parentPath(ctx context.Context, parent int) ast.Path {
	group := graphql.GetBatchParentGroup(ctx, graphql.GetFieldContext(ctx).Object)
	if group == nil {
		return graphql.GetPath(ctx)
	}
	for element, index := range group.IndexMap {
		if index == parent {
			return graphql.BatchPathWithIndex(ctx, element)
		}
	}
	return graphql.BatchPathWithIndex(ctx, parent)
}

// addError adds an error at the path of a field that is not the one being resolved.
func addError(ctx context.Context, field graphql.CollectedField, path ast.Path, err error) {
	root := &graphql.FieldContext{}
	ctx = graphql.WithFieldContext(ctx, root)
	root.Parent = nil // the path begins anew
	for _, element := range path {
		switch element := element.(type) {
		case ast.PathName:
			ctx = graphql.WithPathContext(ctx, graphql.NewPathWithField(string(element)))
		case ast.PathIndex:
			ctx = graphql.WithPathContext(ctx, graphql.NewPathWithIndex(int(element)))
		}
	}
	located := &gqlerror.Error{Err: err, Message: err.Error()}
	if field.Position != nil {
		located.Locations = []gqlerror.Location{{Line: field.Position.Line, Column: field.Position.Column}}
	}
	graphql.AddError(ctx, located)
}
