package main

import (
	_ "embed"
	"path/filepath"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/templates"
)

//go:embed resolvers.gotpl
var resolversTemplate string

// resolvers replaces gqlgen's plugin resolvergen. It generates a map of all field variables, and
// the methods of package resolvers that call them, except for subscriptions.
type resolvers struct{}

func (resolvers) Name() string { return "resolvergen" }

func (resolvers) GenerateCode(data *codegen.Data) error {
	return templates.Render(templates.Options{
		PackageName:     data.Config.Resolver.Package,
		Filename:        filepath.Join(data.Config.Resolver.Dir(), "fields.generated.go"),
		Data:            resolversData{data},
		GeneratedHeader: true,
		Packages:        data.Config.Packages,
		Template:        resolversTemplate,
		PruneOptions:    data.Config.GetPruneOptions(),
	})
}

type resolversData struct{ *codegen.Data }

func (resolversData) Variable(f *codegen.Field) string {
	return templates.LcFirst(f.Object.Name) + templates.UcFirst(f.Name)
}

// Results returns the Go names of the payload fields that a mutation's field variable sets.
func (d resolversData) Results(mutation *codegen.Field) (list []string) {
	for _, f := range d.Objects.ByName(mutation.TypeReference.Definition.Name).Fields {
		if !f.IsResolver && !slices.Contains([]string{"query", "userErrors", "clientMutationId"}, f.Name) {
			list = append(list, f.GoFieldName)
		}
	}
	return list
}

func (resolversData) Declaration(f *codegen.Field) string {
	if f.Object.Root {
		return f.ShortResolverDeclaration()
	}
	return f.ShortBatchResolverDeclaration()
}

// Arguments returns the arguments that a method passes to its field variable. The four of a
// connection become one.
func (resolversData) Arguments(f *codegen.Field) string {
	list := []string{"ctx"}
	if !f.Object.Root {
		list = append(list, "objs")
	}
	var page []string
	for _, a := range f.Args {
		if slices.Contains([]string{"first", "after", "last", "before"}, a.Name) {
			page = append(page, a.VarName)
		} else {
			list = append(list, a.VarName)
		}
	}
	if page != nil {
		list = append(list, "pageArgs{"+strings.Join(page, ", ")+"}")
	}
	return strings.Join(list, ", ")
}

// Noun returns Xxx for XxxConnection, else nothing.
func (resolversData) Noun(o *codegen.Object) string {
	noun, _ := strings.CutSuffix(o.Name, "Connection")
	if noun == o.Name {
		return ""
	}
	return noun
}
