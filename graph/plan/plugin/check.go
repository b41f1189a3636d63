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
	askMove     = "move the directive's code to the resolver or, if it has no code, set skip_runtime: true in gqlgen.yml"
)

// check returns an error for each place that the plan does not support: see README.md.
func (p Plugin) check(data *codegen.Data) error {
	var errs []error
	reject := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if data.Config.UseFunctionSyntaxForExecutionContext {
		reject("use_function_syntax_for_execution_context is not supported, because the generated code calls methods of " +
			"the execution context: remove it from gqlgen.yml")
	}
	for _, name := range slices.Sorted(maps.Keys(data.AllDirectives)) {
		d := data.AllDirectives[name]
		ofOperations := d.IsLocation(ast.LocationField, ast.LocationQuery, ast.LocationMutation, ast.LocationSubscription)
		if !d.SkipRuntime && ofOperations {
			reject("@%s is a directive of operations or fields, and would not be run: %s", name, askMove)
		}
	}
	for _, input := range data.Inputs {
		for _, d := range input.InputObjectDirectives() {
			reject("%s: @%s would not be run: %s", input.Name, d.Name, askMove)
		}
		for _, f := range input.Fields {
			for _, d := range f.ImplDirectives() {
				reject("%s.%s: @%s would run once for all requests with the same literal: %s", input.Name, f.Name, d.Name, askMove)
			}
		}
	}
	bound := map[string]string{}
	for _, o := range data.Objects {
		if why := checkObject(o); why != "" {
			reject("%s: %s", o.Name, why)
			continue
		}
		if len(o.Implements) > 0 {
			if other := bound[o.Type.String()]; other != "" {
				reject("%s and %s are both bound to %s, and interfaces and unions need the type of a value: "+
					"bind one to another type", other, o.Name, o.Type)
			}
			bound[o.Type.String()] = o.Name
		}
		for _, f := range o.Fields {
			for _, why := range p.checkField(f, data.QueryRoot) {
				reject("%s.%s: %s", o.Name, f.Name, why)
			}
		}
	}
	return errors.Join(errs...)
}

func checkObject(o *codegen.Object) string {
	switch {
	case o.Root && len(o.Implements) > 0:
		return "a root type can't be in an interface or union"
	case !o.Root && !o.IsReserved() && config.IsNilable(o.Type):
		return fmt.Sprintf("is bound to %s: bind it to a struct", o.Type)
	}
	return ""
}

func (p Plugin) checkField(f *codegen.Field, queries *codegen.Object) (why []string) {
	reject := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	for _, d := range f.ImplDirectives() {
		reject("@%s would not be run: %s", d.Name, askMove)
	}
	for _, a := range f.Args {
		for _, d := range a.ImplDirectives() {
			reject("@%s would run once for all requests with the same literal of the argument %s: %s", d.Name, a.Name, askMove)
		}
	}
	switch {
	case f.IsResolver:
		if codegen.GetInlineArgsMetadata(f.Object.Name, f.Name) != nil {
			reject("@inlineArguments is not supported: take the arguments one by one")
		}
		if f.UsesSubscriptionContext() {
			reject("@subscriptionContext is not supported: an event has the ctx of its response")
		}
	case f.IsReserved():
	case f.MethodHasContext:
		reject("its method takes a ctx, which is not supported: %s", askResolver)
	case f.HasHaser, f.VOkFunc:
		reject("its bool result is not supported: %s", askResolver)
	case f.TypeReference.Definition.IsLeafType():
		if len(f.Args) > 0 {
			reject("a leaf with arguments needs a resolver: %s", askResolver)
		}
	case f.IsMethod() && !f.NoErr:
		reject("an error of its method would fail the field for all objects: %s", askResolver)
	case !f.Object.Root && slices.Contains(p.Lazy, packageOf(f.Object.Type)):
		reject("its object may not be loaded yet: %s, and wait there unless the object's key is enough", askResolver)
	}
	switch {
	case f.TypeReference.Definition.IsLeafType():
	case f.TypeReference.IsRoot:
		if f.TypeReference.GQL.NamedType != queries.Name || f.IsResolver || f.Object.Stream {
			reject("its type is a root type: only the query root is supported, and only for a field without a resolver")
		}
	default:
		if why := checkComposite(f); why != "" {
			reject("%s", why)
		}
	}
	return why
}

func checkComposite(f *codegen.Field) string {
	t := f.TypeReference
	goType := t.GO
	list := t.GQL.Elem != nil
	if list {
		if t.GQL.Elem.Elem != nil {
			return "a list of lists of objects is not supported"
		}
		slice, ok := goType.(*types.Slice)
		if !ok {
			return fmt.Sprintf("a list that is a %s is not supported: make it a slice", goType)
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
	return fmt.Sprintf("objects that are a %s are not supported: make them pointers to structs", goType)
}

func packageOf(t types.Type) string {
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil {
		return named.Obj().Pkg().Path()
	}
	return ""
}
