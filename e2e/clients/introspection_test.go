package clients

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func introspect(t *testing.T, url string) {
	var report struct {
		SDL, Introspection             string
		SDLResult, IntrospectionResult string
		SDLTypes, IntrospectionTypes   []string
		Specified, SDLText             string
		Meta                           struct {
			Schema struct{ Types []metaType } `json:"__schema"`
		}
	}
	if err := json.Unmarshal(node(t, "introspect.mjs", url), &report); err != nil {
		t.Fatal(err)
	}
	t.Run("as printed schemas", func(t *testing.T) {
		if diff := cmp.Diff(report.SDL, report.Introspection); diff != "" || len(report.SDL) < 1000 {
			t.Errorf("(-SDL +introspection):\n%s", diff)
		}
	})
	t.Run("as results of introspection", func(t *testing.T) {
		if diff := cmp.Diff(report.SDLResult, report.IntrospectionResult); diff != "" || len(report.SDLResult) < 1000 {
			t.Errorf("(-SDL +introspection):\n%s", diff)
		}
	})
	t.Run("in its types, including scalars of the specification", func(t *testing.T) {
		if diff := cmp.Diff(report.SDLTypes, report.IntrospectionTypes); diff != "" ||
			slices.Contains(report.SDLTypes, "Float") {
			t.Errorf("(-SDL +introspection):\n%s", diff)
		}
	})
	t.Run("in the description of the schema", func(t *testing.T) {
		for _, text := range []string{report.SDL, report.Introspection, report.SDLText} {
			if !strings.HasPrefix(text, "\"\"\"\ntwibase") {
				t.Errorf("%.100s", text)
			}
		}
	})
	t.Run("the directives of the specification are those of September 2025", func(t *testing.T) {
		for _, want := range []string{
			"  reason: String! = \"No longer supported\"\n) on ARGUMENT_DEFINITION | ENUM_VALUE | FIELD_DEFINITION | INPUT_FIELD_DEFINITION\n",
			"  url: String!\n) on SCALAR\n",
			"directive @oneOf on INPUT_OBJECT\n",
		} {
			if !strings.Contains(report.Specified, want) {
				t.Errorf("there is no %s in\n%.3000s", want, report.Specified)
			}
		}
	})
	t.Run("includeDeprecated is Boolean! = false", func(t *testing.T) {
		var got []string
		for _, typ := range report.Meta.Schema.Types {
			for _, field := range typ.Fields {
				for _, arg := range field.Args {
					if arg.Name == "includeDeprecated" && arg.DefaultValue == "false" && arg.Type.Kind == "NON_NULL" &&
						arg.Type.OfType.Name == "Boolean" {
						got = append(got, typ.Name+"."+field.Name)
					}
				}
			}
		}
		want := []string{"__Directive.args", "__Field.args", "__Type.fields", "__Type.enumValues", "__Type.inputFields"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

type metaType struct {
	Name   string
	Fields []struct {
		Name string
		Args []struct {
			Name, DefaultValue string
			Type               struct {
				Kind   string
				OfType struct{ Name string }
			}
		}
	}
}
