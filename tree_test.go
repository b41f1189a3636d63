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
	"unicode/utf8"
)

const (
	// maxLines bounds hand-written files. Split longer ones by noun.
	maxLines = 400
	// maxComment bounds comments, in columns. A tab counts 4. Diagrams, tables and expected output
	// may be wider.
	maxComment = 100
)

var skipped = []string{".git", ".cache", "node_modules", "__generated__", "dist", "bin", "data", "testdata"}

var source = []string{".go", ".graphqls", ".graphql", ".mjs", ".jsx", ".ts", ".tsx", ".css", ".html", ".java", ".sh"}

func TestSourceFilesFollowTheConventions(t *testing.T) {
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
			for i, line := range strings.Split(string(text), "\n") {
				_, comment, found := strings.Cut(line, "// ")
				prose := found && strings.Trim(line[:len(line)-len(comment)], "\t") == "// " && !strings.HasPrefix(comment, "{")
				if n := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")); prose && n > maxComment {
					t.Errorf("%s:%d: the comment has %d columns, more than %d: wrap it", path, i+1, n, maxComment)
				}
			}
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
