package resolvers

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"twibase/graph/exec"
)

// A selection is a list of fields, after fragments, @skip and @include have been applied.
type selection []graphql.CollectedField

// selected returns the selection of the current field, which must have an object type.
func selected(ctx context.Context) selection {
	field := graphql.GetFieldContext(ctx).Field
	return collect(ctx, field, field.Definition.Type.Name())
}

func selectedOf(ctx context.Context, typ string) selection {
	return collect(ctx, graphql.GetFieldContext(ctx).Field, typ)
}

func collect(ctx context.Context, field graphql.CollectedField, typ string) selection {
	return graphql.CollectFields(graphql.GetOperationContext(ctx), field.Selections, typeConditions[typ])
}

var typeConditions = func() map[string][]string {
	schema, typeConditions := exec.NewExecutableSchema(exec.Config{}).Schema(), map[string][]string{}
	for name := range schema.Types {
		typeConditions[name] = []string{name}
		for _, abstract := range schema.Implements[name] {
			typeConditions[name] = append(typeConditions[name], abstract.Name)
		}
	}
	return typeConditions
}()

func (s selection) below(ctx context.Context, name string) selection {
	var all selection
	for _, f := range s {
		if f.Name == name {
			all = append(all, collect(ctx, f, f.Definition.Type.Name())...)
		}
	}
	return all
}

func (s selection) names() []string {
	list := make([]string, len(s))
	for i, f := range s {
		list[i] = f.Name
	}
	return list
}

func (s selection) has(name string) bool {
	return slices.ContainsFunc(s, func(f graphql.CollectedField) bool { return f.Name == name })
}

type connectionSelection struct {
	edges, info, total bool
	entries            bool // the list must be read
	node               []string
}

func selectedConnection(ctx context.Context) connectionSelection {
	s := selected(ctx)
	c := connectionSelection{edges: s.has("edges"), info: s.has("pageInfo"), total: s.has("totalCount")}
	c.entries = s.has("nodes") || c.edges || c.info
	c.node = append(s.below(ctx, "nodes"), s.below(ctx, "edges").below(ctx, "node")...).names()
	return c
}
