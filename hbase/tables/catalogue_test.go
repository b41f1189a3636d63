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

// kinds are the types that the catalogue has, without the types of rows and members.
var kinds = []string{"Object", "AnyObject", "List", "Relation", "Reference"}

// A declaration that the catalogue lacks would have no table, and no import, check or rebuild.
func TestTheCatalogueHasEveryDeclaration(t *testing.T) {
	declared, listed := declarations(t)
	slices.Sort(declared)
	slices.Sort(listed)
	if !slices.Equal(declared, listed) || len(declared) < 20 {
		t.Errorf("the declarations are\n%v, the catalogue has\n%v", declared, listed)
	}
	if n := len(objects) + len(lists) + len(relations) + len(references); n != len(listed) {
		t.Errorf("the catalogue has %d names for %d entries", len(listed), n)
	}
}

// declarations returns the names of the package's variables that are of one of the kinds, and those that the variables
// objects, lists, relations and references have.
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
	returns := map[string]string{} // the kind that a function returns
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
			if slices.Contains([]string{"objects", "lists", "relations", "references"}, name) {
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

// nameOfType returns the name of a type or function without its type arguments.
func nameOfType(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.IndexExpr:
		return nameOfType(e.X)
	}
	return ""
}

// variableOf returns the name of the variable in an entry of the catalogue, such as &Users.AnyObject.
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

// What is derived from an entry needs all of it.
func TestEveryEntryOfTheCatalogueIsComplete(t *testing.T) {
	for _, o := range objects {
		if o.Noun == 0 || o.Name == "" || o.Table == "" || o.check == nil || objectOf(o.Noun) != o {
			t.Errorf("object %+v", o)
		}
	}
	for _, l := range lists {
		if l.Table == "" || l.Family == "" || l.Owner == nil || l.position == nil || l.public == nil || ListOf(l.Table, l.Family) != l {
			t.Errorf("list %+v", l)
		}
		if l.PublicCount != "" && l.Count == "" {
			t.Errorf("list %s counts public members only", l)
		}
	}
	files := map[string]bool{}
	for _, r := range relations {
		if r.Name == "" || r.Verb == "" || r.Table == "" || r.File == "" || files[r.File] {
			t.Errorf("relation %+v", r)
		}
		files[r.File] = true
		for _, e := range []End{r.From, r.To} {
			if !slices.Contains(lists, e.List) || e.Column == "" || e.List.Trimmed {
				t.Errorf("relation %s has an end %+v", r.Name, e)
			}
		}
		if r.From.Object() == PostedTwits {
			t.Errorf("relation %s begins at keys that have separators", r.Name)
		}
	}
}
