package introspection

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// Type is GraphQL's __Type. Lists that other kinds have are nil.
type Type struct {
	schema     *ast.Schema
	definition *ast.Definition
	wrapping   *ast.Type // if LIST or NON_NULL
}

func named(schema *ast.Schema, definition *ast.Definition) *Type {
	if definition == nil {
		return nil
	}
	return &Type{schema: schema, definition: definition}
}

func reference(schema *ast.Schema, t *ast.Type) *Type {
	if !t.NonNull && t.Elem == nil {
		return named(schema, schema.Types[t.NamedType])
	}
	return &Type{schema: schema, wrapping: t}
}

func (t *Type) is(kinds ...ast.DefinitionKind) bool {
	for _, kind := range kinds {
		if t.definition != nil && t.definition.Kind == kind {
			return true
		}
	}
	return false
}

func (t *Type) Kind() string {
	switch {
	case t.definition != nil:
		return string(t.definition.Kind)
	case t.wrapping.NonNull:
		return "NON_NULL"
	}
	return "LIST"
}

func (t *Type) Name() *string {
	if t.definition == nil {
		return nil
	}
	return &t.definition.Name
}

func (t *Type) Description() *string {
	if t.definition == nil {
		return nil
	}
	return text(t.definition.Description)
}

func (t *Type) SpecifiedByURL() *string {
	if !t.is(ast.Scalar) {
		return nil
	}
	if d := t.definition.Directives.ForName("specifiedBy"); d != nil {
		return &d.Arguments.ForName("url").Value.Raw
	}
	return nil
}

func (t *Type) IsOneOf() *bool {
	if !t.is(ast.InputObject) {
		return nil
	}
	one := t.definition.Directives.ForName("oneOf") != nil
	return &one
}

// Fields omits __schema and __type.
func (t *Type) Fields(includeDeprecated bool) []Field {
	if !t.is(ast.Object, ast.Interface) {
		return nil
	}
	return members(t.definition.Fields, includeDeprecated, func(f *ast.FieldDefinition) (Field, bool) {
		return Field{deprecation{f.Directives}, t.schema, f}, !strings.HasPrefix(f.Name, "__")
	})
}

func (t *Type) Interfaces() []Type {
	if !t.is(ast.Object, ast.Interface) {
		return nil
	}
	interfaces := make([]Type, len(t.definition.Interfaces))
	for i, name := range t.definition.Interfaces {
		interfaces[i] = *named(t.schema, t.schema.Types[name])
	}
	return interfaces
}

func (t *Type) PossibleTypes() []Type {
	if !t.is(ast.Interface, ast.Union) {
		return nil
	}
	possible := []Type{}
	for _, definition := range t.schema.GetPossibleTypes(t.definition) {
		if definition.Kind == ast.Object { // gqlparser also lists interfaces
			possible = append(possible, *named(t.schema, definition))
		}
	}
	return possible
}

func (t *Type) EnumValues(includeDeprecated bool) []EnumValue {
	if !t.is(ast.Enum) {
		return nil
	}
	return members(t.definition.EnumValues, includeDeprecated, func(v *ast.EnumValueDefinition) (EnumValue, bool) {
		return EnumValue{deprecation{v.Directives}, v}, true
	})
}

func (t *Type) InputFields(includeDeprecated bool) []InputValue {
	if !t.is(ast.InputObject) {
		return nil
	}
	return members(t.definition.Fields, includeDeprecated, func(f *ast.FieldDefinition) (InputValue, bool) {
		return InputValue{deprecation{f.Directives}, t.schema, f.Name, f.Description, f.Type, f.DefaultValue}, true
	})
}

func (t *Type) OfType() *Type {
	switch {
	case t.wrapping == nil:
		return nil
	case t.wrapping.NonNull:
		nullable := *t.wrapping
		nullable.NonNull = false
		return reference(t.schema, &nullable)
	}
	return reference(t.schema, t.wrapping.Elem)
}

type deprecation struct{ directives ast.DirectiveList }

func (d deprecation) IsDeprecated() bool { return d.directives.ForName("deprecated") != nil }

func (d deprecation) DeprecationReason() *string { return DeprecationReason(d.directives) }

// DeprecationReason is nil without @deprecated.
func DeprecationReason(directives ast.DirectiveList) *string {
	directive := directives.ForName("deprecated")
	if directive == nil {
		return nil
	}
	if reason := directive.Arguments.ForName("reason"); reason != nil {
		return &reason.Value.Raw
	}
	reason := "No longer supported" // the default of the specification
	return &reason
}

func members[D any, M interface{ IsDeprecated() bool }](
	list []D, includeDeprecated bool, member func(D) (M, bool),
) []M {
	all := make([]M, 0, len(list))
	for _, d := range list {
		if m, ok := member(d); ok && (includeDeprecated || !m.IsDeprecated()) {
			all = append(all, m)
		}
	}
	return all
}

type Field struct {
	deprecation
	schema     *ast.Schema
	definition *ast.FieldDefinition
}

func (f *Field) Name() string { return f.definition.Name }

func (f *Field) Description() *string { return text(f.definition.Description) }

func (f *Field) Args(includeDeprecated bool) []InputValue {
	return arguments(f.schema, f.definition.Arguments, includeDeprecated)
}

func (f *Field) Type() *Type { return reference(f.schema, f.definition.Type) }

type EnumValue struct {
	deprecation
	definition *ast.EnumValueDefinition
}

func (v *EnumValue) Name() string { return v.definition.Name }

func (v *EnumValue) Description() *string { return text(v.definition.Description) }

type InputValue struct {
	deprecation
	schema       *ast.Schema
	name         string
	description  string
	typ          *ast.Type
	defaultValue *ast.Value
}

func (v *InputValue) Name() string { return v.name }

func (v *InputValue) Description() *string { return text(v.description) }

func (v *InputValue) Type() *Type { return reference(v.schema, v.typ) }

// DefaultValue is a GraphQL literal.
func (v *InputValue) DefaultValue() *string {
	if v.defaultValue == nil {
		return nil
	}
	literal := v.defaultValue.String()
	return &literal
}

func arguments(schema *ast.Schema, list ast.ArgumentDefinitionList, includeDeprecated bool) []InputValue {
	return members(list, includeDeprecated, func(a *ast.ArgumentDefinition) (InputValue, bool) {
		return InputValue{deprecation{a.Directives}, schema, a.Name, a.Description, a.Type, a.DefaultValue}, true
	})
}

func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
