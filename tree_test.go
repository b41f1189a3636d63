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

// longest is how many lines a file may have that people write. One that grows past it is split by noun.
const longest = 400

// skipped are folders of which nothing was written here by hand.
var skipped = []string{".git", ".cache", "node_modules", "__generated__", "dist", "bin", "data", "testdata"}

// source are the endings of the files whose length counts.
var source = []string{".go", ".graphqls", ".graphql", ".mjs", ".jsx", ".css", ".html", ".java", ".sh"}

// TestTree holds the folders to what a reader counts on: short files, and one place that says what a package is for.
func TestTree(t *testing.T) {
	comments := map[string][]string{} // of each folder with Go files of people, the files that have a package comment
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
		if n := bytes.Count(text, []byte("\n")); n > longest {
			t.Errorf("%s has %d lines, more than %d: split it", path, n, longest)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder, files := range comments {
		if len(files) != 1 {
			t.Errorf("%s has %d package comments, not one: %s", folder, len(files), strings.Join(files, " "))
		}
	}
}
