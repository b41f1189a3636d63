package main

import (
	_ "embed"
	"fmt"
	"go/types"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/templates"
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/schema"
)

//go:embed glue.gotpl
var template string

// glue is a plugin of gqlgen. For every field of every object it writes how the executor gets the value and appends it: without
// reflection, and with the very types, arguments and resolvers that gqlgen binds.
type glue struct{}

// Name implements gqlgen's plugin.Plugin.
func (glue) Name() string { return "plan" }

// MutateSchema implements gqlgen's plugin.SchemaMutator.
func (glue) MutateSchema(parsed *ast.Schema) error {
	schema.Conform(parsed)
	return nil
}

// GenerateCode implements gqlgen's plugin.CodeGenerator.
func (glue) GenerateCode(data *codegen.Data) error {
	if err := check(data); err != nil {
		return err
	}
	build := &build{data}
	return templates.Render(templates.Options{
		PackageName:     data.Config.Exec.Package,
		Filename:        filepath.Join(data.Config.Exec.DirName, "plan.generated.go"),
		Data:            build,
		GeneratedHeader: true,
		Packages:        data.Config.Packages,
		Template:        template,
		PruneOptions:    data.Config.GetPruneOptions(),
	})
}

// build is what the template sees.
type build struct{ *codegen.Data }

// Concrete lists the object types that an interface or union can be, which are those that may have to be told apart.
func (b *build) Concrete() []*codegen.Object {
	var list []*codegen.Object
	for _, o := range b.Objects {
		if len(o.Implements) > 0 {
			list = append(list, o)
		}
	}
	return list
}

// Satisfies lists the type conditions that hold for an object.
func (b *build) Satisfies(o *codegen.Object) string {
	names := []string{strconv.Quote(o.Name)}
	for _, i := range o.Implements {
		names = append(names, strconv.Quote(i.Name))
	}
	return strings.Join(names, ", ")
}

// Field returns the composite literal of a field's glue.
func (b *build) Field(f *codegen.Field) string {
	t := f.TypeReference
	var w strings.Builder
	fmt.Fprintf(&w, "{Name: %q, Object: %q, NonNull: %t", f.Name, f.Object.Name, t.GQL.NonNull)
	leaf := t.Definition.IsLeafType()
	if !leaf {
		fmt.Fprintf(&w, ", To: %q", t.Definition.Name)
		if t.GQL.Elem != nil {
			fmt.Fprintf(&w, ", List: true, ElemNonNull: %t", t.GQL.Elem.NonNull)
			if f.IsResolver {
				fmt.Fprintf(&w, ", Elems: func(value any, to *%s.Gathered) {\nlist := value.(%s)\n%s}", planPackage(), ref(t.GO), elems(t.GO))
			}
		}
	}
	if len(f.Args) > 0 {
		fmt.Fprintf(&w, ",\nArgs: func(ctx context.Context, exec any, raw map[string]any) (map[string]any, error) { return exec.(*executionContext).%s(ctx, raw) }",
			f.ArgsFunc())
	}
	switch {
	case f.Object.Stream:
		fmt.Fprintf(&w, ",\nStream: func(ctx context.Context, exec any, args map[string]any) (%s.Source, error) {\n%s}", planPackage(), stream(f))
	case f.IsResolver:
		fmt.Fprintf(&w, ",\nCall: func(ctx context.Context, exec any, parents []any, args map[string]any, dst []any) ([]any, error) {\n%s}", call(f))
	case leaf:
		fmt.Fprintf(&w, ",\nLeaf: func(ctx context.Context, exec any, dst []byte, object any) ([]byte, bool) {\n%s%s}", leafValue(f), appendLeaf(t))
	default:
		fmt.Fprintf(&w, ",\nGather: func(exec any, parents []any, args map[string]any, to *%s.Gathered) error {\n%sreturn nil\n}", planPackage(), gather(f))
	}
	if leaf && tells(f) {
		w.WriteString(", Tells: true")
	}
	if leaf && f.IsResolver {
		fmt.Fprintf(&w, ",\nAppend: func(ctx context.Context, exec any, dst []byte, value any) ([]byte, bool) {\nv := value.(%s)\n%s}", ref(t.GO), appendLeaf(t))
	}
	w.WriteString("}")
	return w.String()
}

func ref(t types.Type) string { return templates.CurrentImports.LookupType(t) }

func planPackage() string { return templates.CurrentImports.Lookup("twibase/graph/plan") }

