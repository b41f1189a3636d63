package oracle

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// Oracle is not safe for concurrent use.
type Oracle struct {
	*Model
	schema *ast.Schema
	roots  map[string][]string
	lists  map[[2]string]list
}

func New(model *Model, schema *ast.Schema) *Oracle {
	return &Oracle{model, schema, map[string][]string{}, map[[2]string]list{}}
}

func (o *Oracle) Schema() *ast.Schema { return o.schema }

// The zero Viewer is anonymous.
type Viewer struct {
	Username string
	Admin    bool
}

// Request may have refs as ids and cursors among its variables.
type Request struct {
	Query     string
	Variables map[string]any
	Viewer    Viewer
}

// Response has the expected data, and the sorted path and code of each error.
type Response struct {
	Data   any
	Errors []string
}

var (
	errBadInput      = errors.New("BAD_USER_INPUT")
	errLimitExceeded = errors.New("LIMIT_EXCEEDED")
)

func (o *Oracle) Execute(q Request) (Response, error) {
	document, errs := gqlparser.LoadQueryWithRules(o.schema, q.Query, rules.NewDefaultRules())
	if errs != nil {
		return Response{}, errs
	}
	e := &evaluation{Oracle: o, Request: q, document: document}
	data, ok := e.object("Query", query{}, document.Operations[0].SelectionSet, nil)
	if !ok {
		data = nil
	}
	slices.Sort(e.errors)
	return Response{data, e.errors}, nil
}

type query struct{}

type evaluation struct {
	*Oracle
	Request
	document *ast.QueryDocument
	errors   []string
}

type mergedField struct {
	key    string
	fields []*ast.Field
}

func (e *evaluation) collect(typ string, set ast.SelectionSet, into []mergedField) []mergedField {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			if !e.included(s.Directives) {
				continue
			}
			i := slices.IndexFunc(into, func(c mergedField) bool { return c.key == s.Alias })
			if i < 0 {
				i, into = len(into), append(into, mergedField{key: s.Alias})
			}
			into[i].fields = append(into[i].fields, s)
		case *ast.InlineFragment:
			if e.included(s.Directives) && (s.TypeCondition == "" || e.fits(typ, s.TypeCondition)) {
				into = e.collect(typ, s.SelectionSet, into)
			}
		case *ast.FragmentSpread:
			fragment := e.document.Fragments.ForName(s.Name)
			if e.included(s.Directives) && e.fits(typ, fragment.TypeCondition) {
				into = e.collect(typ, fragment.SelectionSet, into)
			}
		}
	}
	return into
}

func (e *evaluation) fits(typ, condition string) bool {
	return typ == condition || slices.Contains(e.schema.Types[typ].Interfaces, condition)
}

func (e *evaluation) included(directives ast.DirectiveList) bool {
	for _, d := range directives {
		if condition := d.ArgumentMap(e.Variables)["if"].(bool); condition == (d.Name == "skip") {
			return false
		}
	}
	return true
}

// ok is false if a non-null field is null.
func (e *evaluation) object(typ string, value any, set ast.SelectionSet, path []string) (out any, ok bool) {
	object, ok := Object{}, true
	for _, c := range e.collect(typ, set, nil) {
		at := append(slices.Clone(path), c.key)
		field := c.fields[0]
		if field.Name == "__typename" {
			object = append(object, Member{c.key, typ})
			continue
		}
		resolve, known := fields[typ+"."+field.Name]
		if !known {
			panic(fmt.Sprintf("oracle: %s.%s has no resolver: add it", typ, field.Name))
		}
		result, err := resolve(&call{e.Oracle, e.Viewer, value, field.ArgumentMap(e.Variables)})
		if err != nil {
			e.errors = append(e.errors, strings.Join(at, ".")+" "+err.Error())
		}
		var merged ast.SelectionSet
		for _, f := range c.fields {
			merged = append(merged, f.SelectionSet...)
		}
		member, fine := e.complete(field.Definition.Type, result, merged, at)
		object, ok = append(object, Member{c.key, member}), ok && fine
	}
	return object, ok
}

func (e *evaluation) complete(typ *ast.Type, value any, set ast.SelectionSet, path []string) (out any, ok bool) {
	ok = true
	switch {
	case value == nil:
	case typ.Elem != nil:
		list := List{}
		for i, element := range value.([]any) {
			member, fine := e.complete(typ.Elem, element, set, append(slices.Clone(path), fmt.Sprint(i)))
			list, ok = append(list, member), ok && fine
		}
		out = list
	case set != nil:
		out, ok = e.object(typeOf(value), value, set, path)
	default:
		out = value
	}
	if !ok {
		out = nil
	}
	return out, out != nil || !typ.NonNull
}
