package apierr_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"twibase/graph/model"
)

func codes(t *testing.T) (all []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "apierr.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "Code" {
				value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, value)
			}
		}
		return true
	})
	return all
}

func documented(t *testing.T, heading string) (all []string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/ERRORS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("docs/ERRORS.md has no heading %q", heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|\n"), "|")
		for i, cell := range cells {
			cells[i] = strings.Trim(cell, " `")
		}
		if len(cells) != 3 || slices.Contains(cells, "") {
			t.Errorf("row with an empty cell: %s", line)
		}
		all = append(all, cells[0])
	}
	return all
}

func TestEveryCodeIsDocumented(t *testing.T) {
	var userErrors []string
	for _, code := range model.AllUserErrorCode {
		userErrors = append(userErrors, string(code))
	}
	if diff := cmp.Diff(codes(t), documented(t, "extensions.code")); diff != "" {
		t.Errorf("extensions.code (-code +docs/ERRORS.md):\n%s", diff)
	}
	if diff := cmp.Diff(userErrors, documented(t, "The code of a userError")); diff != "" {
		t.Errorf("userErrors (-schema +docs/ERRORS.md):\n%s", diff)
	}
}