// value returns the expression of a field of an object that needs no resolver.
func value(f *codegen.Field, object string) string {
	receiver := "exec.(*executionContext)"
	if f.GoReceiverName != "ec" {
		receiver = object + ".(*" + ref(f.Object.Type) + ")"
	}
	if f.IsVariable() {
		return receiver + "." + f.GoFieldName
	}
	return receiver + "." + f.GoFieldName + "(" + strings.Join(arguments(f), ", ") + ")"
}

func arguments(f *codegen.Field) []string {
	var list []string
	for _, a := range f.Args {
		arg := fmt.Sprintf("args[%q]", a.Name)
		if i, ok := a.TypeReference.GO.Underlying().(*types.Interface); !ok || !i.Empty() { // which nil is, too
			arg += ".(" + ref(a.TypeReference.GO) + ")"
		}
		list = append(list, arg)
	}
	return list
}

// gather returns the body that gathers what a field leads to without a resolver.
func gather(f *codegen.Field) string {
	t := f.TypeReference
	var w strings.Builder
	if t.GQL.Elem != nil && f.IsVariable() {
		fmt.Fprintf(&w, "n := 0\nfor _, p := range parents {\nn += len(%s)\n}\nto.Room(len(parents), n)\n", value(f, "p"))
	}
	if f.GoReceiverName == "ec" {
		w.WriteString("for range parents {\n")
	} else {
		w.WriteString("for _, p := range parents {\n")
	}
	name := "object"
	if t.GQL.Elem != nil {
		name = "list"
	}
	if f.IsMethod() && !f.NoErr {
		fmt.Fprintf(&w, "%s, err := %s\nif err != nil {\nreturn err\n}\n", name, value(f, "p"))
	} else {
		fmt.Fprintf(&w, "%s := %s\n", name, value(f, "p"))
	}
	_, structure := t.GO.Underlying().(*types.Struct)
	switch {
	case t.GQL.Elem != nil && t.GQL.NonNull:
		w.WriteString(elems(t.GO) + "to.End()\n")
	case t.GQL.Elem != nil:
		w.WriteString("if list == nil {\nto.Null()\ncontinue\n}\n" + elems(t.GO) + "to.End()\n")
	case structure:
		w.WriteString("to.Objects = append(to.Objects, &object)\n")
	default:
		w.WriteString(addOne("object"))
	}
	w.WriteString("}\n")
	return w.String()
}

// addOne adds an object that may be a typed nil.
func addOne(object string) string {
	return fmt.Sprintf("if %s == nil {\nto.Objects = append(to.Objects, nil)\n} else {\nto.Objects = append(to.Objects, %s)\n}\n", object, object)
}

// call returns the body that calls a resolver.
func call(f *codegen.Field) string {
	args := append([]string{"ctx"}, arguments(f)...)
	prepare, values := "", "values"
	if f.Object.Root {
		values = "[]" + ref(f.TypeReference.GO) + "{values}"
	} else {
		prepare = fmt.Sprintf("objects := make([]*%s, len(parents))\nfor i, p := range parents {\nobjects[i] = p.(*%s)\n}\n", ref(f.Object.Type), ref(f.Object.Type))
		args = append([]string{"ctx", "objects"}, arguments(f)...)
	}
	return fmt.Sprintf("%svalues, err := %s\nreturn %s(dst, %s, err)\n", prepare, resolver(f, args), kind(f), values)
}

// stream returns the body that calls the resolver of a subscription.
func stream(f *codegen.Field) string {
	called := resolver(f, append([]string{"ctx"}, arguments(f)...))
	return fmt.Sprintf("events, err := %s\nreturn %s.Stream(events, err, %s)\n", called, planPackage(), kind(f))
}

// resolver returns the expression that calls a resolver.
func resolver(f *codegen.Field, args []string) string {
	return fmt.Sprintf("exec.(*executionContext).Resolvers.%s().%s(%s)", templates.UcFirst(f.Object.Name), f.GoFieldName, strings.Join(args, ", "))
}

// kind names the function that takes what a field's resolver returned.
func kind(f *codegen.Field) string {
	name := "Values"
	switch f.TypeReference.GO.(type) {
	case *types.Pointer:
		name = "Pointers"
	case *types.Slice:
		if !f.TypeReference.GQL.NonNull {
			name = "Slices"
		}
	}
	return planPackage() + "." + name
}

// elems returns the loop that adds the objects of a list.
func elems(list types.Type) string {
	if _, ok := list.(*types.Slice).Elem().Underlying().(*types.Struct); ok {
		return "for i := range list {\nto.Objects = append(to.Objects, &list[i])\n}\n"
	}
	return "for _, e := range list {\n" + addOne("e") + "}\n"
}
