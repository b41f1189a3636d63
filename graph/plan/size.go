package plan

import (
	"context"
	"math"

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

// size counts the fields of an operation, up to 2³¹ - 1, in time that is linear in the document.
func size(doc *ast.QueryDocument, op *ast.OperationDefinition) int {
	fragments := map[string]int{}
	var count func(ast.SelectionSet) int
	count = func(set ast.SelectionSet) (n int) {
		for _, s := range set {
			switch s := s.(type) {
			case *ast.Field:
				n += 1 + count(s.SelectionSet)
			case *ast.InlineFragment:
				n += count(s.SelectionSet)
			case *ast.FragmentSpread:
				of, known := fragments[s.Name]
				if f := doc.Fragments.ForName(s.Name); !known && f != nil {
					of = count(f.SelectionSet)
					fragments[s.Name] = of
				}
				n += of
			}
			n = min(n, math.MaxInt32)
		}
		return n
	}
	return count(op.SelectionSet)
}

type mostKey struct{}

// WithMost returns a ctx that limits an answer in bytes. A longer one is null, with a [LimitError].
func WithMost(ctx context.Context, bytes int) context.Context {
	return context.WithValue(ctx, mostKey{}, bytes)
}

func mostOf(ctx context.Context) int {
	most, _ := ctx.Value(mostKey{}).(int)
	return most
}
