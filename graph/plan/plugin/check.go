package plugin

import (
	"errors"
	"fmt"
	"go/types"
	"maps"
	"slices"

	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/vektah/gqlparser/v2/ast"
)

const (
	askResolver = "give it a resolver: {resolver: true} in gqlgen.yml"
	askDirect   = "let the resolver check that or, if nothing is to run, say skip_runtime: true in gqlgen.yml"
)

// check refuses what the plan would execute otherwise than gqlgen does, and what it can't execute. The error lists all of that.
func (p Plugin) check(data *codegen.Data) error {
	var errs []error
	refuse := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if data.Config.UseFunctionSyntaxForExecutionContext {
		refuse("use_function_syntax_for_execution_context: the generated code calls methods")
	}
	for _, name := range slices.Sorted(maps.Keys(data.AllDirectives)) {
		d := data.AllDirectives[name]
		if !d.SkipRuntime && d.IsLocation(ast.LocationField, ast.LocationQuery, ast.LocationMutation, ast.LocationSubscription) {
			refuse("@%s is for operations or their fields, and would not be run: %s", name, askDirect)
		}
	}
	for _, input := range data.Inputs {
		for _, d := range input.InputObjectDirectives() {
			refuse("%s: @%s would not be run: %s", input.Name, d.Name, askDirect)
		}
		for _, f := range input.Fields {
			for _, d := range f.ImplDirectives() {
				refuse("%s.%s: what @%s makes of a literal would be kept for others: %s", input.Name, f.Name, d.Name, askDirect)
			}
		}
	}
	bound := map[string]string{}
	for _, o := range data.Objects {
		if why := object(o); why != "" {
			refuse("%s: %s", o.Name, why)
			continue
		}
		if len(o.Implements) > 0 {
			if other := bound[o.Type.String()]; other != "" {
				refuse("%s and %s are both bound to %s, by which interfaces and unions tell them apart: bind one to a type of its own", other, o.Name, o.Type)
			}
			bound[o.Type.String()] = o.Name
		}
		for _, f := range o.Fields {
			for _, why := range p.field(f) {
				refuse("%s.%s: %s", o.Name, f.Name, why)
			}
		}
	}
	return errors.Join(errs...)
}

// object says why no code can be generated for an object type, if it can't.
func object(o *codegen.Object) string {
	switch {
	case o.Root && len(o.Implements) > 0:
		return "a root type is in an interface or union, and has no objects"
	case !o.Root && !o.IsReserved() && config.IsNilable(o.Type):
		return fmt.Sprintf("is bound to %s: bind it to a struct", o.Type)
	}
	return ""
}

// field says why no code can be generated for a field, if it can't.
func (p Plugin) field(f *codegen.Field) (why []string) {
	refuse := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	for _, d := range f.ImplDirectives() {
		refuse("@%s would not be run: %s", d.Name, askDirect)
	}
	for _, a := range f.Args {
		for _, d := range a.ImplDirectives() {
			refuse("what @%s makes of a literal of the argument %s would be kept for others: %s", d.Name, a.Name, askDirect)
		}
	}
	switch {
	case f.IsResolver:
		if codegen.GetInlineArgsMetadata(f.Object.Name, f.Name) != nil {
			refuse("@inlineArguments can't be called: take the arguments one by one")
		}
		if f.UsesSubscriptionContext() {
			refuse("events can't bring a ctx: each has that of its response")
		}
	case f.IsReserved():
	case f.MethodHasContext:
		refuse("its method takes a ctx, and would be called with none: %s", askResolver)
	case f.HasHaser, f.VOkFunc:
		refuse("its bool result is not understood: %s", askResolver)
	case f.TypeReference.Definition.IsLeafType():
		if len(f.Args) > 0 {
			refuse("a leaf without a resolver gets no arguments: %s", askResolver)
		}
	case f.IsMethod() && !f.NoErr:
		refuse("an error of its method would be that of all objects: %s", askResolver)
	case !f.Object.Root && slices.Contains(p.Lazy, packageOf(f.Object.Type)):
		refuse("its object may not be loaded when this field is followed: %s, and let that wait for the object", askResolver)
	}
	if !f.TypeReference.Definition.IsLeafType() {
		if shape := shape(f); shape != "" {
			refuse("%s", shape)
		}
	}
	return why
}

// shape says why what a field leads to can't be gathered, if it can't.
func shape(f *codegen.Field) string {
	t := f.TypeReference
	goType := t.GO
	if t.IsRoot {
		return "leads to a root type, which has no objects"
	}
	list := t.GQL.Elem != nil
	if list {
		if t.GQL.Elem.Elem != nil {
			return "a list of lists of objects can't be followed"
		}
		slice, ok := goType.(*types.Slice)
		if !ok {
			return fmt.Sprintf("a list that is a %s can't be followed: make it a slice", goType)
		}
		goType = slice.Elem()
	}
	switch u := goType.Underlying().(type) {
	case *types.Interface:
		return ""
	case *types.Struct:
		if list || !f.IsResolver {
			return ""
		}
	case *types.Pointer:
		switch u.Elem().Underlying().(type) {
		case *types.Pointer, *types.Interface, *types.Slice, *types.Map:
		default:
			return ""
		}
	}
	return fmt.Sprintf("objects that are a %s can't be followed: make them pointers to structs", goType)
}

func packageOf(t types.Type) string {
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil {
		return named.Obj().Pkg().Path()
	}
	return ""
}
