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

// Plugin generates a plan.Field for each field. It fails if the plan does not support the schema or
// the configuration.
type Plugin struct {
	// Plan is the import path of package plan. The default is twibase's.
	Plan string
	// Lazy are the import paths of packages with lazy objects. A composite field of a lazy object
	// needs a resolver, which must wait for the object if it reads more than the key.
	Lazy []string
}

func (Plugin) Name() string { return "plan" }

// GenerateCode writes plan.generated.go.
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

type build struct {
	*codegen.Data
	Plan string
}

// AbstractMembers are the object types of interfaces and unions.
func (b *build) AbstractMembers() []*codegen.Object {
	var list []*codegen.Object
	for _, o := range b.Objects {
		if len(o.Implements) > 0 {
			list = append(list, o)
		}
	}
	return list
}

func (b *build) Satisfies(o *codegen.Object) string {
	names := []string{strconv.Quote(o.Name)}
	for _, i := range o.Implements {
		names = append(names, strconv.Quote(i.Name))
	}
	return strings.Join(names, ", ")
}

// Value returns a Go expression for the value of a field. object is the expression of its parent.
func (b *build) Value(f *codegen.Field, object string) string {
	receiver := "exec.(*executionContext)"
	if f.GoReceiverName != "ec" { // introspection fields are methods of the execution context
		receiver = object + ".(*" + ref(f.Object.Type) + ")"
	}
	if f.IsVariable() {
		return receiver + "." + f.GoFieldName
	}
	return receiver + "." + f.GoFieldName + "(" + b.Arguments(f) + ")"
}

func (b *build) Arguments(f *codegen.Field) string {
	var list strings.Builder
	for _, a := range f.Args {
		fmt.Fprintf(&list, "args[%q]", a.Name)
		// An assertion to the type any would panic for nil.
		if i, ok := a.TypeReference.GO.Underlying().(*types.Interface); !ok || !i.Empty() {
			fmt.Fprintf(&list, ".(%s)", ref(a.TypeReference.GO))
		}
		list.WriteString(", ")
	}
	return list.String()
}

func (b *build) Resolver(f *codegen.Field) string {
	return fmt.Sprintf("exec.(*executionContext).Resolvers.%s().%s", templates.UcFirst(f.Object.Name), f.GoFieldName)
}

// Values names the function of package plan for a resolver's result.
func (b *build) Values(f *codegen.Field) string {
	switch f.TypeReference.GO.(type) {
	case *types.Pointer:
		return b.plan() + ".Pointers"
	case *types.Slice:
		if !f.TypeReference.GQL.NonNull {
			return b.plan() + ".Slices"
		}
	}
	return b.plan() + ".Values"
}

func (b *build) IsStruct(f *codegen.Field) bool {
	t := f.TypeReference.GO
	if f.TypeReference.GQL.Elem != nil {
		t = t.(*types.Slice).Elem()
	}
	_, is := t.Underlying().(*types.Struct)
	return is
}

func ref(t types.Type) string { return templates.CurrentImports.LookupType(t) }

func (b *build) plan() string { return templates.CurrentImports.Lookup(b.Plan) }
