package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/exec"
)

// walkSchema is the schema whose every field is walked.
var walkSchema = exec.NewExecutableSchema(exec.Config{}).Schema()

// walkArguments are those that fields below the root need.
var walkArguments = map[string]string{
	"User.isFollowing": `(username:"writer")`,
	"User.hasRole":     `(code:"developer")`,
	"User.hasPlayed":   `(code:"chess")`,
	"Game.plays":       `(from:"2014-01-01",to:"2015-01-01")`,
}

// isNode reports whether a type is that of things with an id.
func isNode(name string) bool { return implements(walkSchema.Types[name], "Node") }

func implements(d *ast.Definition, name string) bool {
	for _, i := range d.Interfaces {
		if i == name {
			return true
		}
	}
	return false
}

// fieldsOf are the fields of a type that people wrote.
func fieldsOf(d *ast.Definition) (all []*ast.FieldDefinition) {
	for _, f := range d.Fields {
		if !strings.HasPrefix(f.Name, "__") {
			all = append(all, f)
		}
	}
	return all
}

// selection selects every field of a type, and below it those of so many things more; of the last the id alone.
func selection(t *testing.T, name string, depth int) string {
	t.Helper()
	d := walkSchema.Types[name]
	var b strings.Builder
	b.WriteString("{__typename")
	switch {
	case d.IsAbstractType():
		for _, possible := range walkSchema.GetPossibleTypes(d) {
			fmt.Fprintf(&b, " ...on %s%s", possible.Name, selection(t, possible.Name, depth))
		}
	case isNode(name) && depth < 0:
		b.WriteString(" id")
	default:
		for _, f := range fieldsOf(d) {
			below := depth
			typ := walkSchema.Types[f.Type.Name()]
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

// argumentsOf are those with which a field below the root is asked for.
func argumentsOf(t *testing.T, parent string, f *ast.FieldDefinition) string {
	t.Helper()
	if given, ok := walkArguments[parent+"."+f.Name]; ok {
		return given
	}
	for _, a := range f.Arguments {
		switch {
		case a.Name == "first":
			return "(first:100)"
		case a.Type.NonNull && a.DefaultValue == nil:
			t.Fatalf("nobody knows how to ask for %s.%s: add its arguments to walkArguments", parent, f.Name)
		}
	}
	return ""
}

// ways are the queries that select every field of the schema by every way: each root field, with each thing that it can name.
func ways(t *testing.T, depth int, things map[string]thing) (all []string) {
	t.Helper()
	var ids, users, twits, codes []string
	for id, thing := range things {
		ids = append(ids, fmt.Sprintf("%q", id))
		switch thing.typ {
		case "User":
			users = append(users, fmt.Sprintf("(username:%q)", thing.name))
		case "Twit":
			twits = append(twits, fmt.Sprintf("(id:%q)", id))
		default:
			codes = append(codes, fmt.Sprintf("(code:%q)", thing.name)) // also those that are none of this sort
		}
	}
	var nodes []string
	for _, id := range ids {
		nodes = append(nodes, "(id:"+id+")")
	}
	page, alone := []string{"(first:100)"}, []string{""}
	roots := map[string][]string{"node": nodes, "nodes": {"(ids:[" + strings.Join(ids, ",") + "])"}, "viewer": alone, "user": users, "users": page, "twit": twits,
		"role": codes, "roles": page, "department": codes, "topDepartments": page, "game": codes, "games": page}
	for _, f := range fieldsOf(walkSchema.Query) {
		if roots[f.Name] == nil {
			t.Errorf("nobody walks Query.%s: add how to ask for it", f.Name)
		}
		depth := depth
		if strings.HasSuffix(f.Type.Name(), "Connection") {
			depth++ // the things are those in it
		}
		for _, arguments := range roots[f.Name] {
			all = append(all, "{"+f.Name+arguments+selection(t, f.Type.Name(), depth)+"}")
		}
	}
	return all
}
