package conformance

import (
	"github.com/vektah/gqlparser/v2/ast"
)

// Unlike a parsed document, a document can be invalid.
type document struct {
	operations []*operation
	fragments  []*fragment
	extra      string
	// variables are JSON texts.
	operationName string
	variables     map[string]string
}

type operation struct {
	kind        ast.Operation
	name        string
	description string
	variables   []*variable
	directives  []*directive
	set         []*selection
	text        string // replaces set if it is not empty
}

type variable struct {
	name, typ  string
	initial    *value
	directives []*directive
}

type fragment struct {
	name, on    string
	description string
	variables   string // invalid variable definitions
	directives  []*directive
	set         []*selection
}

type selection struct {
	parent *ast.Definition
	// definition is nil if the schema has none.
	field, alias string
	definition   *ast.FieldDefinition
	arguments    []*argument
	spread       string
	inline       bool
	on           string
	directives   []*directive
	set          []*selection
	// emptySet writes {}.
	emptySet bool
}

type argument struct {
	name       string
	value      *value
	definition *ast.ArgumentDefinition
}

type directive struct {
	name      string
	arguments []*argument
}

type value struct {
	text string
	// json is the value of a variable with the same value.
	json   string
	list   bool
	object bool
	items  []*value
	fields []*argument
	typ    *ast.Type
}

func (s *selection) responseKey() string {
	if s.alias != "" {
		return s.alias
	}
	return s.field
}

func (d *document) walk(f func(in *[]*selection, s *selection)) {
	var below func(set *[]*selection)
	below = func(set *[]*selection) {
		for _, s := range *set {
			f(set, s)
			below(&s.set)
		}
	}
	for _, o := range d.operations {
		below(&o.set)
	}
	for _, fragment := range d.fragments {
		below(&fragment.set)
	}
}

func (d *document) selections(is func(s *selection) bool) (all []*selection) {
	d.walk(func(_ *[]*selection, s *selection) {
		if is(s) {
			all = append(all, s)
		}
	})
	return all
}

func (d *document) values() (all []*value) {
	var below func(v *value)
	below = func(v *value) {
		all = append(all, v)
		for _, item := range v.items {
			below(item)
		}
		for _, field := range v.fields {
			below(field.value)
		}
	}
	d.walk(func(_ *[]*selection, s *selection) {
		for _, a := range s.arguments {
			below(a.value)
		}
		for _, directive := range s.directives {
			for _, a := range directive.arguments {
				below(a.value)
			}
		}
	})
	for _, o := range d.operations {
		for _, v := range o.variables {
			if v.initial != nil {
				below(v.initial)
			}
		}
	}
	return all
}
