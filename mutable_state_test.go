package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var mutable = map[string]string{
	"graph/plan.buffers":           "a pool of buffers",
	"loaders.scanBuffers":          "a pool of buffers",
	"hbase/cluster.gohbaseBackoff": "gohbase has one hook per process, set before main starts",
	"hbase/cluster.zkLogs":         "ZooKeeper's client has one logger per process",
	"writers.opTypes":              "filled by declarations, before main starts",
}

// Gateways in one process would share mutable state. So no function may change a package variable,
// and no package variable may be a channel, or have a type of sync or sync/atomic.
func TestNoPackageHasMutableState(t *testing.T) {
	packages := map[string][]parsed{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains(skipped, entry.Name()) || slices.Contains(notProduct, path)):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		packages[dir] = append(packages[dir], parsed{file, strings.HasSuffix(path, "_test.go")})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for dir, files := range packages {
		for _, name := range mutableVars(files) {
			if name = dir + "." + name; mutable[name] == "" {
				t.Errorf("%s is mutable: make it a field or a constant, or add it to the table with a reason", name)
			}
			found[name] = true
		}
	}
	for name := range mutable {
		if !found[name] {
			t.Errorf("%s is not mutable: remove it from the table", name)
		}
	}
}

var notProduct = []string{"bench", "e2e", "hbase/hbasetest"}

type parsed struct {
	*ast.File
	test bool
}

// Changes in tests count, too.
func mutableVars(files []parsed) (names []string) {
	declared, specs := map[string]bool{}, map[any]bool{}
	for _, file := range files {
		if file.test {
			continue
		}
		for _, spec := range packageVars(file.File) {
			specs[spec] = true
			for _, name := range spec.Names {
				if declared[name.Name] = name.Name != "_"; declared[name.Name] && madeToChange(spec) {
					names = append(names, name.Name)
				}
			}
		}
	}
	changed := func(target ast.Expr) {
		// The parser resolves names within a file. Other names belong to the package.
		if name := root(target); name != nil && declared[name.Name] && (name.Obj == nil || specs[name.Obj.Decl]) {
			names = append(names, name.Name)
		}
	}
	for _, file := range files {
		ast.Inspect(file.File, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.AssignStmt:
				if node.Tok != token.DEFINE {
					for _, target := range node.Lhs {
						changed(target)
					}
				}
			case *ast.IncDecStmt:
				changed(node.X)
			case *ast.CallExpr:
				if f, ok := node.Fun.(*ast.Ident); ok && (f.Name == "delete" || f.Name == "clear") {
					changed(node.Args[0])
				}
			}
			return true
		})
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func packageVars(file *ast.File) (specs []*ast.ValueSpec) {
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.GenDecl); ok && decl.Tok == token.VAR {
			for _, spec := range decl.Specs {
				specs = append(specs, spec.(*ast.ValueSpec))
			}
		}
	}
	return specs
}

func madeToChange(spec *ast.ValueSpec) (yes bool) {
	look := func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ChanType:
			yes = true
		case *ast.SelectorExpr:
			if pkg, ok := node.X.(*ast.Ident); ok && (pkg.Name == "sync" || pkg.Name == "atomic") && pkg.Obj == nil {
				yes = true
			}
		}
		return true
	}
	if spec.Type != nil {
		ast.Inspect(spec.Type, look)
	}
	for _, value := range spec.Values {
		ast.Inspect(value, look)
	}
	return yes
}

func root(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return root(e.X)
	case *ast.IndexExpr:
		return root(e.X)
	case *ast.StarExpr:
		return root(e.X)
	case *ast.ParenExpr:
		return root(e.X)
	}
	return nil
}

func TestVarThatMayChangeIsReported(t *testing.T) {
	const product = `package p
var fixed, assigned, field, entry, counted, deleted, shadowed = 0, 0, T{}, map[int]int{}, 0, map[int]int{}, 0
var lock sync.Mutex
var queue = make(chan int)
var once = func() int { var o sync.Once; return 0 }()
var byTest = 0
func f() { assigned = 1; field.x = 1; entry[0] = 1; counted++; delete(deleted, 0); shadowed := 1; shadowed = 2 }`
	const test = `package p
var own = 0
func g() { byTest = 1; own = 1 }`
	var files []parsed
	for name, text := range map[string]string{"p.go": product, "p_test.go": test} {
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, parsed{file, name == "p_test.go"})
	}
	want := []string{"assigned", "byTest", "counted", "deleted", "entry", "field", "lock", "queue"}
	if diff := cmp.Diff(want, mutableVars(files)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
