package plan

import (
	"math"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// The limits of compiled operations, in fields, each fragment counted where it is spread: a short document with fragments in
// fragments can have more fields than there is memory for.
const (
	// maxFields is the most that an operation may have.
	maxFields = 20_000
	// keptFields is the most that the kept variants of an operation have together.
	keptFields = 2_000
)

// survey is what the text of an operation, with the fragments that it spreads, says about its execution.
type survey struct {
	// fields is the number of fields, up to 2³¹ - 1.
	fields int
	// conditions are the variables on which @skip and @include depend, sorted.
	conditions []string
	// final is whether there is @defer or @stream. Both have no effect: everything is in one response. It has the extension
	// is_final; without it Relay waits for further responses, and drops the deferred parts.
	final bool
}

// newSurvey takes time that is linear in the document.
func newSurvey(doc *ast.QueryDocument, op *ast.OperationDefinition) survey {
	var s survey
	s.fields = s.count(op.SelectionSet, doc.Fragments, map[string]int{})
	slices.Sort(s.conditions)
	return s
}

// count returns the number of fields. known holds that of the fragments that were visited.
func (s *survey) count(set ast.SelectionSet, fragments ast.FragmentDefinitionList, known map[string]int) (n int) {
	for _, selected := range set {
		switch selected := selected.(type) {
		case *ast.Field:
			s.directives(selected.Directives)
			n += 1 + s.count(selected.SelectionSet, fragments, known)
		case *ast.InlineFragment:
			s.directives(selected.Directives)
			n += s.count(selected.SelectionSet, fragments, known)
		case *ast.FragmentSpread:
			s.directives(selected.Directives)
			of, ok := known[selected.Name]
			if f := fragments.ForName(selected.Name); !ok && f != nil {
				of = s.count(f.SelectionSet, fragments, known)
				known[selected.Name] = of
			}
			n += of
		}
		n = min(n, math.MaxInt32)
	}
	return n
}

func (s *survey) directives(list ast.DirectiveList) {
	for _, d := range list {
		switch d.Name {
		case "defer", "stream":
			s.final = true
		case "skip", "include":
			arg := d.Arguments.ForName("if")
			if arg != nil && arg.Value.Kind == ast.Variable && !slices.Contains(s.conditions, arg.Value.Raw) {
				s.conditions = append(s.conditions, arg.Value.Raw)
			}
		}
	}
}
