package e2e

import (
	"bytes"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/parser"
)

func (e *executors) shrink(r request) request { return r.shrunkWhile(e.fails) }

func (r request) shrunkWhile(fails func(request) bool) request {
	seed := r.faults.seed
	for _, without := range []faultPlan{
		{seed: seed},
		{seed: seed, errors: r.faults.errors},
		{seed: seed, missing: r.faults.missing},
	} {
		smaller := r
		if smaller.faults = without; fails(smaller) {
			r = smaller
			break
		}
	}
	for at := 0; ; {
		smaller, ok := r.without(at)
		switch {
		case !ok:
			return r
		case fails(smaller):
			r = smaller
		default:
			at++
		}
	}
}

func (e *executors) fails(r request) bool {
	difference, valid := e.difference(r)
	return valid && difference != ""
}

// without also removes unused fragments and variables.
func (r request) without(number int) (request, bool) {
	document, err := parser.ParseQuery(&ast.Source{Input: r.query})
	if err != nil {
		return r, false
	}
	found := false
	removeOne := func(set ast.SelectionSet) ast.SelectionSet {
		if number < len(set) && !found {
			found = true
			return slices.Delete(slices.Clone(set), number, number+1)
		}
		number -= len(set)
		return set
	}
	var walk func(set ast.SelectionSet) ast.SelectionSet
	walk = func(set ast.SelectionSet) ast.SelectionSet {
		if set = removeOne(set); found {
			return set
		}
		for _, s := range set {
			switch s := s.(type) {
			case *ast.Field:
				s.SelectionSet = walk(s.SelectionSet)
			case *ast.InlineFragment:
				s.SelectionSet = walk(s.SelectionSet)
			}
		}
		return set
	}
	operation := document.Operations[0]
	operation.SelectionSet = walk(operation.SelectionSet)
	for _, f := range document.Fragments {
		if !found {
			f.SelectionSet = walk(f.SelectionSet)
		}
	}
	removeUnused(document)
	var text bytes.Buffer
	formatter.NewFormatter(&text).FormatQueryDocument(document)
	r.query = text.String()
	return r, found
}

func removeUnused(document *ast.QueryDocument) {
	fragments, variables := map[string]bool{}, map[string]bool{}
	directives := func(list ast.DirectiveList) {
		for _, d := range list {
			for _, a := range d.Arguments {
				variables[a.Value.Raw] = true
			}
		}
	}
	var walk func(set ast.SelectionSet)
	walk = func(set ast.SelectionSet) {
		for _, s := range set {
			switch s := s.(type) {
			case *ast.Field:
				directives(s.Directives)
				for _, a := range s.Arguments {
					variables[a.Value.Raw] = true
				}
				walk(s.SelectionSet)
			case *ast.InlineFragment:
				directives(s.Directives)
				walk(s.SelectionSet)
			case *ast.FragmentSpread:
				directives(s.Directives)
				if f := document.Fragments.ForName(s.Name); f != nil && !fragments[s.Name] {
					fragments[s.Name] = true
					walk(f.SelectionSet)
				}
			}
		}
	}
	operation := document.Operations[0]
	walk(operation.SelectionSet)
	document.Fragments = slices.DeleteFunc(document.Fragments, func(f *ast.FragmentDefinition) bool {
		return !fragments[f.Name]
	})
	operation.VariableDefinitions = slices.DeleteFunc(operation.VariableDefinitions, func(v *ast.VariableDefinition) bool {
		return !variables[v.Variable]
	})
}
