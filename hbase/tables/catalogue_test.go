package tables

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var kinds = []string{"Object", "AnyObject", "List", "Relation", "Reference"}

// A missing declaration has no table, import, check or rebuild.
func TestCatalogueHasEveryDeclaration(t *testing.T) {
	declared, listed := declarations(t)
	slices.Sort(declared)
	slices.Sort(listed)
	if !slices.Equal(declared, listed) || len(declared) < 20 {
		t.Errorf("catalogue has\n%v, want the declarations\n%v", listed, declared)
	}
	if n := len(objects) + len(lists) + len(changeEvents) + len(relations) + len(references); n != len(listed) {
		t.Errorf("the catalogue has %d names for %d entries", len(listed), n)
	}
}

func declarations(t *testing.T) (declared, listed []string) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	returns := map[string]string{} // by function
	variables := map[string]ast.Expr{}
	for _, file := range files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Type.Results != nil {
					if p, ok := d.Type.Results.List[0].Type.(*ast.StarExpr); ok {
						returns[d.Name.Name] = nameOfType(p.X)
					}
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.ValueSpec); ok && d.Tok == token.VAR && len(s.Values) == 1 {
						variables[s.Names[0].Name] = s.Values[0]
					}
				}
			}
		}
	}
	for name, value := range variables {
		kind := ""
		switch value := value.(type) {
		case *ast.UnaryExpr:
			if literal, ok := value.X.(*ast.CompositeLit); ok {
				kind = nameOfType(literal.Type)
			}
		case *ast.CallExpr:
			kind = returns[nameOfType(value.Fun)]
		case *ast.CompositeLit:
			if slices.Contains([]string{"objects", "lists", "changeEvents", "relations", "references"}, name) {
				for _, e := range value.Elts {
					listed = append(listed, variableOf(e))
				}
			}
		}
		if slices.Contains(kinds, kind) {
			declared = append(declared, name)
		}
	}
	return declared, listed
}

func nameOfType(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.IndexExpr:
		return nameOfType(e.X)
	}
	return ""
}

func variableOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return variableOf(e.X)
	case *ast.SelectorExpr:
		return variableOf(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func TestCatalogueEntriesAreComplete(t *testing.T) {
	for _, o := range objects {
		if o.Noun == 0 || o.Name == "" || o.Table == "" || o.CheckKey == nil || objectOf(o.Noun) != o {
			t.Errorf("object %+v", o)
		}
	}
	for _, l := range lists {
		if l.Table == "" || l.Family == "" || l.Owner == nil || l.Check == nil || l.Public == nil ||
			ListOf(l.Table, l.Family) != l {
			t.Errorf("list %+v", l)
		}
		if l.PublicCount != "" && l.Count == "" {
			t.Errorf("list %s has a PublicCount and no Count", l)
		}
	}
	files := map[string]bool{}
	for _, r := range relations {
		if r.Name == "" || r.Verb == "" || r.Table == "" || r.File == "" || files[r.File] {
			t.Errorf("relation %+v", r)
		}
		files[r.File] = true
		for _, e := range []End{r.From, r.To} {
			if !slices.Contains(lists, e.List) || e.Column == "" || e.List.Trimmed ||
				e.List.Dated != (r.DateColumn != "") {
				t.Errorf("relation %s has an end %+v", r.Name, e)
			}
		}
		if r.From.Object() == PostedTwits {
			t.Errorf("relation %s: keys of From contain separators", r.Name)
		}
	}
}
