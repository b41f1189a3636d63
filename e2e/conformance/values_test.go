package conformance

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

func (g *generator) argument(definition *ast.ArgumentDefinition, of *selection) *value {
	field := ""
	if of != nil {
		field = of.field
	}
	return g.value(definition.Type, definition.DefaultValue != nil, field+"."+definition.Name, 3)
}

// hint has the names of the field and the argument.
func (g *generator) value(typ *ast.Type, hasDefault bool, hint string, n int) *value {
	if g.chance(n) {
		return g.variable(typ, hasDefault, hint)
	}
	return g.literal(typ, hint, n*3)
}

// literal contains a variable in one of n cases, or never if n is 0.
func (g *generator) literal(typ *ast.Type, hint string, n int) *value {
	part := func(typ *ast.Type, hasDefault bool, hint string) *value {
		if n > 0 {
			return g.value(typ, hasDefault, hint, n)
		}
		return g.literal(typ, hint, 0)
	}
	if !typ.NonNull && g.chance(10) {
		return &value{text: "null", json: "null", typ: typ}
	}
	if typ.Elem != nil {
		if g.chance(6) {
			v := part(typ.Elem, false, hint)
			if v.text != "null" {
				return v
			}
		}
		v := &value{list: true, typ: typ}
		for range g.IntN(4) {
			v.items = append(v.items, part(typ.Elem, false, hint))
		}
		v.encode()
		return v
	}
	definition := g.schema.Types[typ.NamedType]
	switch definition.Kind {
	case ast.InputObject:
		v := &value{object: true, typ: typ}
		fields := slices.Clone(definition.Fields)
		if g.chance(3) {
			g.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
		}
		for _, f := range fields {
			if f.Type.NonNull && f.DefaultValue == nil || g.chance(3) {
				v.fields = append(v.fields, &argument{f.Name, part(f.Type, f.DefaultValue != nil, "."+f.Name), nil})
			}
		}
		v.encode()
		return v
	case ast.Enum:
		name := oneOf(g, definition.EnumValues...).Name
		return &value{text: name, json: strconv.Quote(name), typ: typ}
	}
	return g.scalar(typ, hint)
}

// v has no variables.
func (v *value) encode() {
	var parts []string
	for _, item := range v.items {
		parts = append(parts, item.json)
	}
	for _, f := range v.fields {
		parts = append(parts, strconv.Quote(f.name)+":"+f.value.json)
	}
	if v.list {
		v.json = "[" + strings.Join(parts, ",") + "]"
	} else {
		v.json = "{" + strings.Join(parts, ",") + "}"
	}
}

func (g *generator) scalar(typ *ast.Type, hint string) *value {
	switch typ.NamedType {
	case "Int":
		text := strconv.Itoa(g.IntN(7))
		if g.chance(20) {
			text = oneOf(g, "-1", "0", "-0", "100", "101", "2147483647", "-2147483648")
		}
		json := text
		if json == "-0" {
			json = "0"
		}
		return &value{text: text, json: json, typ: typ}
	case "Boolean":
		text := oneOf(g, "true", "false")
		return &value{text: text, json: text, typ: typ}
	case "ID":
		if g.chance(12) {
			text := strconv.Itoa(g.IntN(1000))
			return &value{text: text, json: text, typ: typ}
		}
	}
	content := g.content(typ.NamedType, hint)
	encoded, err := json.Marshal(content)
	if err != nil {
		panic(err)
	}
	return &value{text: g.quote(content), json: string(encoded), typ: typ}
}

func (g *generator) content(typ, hint string) string {
	field, name, _ := strings.Cut(hint, ".")
	pool := ""
	switch {
	case typ == "Date":
		return oneOf(g, "2014-12-25", "1970-01-01", "9999-12-31", "2016-02-29", "2015-01-01")
	case typ == "DateTime":
		return oneOf(g, "2014-12-25T08:30:00Z", "1970-01-01T00:00:00.125+00:00")
	case typ == "URL":
		return oneOf(
			g,
			"https://example.org/1.jpg", "http://example.org", "https://example.org:8080/a?b=c#d",
			"http://[::1]/x",
		)
	case g.chance(15):
	case typ == "ID":
		pool = "id"
	case name == "after" || name == "before":
		pool = "cursor"
	case name == "username":
		pool = "username"
	case name == "code":
		pool = "code"
	case field == "__type":
		return oneOf(g, "User", "Node", "Int", "Visibility", "PostTwitInput", "__Type", "DateTime", "Nothing")
	}
	if pool != "" {
		return oneOf(g, g.pool[pool]...)
	}
	return oneOf(
		g,
		"", "a", "小红", "two\nlines", " \" \\ \"\"\" ", "😀 \u00e9", "\t", "\u2028 \ufeff",
		"  indented\n    more\n\n  less  ", "a # b, c", "\u0001\u007f",
	)
}

func (g *generator) variable(typ *ast.Type, hasDefault bool, hint string) *value {
	if o := g.operation; len(o.variables) > 0 && g.chance(4) {
		for _, v := range o.variables {
			if v.typ == typ.String() {
				return &value{text: "$" + v.name, json: "null", typ: typ}
			}
		}
	}
	v := &variable{name: g.name(oneOf(g, "v", "on", "type", "_", "null"))}
	declared := *typ
	switch {
	case typ.NonNull && g.chance(5): // allowed if the variable or the argument has a default
		declared.NonNull = false
	case !typ.NonNull && g.chance(4):
		declared.NonNull = true
	}
	v.typ = declared.String()
	if !declared.NonNull && (typ.NonNull && !hasDefault || g.chance(3)) || declared.NonNull && g.chance(6) {
		v.initial = g.literal(required(typ), hint, 0)
	}
	o := g.operation
	o.variables = append(o.variables, v)
	if first := len(g.document.operations) == 1; first && (declared.NonNull && v.initial == nil || !g.chance(4)) {
		json := g.literal(&declared, hint, 0).json
		if json == "null" && typ.NonNull && !g.chance(3) {
			json = g.literal(required(typ), hint, 0).json
		}
		g.document.variables[v.name] = json
	}
	return &value{text: "$" + v.name, json: "null", typ: typ}
}

func required(typ *ast.Type) *ast.Type {
	r := *typ
	r.NonNull = true
	return &r
}
