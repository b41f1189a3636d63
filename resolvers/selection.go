package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
)

// selection is what a query selects of something, fragments resolved and directives heeded.
type selection []graphql.CollectedField

// selected returns what is selected of the field that is being resolved, whose answer is of that type.
func selected(ctx context.Context, typ string) selection {
	return collect(ctx, graphql.GetFieldContext(ctx).Field, typ)
}

func collect(ctx context.Context, field graphql.CollectedField, typ string) selection {
	// Node is the only interface; for types that are none of its own it matches no fragment that could be there.
	return graphql.CollectFields(graphql.GetOperationContext(ctx), field.Selections, []string{typ, "Node"})
}

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
	entries, total bool
	fields         []string // of the nodes
}

// wanted returns what is selected of the connection that is being resolved, whose nodes are of that noun.
func wanted(ctx context.Context, noun string) wants {
	s := selected(ctx, noun+"Connection")
	w := wants{total: s.has("totalCount")}
	w.entries = s.has("nodes") || s.has("edges") || s.has("pageInfo")
	w.fields = append(s.below(ctx, "nodes", noun), s.below(ctx, "edges", noun+"Edge").below(ctx, "node", noun)...).names()
	return w
}
