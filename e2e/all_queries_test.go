package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/exec"
)

var apiSchema = exec.NewExecutableSchema(exec.Config{}).Schema()

var fieldArguments = map[string]string{
	"User.isFollowing": `(username:"writer")`,
	"User.hasRole":     `(code:"developer")`,
	"User.hasPlayed":   `(code:"chess")`,
	"Game.plays":       `(from:"2014-01-01",to:"2015-01-01")`,
}

func isNode(name string) bool { return implements(apiSchema.Types[name], "Node") }

func implements(d *ast.Definition, name string) bool {
	for _, i := range d.Interfaces {
		if i == name {
			return true
		}
	}
	return false
}

func fieldsOf(d *ast.Definition) (all []*ast.FieldDefinition) {
	for _, f := range d.Fields {
		if !strings.HasPrefix(f.Name, "__") {
			all = append(all, f)
		}
	}
	return all
}

func selection(t *testing.T, name string, depth int) string {
	t.Helper()
	d := apiSchema.Types[name]
	var b strings.Builder
	b.WriteString("{__typename")
	switch {
	case d.IsAbstractType():
		for _, possible := range apiSchema.GetPossibleTypes(d) {
			fmt.Fprintf(&b, " ...on %s%s", possible.Name, selection(t, possible.Name, depth))
		}
	case isNode(name) && depth < 0:
		b.WriteString(" id")
	case name == apiSchema.Query.Name:
	default:
		for _, f := range fieldsOf(d) {
			below := depth
			typ := apiSchema.Types[f.Type.Name()]
			if isNode(typ.Name) {
				below--
			}
			b.WriteString(" " + f.Name + argumentsOf(t, name, f))
			if typ.IsCompositeType() {
				b.WriteString(selection(t, typ.Name, below))
			}
		}
	}
	return b.String() + "}"
}

func argumentsOf(t *testing.T, parent string, f *ast.FieldDefinition) string {
	t.Helper()
	if given, ok := fieldArguments[parent+"."+f.Name]; ok {
		return given
	}
	for _, a := range f.Arguments {
		switch {
		case a.Name == "first":
			return "(first:100)"
		case a.Type.NonNull && a.DefaultValue == nil:
			t.Fatalf("%s.%s has required arguments: add them to fieldArguments", parent, f.Name)
		}
	}
	return ""
}

func allQueries(t *testing.T, depth int, objects map[string]object) (all []string) {
	t.Helper()
	var ids, users, twits, codes []string
	for id, o := range objects {
		ids = append(ids, fmt.Sprintf("%q", id))
		switch o.typ {
		case "User":
			users = append(users, fmt.Sprintf("(username:%q)", o.name))
		case "Twit":
			twits = append(twits, fmt.Sprintf("(id:%q)", id))
		default:
			codes = append(codes, fmt.Sprintf("(code:%q)", o.name))
		}
	}
	var nodes []string
	for _, id := range ids {
		nodes = append(nodes, "(id:"+id+")")
	}
	page, alone := []string{"(first:100)"}, []string{""}
	roots := map[string][]string{"node": nodes, "nodes": {"(ids:[" + strings.Join(ids, ",") + "])"}, "viewer": alone,
		"user": users, "users": page, "twit": twits,
		"role": codes, "roles": page, "department": codes, "topDepartments": page, "game": codes, "games": page}
	for _, f := range fieldsOf(apiSchema.Query) {
		if roots[f.Name] == nil {
			t.Errorf("no arguments for Query.%s: add them to roots", f.Name)
		}
		depth := depth
		if strings.HasSuffix(f.Type.Name(), "Connection") {
			depth++
		}
		for _, arguments := range roots[f.Name] {
			all = append(all, "{"+f.Name+arguments+selection(t, f.Type.Name(), depth)+"}")
		}
	}
	return all
}
