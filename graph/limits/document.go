package limits

import (
	"math"

	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/apierr"
)

// Document refuses a document that exceeds the limits, or has fragments that spread themselves. It takes time linear in its text.
func (l *Limits) Document(doc *ast.QueryDocument) *apierr.Error {
	w := walk{limits: l, fragments: make(map[string]*fragment, len(doc.Fragments))}
	w.check(Operations, len(doc.Operations))
	w.check(Fragments, len(doc.Fragments))
	for _, f := range doc.Fragments {
		w.fragments[f.Name] = &fragment{definition: f}
	}
	for _, f := range doc.Fragments {
		w.place(f.Directives)
		w.holds(w.fragment(f.Name))
	}
	var all held
	for _, o := range doc.Operations {
		w.place(o.Directives)
		w.check(Variables, len(o.VariableDefinitions))
		for _, v := range o.VariableDefinitions {
			w.place(v.Directives)
			w.value(v.DefaultValue, 1)
			w.nesting(v.Type)
		}
		h := w.set(o.SelectionSet, 1)
		w.check(RootFields, h.top)
		all = all.and(h)
	}
	w.holds(all)
	w.check(Directives, w.directives)
	for _, o := range doc.Operations {
		if w.refusal == nil { // there are few fields, then
			w.check(Merges, w.merges([]ast.SelectionSet{o.SelectionSet}))
		}
	}
	return w.refusal
}

// walk goes through a document. After a refusal it goes nowhere.
type walk struct {
	limits     *Limits
	fragments  map[string]*fragment
	directives int
	refusal    *apierr.Error
}

func (w *walk) check(limit Limit, actual int) {
	if w.refusal == nil {
		w.refusal = w.limits.check(limit, actual)
	}
}

// held is what a selection holds.
type held struct {
	fields, aliases int
	depth           int // of selections
	top             int // the fields that are not below others
}

// and returns what two selections side by side hold.
func (h held) and(o held) held {
	return held{add(h.fields, o.fields), add(h.aliases, o.aliases), max(h.depth, o.depth), add(h.top, o.top)}
}

func add(a, b int) int {
	if a > math.MaxInt32-b {
		return math.MaxInt32
	}
	return a + b
}

func (w *walk) holds(h held) {
	w.check(Depth, h.depth)
	w.check(Fields, h.fields)
	w.check(Aliases, h.aliases)
}

// fragment is a definition, and what it holds as soon as that is known.
type fragment struct {
	definition *ast.FragmentDefinition
	entered    bool
	held       *held
}

// fragment returns what a fragment holds. One that does not exist counts as a field, as it is looked for.
func (w *walk) fragment(name string) held {
	f := w.fragments[name]
	switch {
	case f == nil:
		return held{fields: 1, top: 1}
	case f.held != nil:
		return *f.held
	case f.entered:
		if w.refusal == nil {
			w.refusal = apierr.BadUserInput("a fragment spreads itself")
		}
		return held{}
	}
	f.entered = true
	h := w.set(f.definition.SelectionSet, 1)
	f.held = &h
	return h
}

// set returns what a selection set holds that lies so deep in its operation or fragment.
func (w *walk) set(set ast.SelectionSet, depth int) (all held) {
	if w.check(Depth, depth); w.refusal != nil {
		return all
	}
	all.depth = 1
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			w.place(s.Directives)
			w.arguments(s.Arguments)
			h := held{fields: 1, depth: 1}
			if s.SelectionSet != nil {
				h = w.set(s.SelectionSet, depth+1)
				h.fields, h.depth = add(h.fields, 1), h.depth+1
			}
			if h.top = 1; s.Alias != s.Name {
				h.aliases = add(h.aliases, 1)
			}
			all = all.and(h)
		case *ast.InlineFragment:
			w.place(s.Directives)
			h := w.set(s.SelectionSet, depth+1)
			h.depth++
			all = all.and(h)
		case *ast.FragmentSpread:
			w.place(s.Directives)
			all = all.and(w.fragment(s.Name))
		}
		if w.refusal != nil {
			return all
		}
	}
	return all
}

func (w *walk) place(directives ast.DirectiveList) {
	w.directives += len(directives)
	w.check(PlaceDirectives, len(directives))
	for _, d := range directives {
		w.arguments(d.Arguments)
	}
}

func (w *walk) arguments(arguments ast.ArgumentList) {
	w.check(List, len(arguments))
	for _, a := range arguments {
		w.value(a.Value, 1)
	}
}

func (w *walk) value(v *ast.Value, depth int) {
	if w.check(Depth, depth); v == nil || w.refusal != nil {
		return
	}
	switch v.Kind {
	case ast.StringValue, ast.BlockValue:
		w.check(String, len(v.Raw))
	case ast.IntValue, ast.FloatValue:
		w.check(Number, len(v.Raw))
	}
	w.check(List, len(v.Children))
	for _, child := range v.Children {
		w.value(child.Value, depth+1)
	}
}

func (w *walk) nesting(t *ast.Type) {
	for depth := 1; t != nil && w.refusal == nil; t, depth = t.Elem, depth+1 {
		w.check(Depth, depth)
	}
}

// merges counts the pairs of fields that have the same place in the answer, which validation compares. It visits each selected field once, fragments
// wherever they are spread.
func (w *walk) merges(sets []ast.SelectionSet) (pairs int) {
	type group struct {
		fields int
		below  []ast.SelectionSet
	}
	groups := map[string]*group{}
	var collect func(set ast.SelectionSet)
	collect = func(set ast.SelectionSet) {
		for _, selection := range set {
			switch s := selection.(type) {
			case *ast.Field:
				g := groups[s.Alias]
				if g == nil {
					g = &group{}
					groups[s.Alias] = g
				}
				pairs += g.fields
				g.fields++
				if s.SelectionSet != nil {
					g.below = append(g.below, s.SelectionSet)
				}
			case *ast.InlineFragment:
				collect(s.SelectionSet)
			case *ast.FragmentSpread:
				if f := w.fragments[s.Name]; f != nil {
					collect(f.definition.SelectionSet)
				}
			}
		}
	}
	for _, set := range sets {
		collect(set)
	}
	for _, g := range groups {
		if len(g.below) > 0 {
			pairs = add(pairs, w.merges(g.below))
		}
	}
	return pairs
}
