package plan_test

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/exec"
)

// TestNames holds the package to what its comment promises: it names no type and no edge of the schema, so that a field can be added there alone.
// Nor do the predictions that go by it.
func TestNames(t *testing.T) {
	schema, names := exec.NewExecutableSchema(exec.Config{}).Schema(), map[string]bool{}
	for name, def := range schema.Types {
		if def.BuiltIn || def.Kind != ast.Object || def == schema.Query {
			continue
		}
		names[name] = def != schema.Mutation && def != schema.Subscription // GraphQL itself names the roots
		for _, f := range def.Fields {
			if len(f.Arguments) > 0 {
				names[f.Name] = true
			}
		}
	}
	if !names["User"] || !names["followers"] {
		t.Fatalf("the schema's names are %v", names)
	}
	for _, pattern := range []string{"*.go", "generate/*.go", "generate/*.gotpl", "../explain/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range words(text) {
				if names[word] {
					t.Errorf("%s names %s, which is the schema's", file, word)
				}
			}
		}
	}
}

// words are the identifiers and strings of a Go program, or of what is nearly one.
func words(text []byte) (all []string) {
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", -1, len(text)), text, func(token.Position, string) {}, 0)
	for {
		_, tok, literal := s.Scan()
		switch tok {
		case token.EOF:
			return all
		case token.IDENT:
			all = append(all, literal)
		case token.STRING:
			if text, err := strconv.Unquote(literal); err == nil {
				all = append(all, text)
			}
		}
	}
}
