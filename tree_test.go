package main_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxLines bounds hand-written files. Split longer ones by noun.
const maxLines = 400

var skipped = []string{".git", ".cache", "node_modules", "__generated__", "dist", "bin", "data", "testdata"}

var source = []string{".go", ".graphqls", ".graphql", ".mjs", ".jsx", ".ts", ".tsx", ".css", ".html", ".java", ".sh"}

func TestTree(t *testing.T) {
	comments := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(skipped, entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || !slices.Contains(source, filepath.Ext(path)):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if filepath.Ext(path) == ".go" {
			file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				return err
			}
			if ast.IsGenerated(file) {
				return nil
			}
			found := comments[filepath.Dir(path)]
			if file.Doc != nil {
				found = append(found, path)
			}
			comments[filepath.Dir(path)] = found
		}
		if n := bytes.Count(text, []byte("\n")); n > maxLines {
			t.Errorf("%s has %d lines, more than %d: split it", path, n, maxLines)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder, files := range comments {
		if len(files) != 1 {
			t.Errorf("%s has %d package comments, want 1: %s", folder, len(files), strings.Join(files, " "))
		}
	}
}
