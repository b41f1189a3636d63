package introspection

import "github.com/vektah/gqlparser/v2/ast"

// deprecation is the @deprecated directive of a member of a type, if it has one.
type deprecation struct{ directives ast.DirectiveList }

func (d deprecation) IsDeprecated() bool { return d.directives.ForName("deprecated") != nil }

// DeprecationReason returns nil without @deprecated.
func (d deprecation) DeprecationReason() *string {
	directive := d.directives.ForName("deprecated")
	if directive == nil {
		return nil
	}
	if reason := directive.Arguments.ForName("reason"); reason != nil {
		return &reason.Value.Raw
	}
	reason := "No longer supported" // the default of the specification
	return &reason
}

// listed reports whether a list of members contains this one.
func listed(directives ast.DirectiveList, includeDeprecated bool) bool {
	return includeDeprecated || !deprecation{directives}.IsDeprecated()
}

// Field is GraphQL's __Field.
type Field struct {
	deprecation
	schema     *ast.Schema
	definition *ast.FieldDefinition
}

func (f *Field) Name() string         { return f.definition.Name }
func (f *Field) Description() *string { return text(f.definition.Description) }

func (f *Field) Args(includeDeprecated bool) []InputValue {
	return arguments(f.schema, f.definition.Arguments, includeDeprecated)
}

func (f *Field) Type() *Type { return reference(f.schema, f.definition.Type) }

// EnumValue is GraphQL's __EnumValue.
type EnumValue struct {
	deprecation
	definition *ast.EnumValueDefinition
}

func (v *EnumValue) Name() string         { return v.definition.Name }
func (v *EnumValue) Description() *string { return text(v.definition.Description) }

// InputValue is GraphQL's __InputValue: an argument, or a field of an input object.
type InputValue struct {
	deprecation
	schema       *ast.Schema
	name         string
	description  string
	typ          *ast.Type
	defaultValue *ast.Value
}

func (v *InputValue) Name() string         { return v.name }
func (v *InputValue) Description() *string { return text(v.description) }
func (v *InputValue) Type() *Type          { return reference(v.schema, v.typ) }

// DefaultValue returns the default as a GraphQL literal, nil if there is none.
func (v *InputValue) DefaultValue() *string {
	if v.defaultValue == nil {
		return nil
	}
	literal := v.defaultValue.String()
	return &literal
}

func arguments(schema *ast.Schema, list ast.ArgumentDefinitionList, includeDeprecated bool) []InputValue {
	values := make([]InputValue, 0, len(list))
	for _, a := range list {
		if listed(a.Directives, includeDeprecated) {
			values = append(values, InputValue{deprecation{a.Directives}, schema, a.Name, a.Description, a.Type, a.DefaultValue})
		}
	}
	return values
}
