package playground

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

func TestExamplesAreValid(t *testing.T) {
	schema := gqlparser.MustLoadSchema(read(t, "../schema/*.graphqls")...)
	titles := map[string]bool{}
	for _, example := range read(t, "examples/*.graphql") {
		t.Run(example.Name, func(t *testing.T) {
			query, err := gqlparser.LoadQueryWithRules(schema, example.Input, rules.NewDefaultRules())
			if err != nil {
				t.Fatal(err)
			}
			if len(query.Operations) != 1 {
				t.Fatalf("got %d operations, want 1", len(query.Operations))
			}
			title := query.Operations[0].Name
			if title == "" || titles[title] {
				t.Errorf("operation name %q is empty or not unique", title)
			}
			titles[title] = true
		})
	}
}

func read(t *testing.T, pattern string) (sources []*ast.Source) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no file matches %s: %v", pattern, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, &ast.Source{Name: filepath.Base(path), Input: string(text)})
	}
	return sources
}
