package schema

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

func load(t *testing.T) *ast.Schema {
	t.Helper()
	files, err := filepath.Glob("*.graphqls")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var sources []*ast.Source
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, &ast.Source{Name: file, Input: string(text)})
	}
	schema, err := gqlparser.LoadSchema(sources...)
	if err != nil {
		t.Fatal(err)
	}
	Conform(schema)
	return schema
}

func TestSDLParsesToAnEqualSchema(t *testing.T) {
	text := SDL(load(t))
	t.Run("it is an equal schema", func(t *testing.T) {
		again, err := gqlparser.LoadSchema(&ast.Source{Input: text})
		if err != nil {
			t.Fatal(err)
		}
		if SDL(again) != text || again.Description != load(t).Description {
			t.Error("the SDL of the SDL differs")
		}
	})
	t.Run("it has the description of the schema", func(t *testing.T) {
		for _, part := range []string{"Authentication", "Pagination", "Errors", "Limits", "Incremental delivery"} {
			if !strings.Contains(load(t).Description, "**"+part+".**") {
				t.Errorf("the description lacks %s", part)
			}
		}
	})
	t.Run("it has descriptions and no extensions", func(t *testing.T) {
		if strings.Contains(text, "extend ") || !strings.Contains(text, "The followers of the user, newest first.") {
			t.Error(text)
		}
	})
}

func TestEveryDefinitionIsDescribed(t *testing.T) {
	schema := load(t)
	describe(t, "the schema", schema.Description)
	for name, directive := range schema.Directives {
		if directive.Position.Src.BuiltIn {
			continue
		}
		describe(t, "@"+name, directive.Description)
		for _, arg := range directive.Arguments {
			describe(t, "@"+name+"("+arg.Name+")", arg.Description)
		}
	}
	for name, definition := range schema.Types {
		if definition.BuiltIn {
			continue
		}
		describe(t, name, definition.Description)
		for _, value := range definition.EnumValues {
			describe(t, name+"."+value.Name, value.Description)
			isDeprecated(t, name+"."+value.Name, value.Directives)
		}
		for _, field := range definition.Fields {
			if strings.HasPrefix(field.Name, "__") {
				continue
			}
			at := name + "." + field.Name
			describe(t, at, field.Description)
			isDeprecated(t, at, field.Directives)
			for _, arg := range field.Arguments {
				describe(t, at+"("+arg.Name+")", arg.Description)
				isDeprecated(t, at+"("+arg.Name+")", arg.Directives)
			}
			if strings.HasSuffix(field.Type.Name(), "Connection") {
				isConnection(t, schema, at, field)
			}
		}
	}
}

func describe(t *testing.T, name, description string) {
	t.Helper()
	if !strings.HasSuffix(strings.TrimSpace(description), ".") {
		t.Errorf("the description of %s is %q, want a sentence", name, description)
	}
}

func isDeprecated(t *testing.T, name string, directives ast.DirectiveList) {
	t.Helper()
	if deprecated := directives.ForName("deprecated"); deprecated != nil {
		reason := deprecated.Arguments.ForName("reason")
		if reason == nil || !strings.HasSuffix(reason.Value.Raw, ".") {
			t.Errorf("the deprecation of %s needs a sentence: @deprecated(reason: \"Use … instead.\")", name)
		}
	}
}

func isConnection(t *testing.T, schema *ast.Schema, at string, field *ast.FieldDefinition) {
	t.Helper()
	if field.Type.NonNull {
		t.Errorf("%s must be nullable, because a read may fail", at)
	}
	for name, typ := range map[string]string{"first": "Int", "after": "String", "last": "Int", "before": "String"} {
		if arg := field.Arguments.ForName(name); arg == nil || arg.Type.String() != typ || arg.DefaultValue != nil {
			t.Errorf("%s lacks the argument %s: %s", at, name, typ)
		}
	}
	noun := strings.TrimSuffix(field.Type.Name(), "Connection")
	for of, fields := range map[string]map[string]string{
		noun + "Connection": {
			"edges": "[" + noun + "Edge!]", "nodes": "[" + noun + "]", "pageInfo": "PageInfo!", "totalCount": "Int",
		},
		noun + "Edge": {"cursor": "String!", "node": noun},
	} {
		for name, want := range fields {
			if f := schema.Types[of].Fields.ForName(name); f == nil || f.Type.String() != want {
				got := cmp.Or(f, &ast.FieldDefinition{Type: ast.NamedType("nothing", nil)}).Type
				t.Errorf("%s.%s: got %v, want %s", of, name, got, want)
			}
		}
	}
}

// explain.WithCosts generates @cost and @listSize.
func TestCostsAreNotWrittenByHand(t *testing.T) {
	for name, definition := range load(t).Types {
		for _, field := range definition.Fields {
			if field.Directives.ForName("cost") != nil || field.Directives.ForName("listSize") != nil {
				t.Errorf("%s.%s has a cost in its file", name, field.Name)
			}
		}
	}
}
