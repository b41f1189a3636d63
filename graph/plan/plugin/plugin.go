// Package plugin generates the code that package plan calls, as a plugin of gqlgen.
package plugin

import (
	"cmp"
	_ "embed"
	"fmt"
	"go/types"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/templates"
)

//go:embed plan.gotpl
var template string

// Plugin is a plugin of gqlgen. For every field of every object it writes how the executor gets the value and appends it: without
// reflection, with the types, arguments and resolvers that gqlgen binds. Generation fails, by name, for what the plan would execute
// otherwise than gqlgen does.
type Plugin struct {
	// Plan is the import path of package plan; by default it is the path in the plan's own module.
	Plan string
	// Lazy are the import paths of packages whose objects resolvers return before they are loaded. A field of such an object
	// that leads to further objects needs a resolver, which waits for the object.
	Lazy []string
}

// Name implements gqlgen's plugin.Plugin.
func (Plugin) Name() string { return "plan" }

// GenerateCode implements gqlgen's plugin.CodeGenerator.
func (p Plugin) GenerateCode(data *codegen.Data) error {
	if err := p.check(data); err != nil {
		return err
	}
	return templates.Render(templates.Options{
		PackageName:     data.Config.Exec.Package,
		Filename:        filepath.Join(data.Config.Exec.Dir(), "plan.generated.go"),
		Data:            &build{data, cmp.Or(p.Plan, "twibase/graph/plan")},
		GeneratedHeader: true,
		Packages:        data.Config.Packages,
		Template:        template,
		PruneOptions:    data.Config.GetPruneOptions(),
	})
}

// build is the data of the template.
type build struct {
	*codegen.Data
	Plan string // the import path of package plan
}

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

// Field returns the composite literal of a plan.Field.
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
				fmt.Fprintf(&w, ", Elems: func(value any, to *%s.Gathered) {\nlist := value.(%s)\n%s}", b.plan(), ref(t.GO), elems(t.GO))
			}
		}
	}
	if len(f.Args) > 0 {
		fmt.Fprintf(&w, ",\nArgs: func(ctx context.Context, exec any, raw map[string]any) (map[string]any, error) { return exec.(*executionContext).%s(ctx, raw) }",
			f.ArgsFunc())
	}
	switch {
	case f.Object.Stream:
		fmt.Fprintf(&w, ",\nStream: func(ctx context.Context, exec any, args map[string]any) (%s.Source, error) {\n%s}", b.plan(), b.stream(f))
	case f.IsResolver && !f.Object.Root && !f.Batch:
		fmt.Fprintf(&w, ",\nResolve: func(ctx context.Context, exec, object any, args map[string]any) (any, error) {\n%s}", b.one(f))
	case f.IsResolver:
		fmt.Fprintf(&w, ",\nCall: func(ctx context.Context, exec any, parents []any, args map[string]any, dst []any) ([]any, error) {\n%s}", b.call(f))
	case leaf:
		fmt.Fprintf(&w, ",\nLeaf: func(ctx context.Context, exec any, dst []byte, object any) ([]byte, bool) {\n%s%s}", leafValue(f), b.appendLeaf(t))
	default:
		fmt.Fprintf(&w, ",\nGather: func(exec any, parents []any, args map[string]any, to *%s.Gathered) error {\n%sreturn nil\n}", b.plan(), b.gather(f))
	}
	if leaf && b.addsErrors(f) {
		w.WriteString(", AddsErrors: true")
	}
	if leaf && f.IsResolver {
		fmt.Fprintf(&w, ",\nAppend: func(ctx context.Context, exec any, dst []byte, value any) ([]byte, bool) {\nv := value.(%s)\n%s}", ref(t.GO), b.appendLeaf(t))
	}
	w.WriteString("}")
	return w.String()
}

func ref(t types.Type) string { return templates.CurrentImports.LookupType(t) }

// plan returns the name by which generated code refers to package plan.
func (b *build) plan() string { return templates.CurrentImports.Lookup(b.Plan) }

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
func (b *build) gather(f *codegen.Field) string {
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

// one returns the body that calls a resolver of one parent.
func (b *build) one(f *codegen.Field) string {
	args := append([]string{"ctx", fmt.Sprintf("object.(*%s)", ref(f.Object.Type))}, arguments(f)...)
	return fmt.Sprintf("value, err := %s\nvalues, err := %s(nil, []%s{value}, err)\nreturn values[0], err\n",
		resolver(f, args), b.kind(f), ref(f.TypeReference.GO))
}

// call returns the body that calls a resolver of the root, or of all parents.
func (b *build) call(f *codegen.Field) string {
	args := append([]string{"ctx"}, arguments(f)...)
	prepare, values := "", "values"
	if f.Object.Root {
		values = "[]" + ref(f.TypeReference.GO) + "{values}"
	} else {
		prepare = fmt.Sprintf("objects := make([]*%s, len(parents))\nfor i, p := range parents {\nobjects[i] = p.(*%s)\n}\n", ref(f.Object.Type), ref(f.Object.Type))
		args = append([]string{"ctx", "objects"}, arguments(f)...)
	}
	return fmt.Sprintf("%svalues, err := %s\nreturn %s(dst, %s, err)\n", prepare, resolver(f, args), b.kind(f), values)
}

// stream returns the body that calls the resolver of a subscription.
func (b *build) stream(f *codegen.Field) string {
	called := resolver(f, append([]string{"ctx"}, arguments(f)...))
	return fmt.Sprintf("events, err := %s\nreturn %s.Stream(events, err, %s)\n", called, b.plan(), b.kind(f))
}

// resolver returns the expression that calls a resolver.
func resolver(f *codegen.Field, args []string) string {
	return fmt.Sprintf("exec.(*executionContext).Resolvers.%s().%s(%s)", templates.UcFirst(f.Object.Name), f.GoFieldName, strings.Join(args, ", "))
}

// kind names the function that takes what a field's resolver returned.
func (b *build) kind(f *codegen.Field) string {
	name := "Values"
	switch f.TypeReference.GO.(type) {
	case *types.Pointer:
		name = "Pointers"
	case *types.Slice:
		if !f.TypeReference.GQL.NonNull {
			name = "Slices"
		}
	}
	return b.plan() + "." + name
}

// elems returns the loop that adds the objects of a list.
func elems(list types.Type) string {
	if _, ok := list.(*types.Slice).Elem().Underlying().(*types.Struct); ok {
		return "for i := range list {\nto.Objects = append(to.Objects, &list[i])\n}\n"
	}
	return "for _, e := range list {\n" + addOne("e") + "}\n"
}
