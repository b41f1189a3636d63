package plan_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/exec"
)

// TestNames holds graph to what the comment of this package promises: nothing in it that is written by hand names a type or an edge of the schema, so
// that a field can be added there alone.
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
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "exec" || d.Name() == "model" || d.Name() == "testdata" || d.Name() == "node_modules"):
			return filepath.SkipDir // generated
		case strings.HasSuffix(file, "_test.go") || filepath.Ext(file) != ".go" && filepath.Ext(file) != ".gotpl":
			return nil
		}
		text, err := os.ReadFile(file)
		for _, word := range words(text) {
			if names[word] {
				t.Errorf("%s names %s, which is the schema's", file, word)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
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
