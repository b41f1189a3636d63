package plugin

import (
	"cmp"
	"fmt"
	"go/types"
	"strings"

	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/99designs/gqlgen/codegen/templates"
	"github.com/vektah/gqlparser/v2/ast"
)

func (b *build) Fails(f *codegen.Field) bool { return f.IsMethod() && !f.NoErr }

func (b *build) AddsErrors(f *codegen.Field) bool {
	return !f.IsResolver && b.Fails(f) || b.appendDirectly(f.TypeReference) == ""
}

// AppendLeaf returns the body of a function that appends v, a leaf or a list of leaves.
func (b *build) AppendLeaf(t *config.TypeReference) string {
	return cmp.Or(b.appendDirectly(t), fmt.Sprintf(
		"return %s.AppendMarshaler(dst, exec.(*executionContext).%s(ctx, nil, v))\n", b.plan(), t.MarshalFunc()))
}

// appendDirectly is empty if v needs a marshaller.
func (b *build) appendDirectly(t *config.TypeReference) string {
	const null = "if v == nil {\nreturn dst, false\n}\n"
	if t.GQL.Elem != nil {
		slice, ok := t.GO.(*types.Slice)
		elem := t.Elem()
		if !ok || elem == nil || elem.IsPtr() || elem.GQL.Elem != nil {
			return ""
		}
		one := b.appendOne(elem, slice.Elem(), "e")
		if one == "" {
			return ""
		}
		list := "dst = append(dst, '[')\nfor i, e := range v {\nif i > 0 {\ndst = append(dst, ',')\n}\n" +
			"dst = " + one + "\n}\nreturn append(dst, ']'), true\n"
		if t.GQL.NonNull {
			return list
		}
		return null + list
	}
	if p, ok := t.GO.(*types.Pointer); ok {
		if one := b.appendOne(t, p.Elem(), "*v"); one != "" {
			return null + "return " + one + ", true\n"
		}
	} else if one := b.appendOne(t, t.GO, "v"); one != "" {
		return "return " + one + ", true\n"
	}
	return ""
}

// appendOne returns an expression that appends one leaf v without a marshaller. It is empty unless
// v is a String, Boolean or Int, has a method AppendGQL, or its marshaller is a function MarshalX
// of a package with a function AppendX.
func (b *build) appendOne(t *config.TypeReference, goType types.Type, v string) string {
	if t.IsMarshaler && types.NewMethodSet(goType).Lookup(nil, "AppendGQL") != nil {
		return v + ".AppendGQL(dst)"
	}
	if t.Marshaler == nil || t.HasEnumValues() || t.IsContext || t.IsTargetNilable() ||
		t.Definition.Kind != ast.Scalar && t.Definition.Kind != ast.Enum {
		return ""
	}
	name := strings.TrimPrefix(t.Marshaler.Name(), "Marshal")
	if t.Marshaler.Pkg().Path() == "github.com/99designs/gqlgen/graphql" {
		cast := map[string]string{"String": "string", "Boolean": "bool", "Int": "int"}[name]
		if cast == "" {
			return ""
		}
		if basic, ok := goType.(*types.Basic); !ok || basic.Name() != cast {
			v = cast + "(" + v + ")"
		}
		return fmt.Sprintf("%s.Append%s(dst, %s)", b.plan(), templates.UcFirst(cast), v)
	}
	if t.Marshaler.Pkg().Scope().Lookup("Append"+name) == nil {
		return ""
	}
	if t.CastType != nil {
		v = ref(t.CastType) + "(" + v + ")"
	}
	return fmt.Sprintf("%s.Append%s(dst, %s)", templates.CurrentImports.Lookup(t.Marshaler.Pkg().Path()), name, v)
}
