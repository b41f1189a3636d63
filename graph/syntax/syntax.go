// Package syntax parses documents by section 2 of the specification, without gqlparser's mistakes:
// see docs/UPSTREAM.md.
package syntax

import (
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
)

// Parse parses an executable document in linear time. The error has the code of a parse error, and
// a location unless the text is empty or not UTF-8.
func Parse(text string) (*ast.QueryDocument, *gqlerror.Error) {
	doc, err := parse(text)
	if err != nil {
		errcode.Set(err, errcode.ParseFailed)
		return nil, err
	}
	return doc, nil
}

func parse(text string) (*ast.QueryDocument, *gqlerror.Error) {
	if !utf8.ValidString(text) {
		return nil, gqlerror.Errorf("the document is not UTF-8")
	}
	blocks, syntaxErr := scan(text)
	if syntaxErr != nil {
		return nil, syntaxErr
	}
	doc, err := parser.ParseQuery(&ast.Source{Input: text})
	if err != nil {
		return nil, gqlerror.WrapIfUnwrapped(err)
	}
	if len(doc.Operations)+len(doc.Fragments) == 0 {
		return nil, gqlerror.Errorf("The document is empty.")
	}
	return doc, correct(doc, blocks)
}

// correct sets the values of block strings. It rejects variable definitions of fragments, and
// variables in the directives and default values of variable definitions.
func correct(doc *ast.QueryDocument, blocks map[int]string) *gqlerror.Error {
	var first *gqlerror.Error
	reject := func(at *ast.Position, message string) {
		if first == nil {
			first = gqlerror.ErrorPosf(at, "%s", message)
		}
	}
	constant := false
	value := func(v *ast.Value) {
		switch v.Kind {
		case ast.BlockValue:
			v.Raw = blocks[v.Position.Start]
		case ast.Variable:
			if constant {
				reject(v.Position, "Unexpected variable in a constant value")
			}
		}
	}
	for _, op := range doc.Operations {
		constant = true
		for _, v := range op.VariableDefinitions {
			values(v.DefaultValue, value)
			directives(v.Directives, value)
		}
		constant = false
		directives(op.Directives, value)
		selections(op.SelectionSet, value)
	}
	for _, f := range doc.Fragments {
		if len(f.VariableDefinition) > 0 {
			reject(f.VariableDefinition[0].Position, "Unexpected variable definition: fragments have none")
		}
		directives(f.Directives, value)
		selections(f.SelectionSet, value)
	}
	return first
}

func selections(set ast.SelectionSet, visit func(*ast.Value)) {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			arguments(s.Arguments, visit)
			directives(s.Directives, visit)
			selections(s.SelectionSet, visit)
		case *ast.InlineFragment:
			directives(s.Directives, visit)
			selections(s.SelectionSet, visit)
		case *ast.FragmentSpread:
			directives(s.Directives, visit)
		}
	}
}

func directives(list ast.DirectiveList, visit func(*ast.Value)) {
	for _, d := range list {
		arguments(d.Arguments, visit)
	}
}

func arguments(list ast.ArgumentList, visit func(*ast.Value)) {
	for _, a := range list {
		values(a.Value, visit)
	}
}

func values(v *ast.Value, visit func(*ast.Value)) {
	if v == nil {
		return
	}
	visit(v)
	for _, child := range v.Children {
		values(child.Value, visit)
	}
}
