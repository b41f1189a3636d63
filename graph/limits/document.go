package limits

import (
	"math"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"

	"twibase/graph/apierr"
)

// Text counts tokens and brackets before parsing. Document counts the fields as if fragments were
// expanded. It visits each fragment once, and adds the counts of the fragment at each spread. So
// its time is linear, although the expanded document may be exponentially larger:
//
//	{ ...A }  fragment A on T { ...B ...B }  fragment B on T { ...C ...C }  fragment C on T { x }
//
//	C: 1 field  ─►  B: 2  ─►  A: 4  ─►  operation: 4

// Length checks the length of a document.
func (l *Limits) Length(query string) *apierr.Error {
	c := checker{limits: l}
	c.check(Bytes, len(query))
	return c.rejection
}

// Text checks length, tokens and nesting before parsing.
func (l *Limits) Text(query string) *apierr.Error {
	if rejection := l.Length(query); rejection != nil {
		return rejection
	}
	c := checker{limits: l}
	tokens, name, depth := measure(query)
	c.check(Tokens, tokens)
	c.check(Name, name)
	c.check(Depth, depth)
	return c.rejection
}

// measure counts comments as tokens. deepest is the depth of brackets.
func measure(query string) (tokens, longest, deepest int) {
	l, depth := lexer.New(&ast.Source{Input: query}), 0
	for {
		token, err := l.ReadToken()
		if err != nil || token.Kind == lexer.EOF {
			return tokens, longest, deepest
		}
		tokens++
		switch token.Kind {
		case lexer.Name:
			longest = max(longest, len(token.Value))
		case lexer.BraceL, lexer.BracketL, lexer.ParenL:
			depth++
			deepest = max(deepest, depth)
		case lexer.BraceR, lexer.BracketR, lexer.ParenR:
			depth--
		}
	}
}

// Document checks a parsed document. It also rejects recursive or equally named fragments.
func (l *Limits) Document(doc *ast.QueryDocument) *apierr.Error {
	w := walk{checker: checker{limits: l}, fragments: make(map[string]*fragment, len(doc.Fragments))}
	w.check(Operations, len(doc.Operations))
	w.check(Fragments, len(doc.Fragments))
	for _, f := range doc.Fragments {
		if w.fragments[f.Name] != nil {
			w.reject("two fragments have the same name")
		}
		w.fragments[f.Name] = &fragment{definition: f}
	}
	visits := 0
	for _, f := range doc.Fragments {
		h := w.fragment(f.Name)
		w.counts(h)
		visits = add(visits, h.visits)
	}
	var all counts
	for _, o := range doc.Operations {
		w.check(Variables, len(o.VariableDefinitions))
		for _, v := range o.VariableDefinitions {
			visits = add(visits, add(w.place(v.Directives), w.value(v.DefaultValue, 1)))
			w.nesting(v.Type)
		}
		h := w.set(o.SelectionSet, 1)
		w.check(RootFields, h.top)
		all = all.combine(h)
		visits = add(visits, w.place(o.Directives))
	}
	w.counts(all)
	w.check(Directives, w.directives)
	w.check(Visits, add(visits, all.visits))
	return w.rejection
}

// walk stops at the first error.
type walk struct {
	checker
	fragments  map[string]*fragment
	directives int
}

func (w *walk) reject(invalid string) {
	if w.rejection == nil {
		w.rejection = apierr.BadUserInput("%s", invalid)
	}
}

type counts struct {
	fields, aliases int
	depth           int
	path            int // bytes of the longest path of response keys
	top             int // fields without those below
	visits          int // by validation
}

func (c counts) combine(o counts) counts {
	return counts{
		add(c.fields, o.fields), add(c.aliases, o.aliases), max(c.depth, o.depth), max(c.path, o.path),
		add(c.top, o.top), add(c.visits, o.visits),
	}
}

func add(a, b int) int {
	if a > math.MaxInt32-b {
		return math.MaxInt32
	}
	return a + b
}

func (w *walk) counts(h counts) {
	w.check(Depth, h.depth)
	w.check(Path, h.path)
	w.check(Fields, h.fields)
	w.check(Aliases, h.aliases)
}

type fragment struct {
	definition *ast.FragmentDefinition
	entered    bool
	counts     *counts
}

// An unknown fragment counts as a field.
func (w *walk) fragment(name string) counts {
	f := w.fragments[name]
	switch {
	case f == nil:
		return counts{fields: 1, top: 1}
	case f.counts != nil:
		return *f.counts
	case f.entered:
		w.reject("a fragment spreads itself")
		return counts{}
	}
	f.entered = true
	h := w.set(f.definition.SelectionSet, 1)
	h.visits = add(h.visits, w.place(f.definition.Directives))
	f.counts = &h
	return h
}

func (w *walk) set(set ast.SelectionSet, depth int) (all counts) {
	if w.check(Depth, depth); w.rejection != nil {
		return all
	}
	all.depth = 1
	for _, selection := range set {
		var h counts
		switch s := selection.(type) {
		case *ast.Field:
			h = counts{visits: 1 + w.place(s.Directives) + w.arguments(s.Arguments)}
			if s.SelectionSet != nil {
				h = h.combine(w.set(s.SelectionSet, depth+1))
			}
			h.fields, h.depth, h.path, h.top = add(h.fields, 1), h.depth+1, add(h.path, len(s.Alias)), 1
			if s.Alias != s.Name {
				h.aliases = add(h.aliases, 1)
			}
		case *ast.InlineFragment:
			h = counts{visits: 1 + w.place(s.Directives)}.combine(w.set(s.SelectionSet, depth+1))
			h.depth++
		case *ast.FragmentSpread:
			h = counts{visits: 1 + w.place(s.Directives)}.combine(w.fragment(s.Name))
		}
		all = all.combine(h)
		if w.rejection != nil {
			return all
		}
	}
	return all
}

func (w *walk) place(directives ast.DirectiveList) (values int) {
	w.directives += len(directives)
	w.check(PlaceDirectives, len(directives))
	for _, d := range directives {
		values += w.arguments(d.Arguments)
	}
	return values
}

func (w *walk) arguments(arguments ast.ArgumentList) (values int) {
	w.check(List, len(arguments))
	for _, a := range arguments {
		values += w.value(a.Value, 1)
	}
	return values
}

func (w *walk) value(v *ast.Value, depth int) (values int) {
	if w.check(Depth, depth); v == nil || w.rejection != nil {
		return 0
	}
	switch v.Kind {
	case ast.StringValue, ast.BlockValue:
		w.check(String, len(v.Raw))
	case ast.IntValue, ast.FloatValue:
		w.check(Number, len(v.Raw))
	}
	w.check(List, len(v.Children))
	values = 1
	for _, child := range v.Children {
		values += w.value(child.Value, depth+1)
	}
	return values
}

func (w *walk) nesting(t *ast.Type) {
	for depth := 1; t != nil && w.rejection == nil; t, depth = t.Elem, depth+1 {
		w.check(Depth, depth)
	}
}
