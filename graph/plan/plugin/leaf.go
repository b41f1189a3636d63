package plugin

import (
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
	return !f.IsResolver && b.Fails(f) || b.AppendLeaf(f.TypeReference) == b.marshalled(f.TypeReference)
}

func (b *build) marshalled(t *config.TypeReference) string {
	return fmt.Sprintf("return %s.AppendMarshaler(dst, exec.(*executionContext).%s(ctx, nil, v))\n",
		b.plan(), t.MarshalFunc())
}

// AppendLeaf returns the body of a function that appends v, a leaf or a list of leaves.
func (b *build) AppendLeaf(t *config.TypeReference) string {
	if t.GQL.Elem != nil {
		slice, ok := t.GO.(*types.Slice)
		elem := t.Elem()
		if !ok || elem == nil || elem.IsPtr() || elem.GQL.Elem != nil {
			return b.marshalled(t)
		}
		one := b.appendOne(elem, slice.Elem(), "e")
		if one == "" {
			return b.marshalled(t)
		}
		null := "if v == nil {\nreturn dst, false\n}\n"
		if t.GQL.NonNull {
			null = ""
		}
		return null + "dst = append(dst, '[')\nfor i, e := range v {\nif i > 0 {\ndst = append(dst, ',')\n}\n" +
			"dst = " + one + "\n}\nreturn append(dst, ']'), true\n"
	}
	if p, ok := t.GO.(*types.Pointer); ok {
		if one := b.appendOne(t, p.Elem(), "*v"); one != "" {
			return "if v == nil {\nreturn dst, false\n}\nreturn " + one + ", true\n"
		}
		return b.marshalled(t)
	}
	if one := b.appendOne(t, t.GO, "v"); one != "" {
		return "return " + one + ", true\n"
	}
	return b.marshalled(t)
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
