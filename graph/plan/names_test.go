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

// TestNames holds graph to what the comment of this package promises: nothing in it that is written by hand names a type or a field of the schema, so
// that a field can be added there alone.
func TestNames(t *testing.T) {
	schema, names := exec.NewExecutableSchema(exec.Config{}).Schema(), map[string]bool{}
	texts := map[string]bool{}
	for name, def := range schema.Types {
		if def.BuiltIn || def.Kind == ast.Scalar || strings.HasPrefix(name, "__") {
			continue
		}
		names[name] = def != schema.Query && def != schema.Mutation && def != schema.Subscription // GraphQL itself names the roots
		texts[name] = names[name]
		for _, f := range def.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			// A word like code means something in any program; one like parent or node does if it is no text.
			long := len(f.Arguments) > 0 || strings.ToLower(f.Name) != f.Name
			names[f.Name] = names[f.Name] || long && f.Name != "node" && f.Name != "nodes"
			texts[f.Name] = texts[f.Name] || long || schema.Types[f.Type.Name()].IsCompositeType()
		}
	}
	for _, name := range []string{"User", "Node", "Visibility", "PostTwitInput", "followers", "clientMutationId"} {
		if !names[name] {
			t.Fatalf("%s is not among the schema's names, which are %v", name, names)
		}
	}
	if !texts["author"] {
		t.Fatalf("author is not among the schema's names, which are %v", texts)
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
		idents, strs := words(text)
		for _, word := range idents {
			if names[word] {
				t.Errorf("%s names %s, which is the schema's", file, word)
			}
		}
		for _, word := range strs {
			if texts[word] {
				t.Errorf("%s names %q, which is the schema's", file, word)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// words are the identifiers and strings of a Go program, or of what is nearly one.
func words(text []byte) (idents, texts []string) {
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", -1, len(text)), text, func(token.Position, string) {}, 0)
	for {
		_, tok, literal := s.Scan()
		switch tok {
		case token.EOF:
			return idents, texts
		case token.IDENT:
			idents = append(idents, literal)
		case token.STRING:
			if text, err := strconv.Unquote(literal); err == nil {
				texts = append(texts, text)
			}
		}
	}
}
