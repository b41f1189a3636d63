package explain

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"twibase/graph/report"
)

type openKey struct{}

// WithOpen names variables with unknown values. The operation has arbitrary valid values for them,
// and a [Cost] assumes the most expensive ones: see [Call.Open].
func WithOpen(ctx context.Context, variables map[string]bool) context.Context {
	return context.WithValue(ctx, openKey{}, variables)
}

func openIn(ctx context.Context) map[string]bool {
	open, _ := ctx.Value(openKey{}).(map[string]bool)
	return open
}

func isOpen(value *ast.Value, open map[string]bool) bool {
	return value.Kind == ast.Variable && open[value.Raw] ||
		slices.ContainsFunc(value.Children, func(child *ast.ChildValue) bool { return isOpen(child.Value, open) })
}

// Item is the cost of a field.
type Item struct {
	Path string `json:"path"`
	// Round is the last round of the field's reads, counted in their chain, or 0.
	Round int64 `json:"round"`
	// Rows counts Gets and the rows of scans. Its sum over all fields is [Totals].Rows.
	Rows    int64 `json:"rows"`
	Objects int64 `json:"objects"`
	// Open says why the arguments do not bound the reads, or is empty.
	Open string `json:"open,omitempty"`
}

// Itemize returns the total and the cost for each path, in the order of the document.
func Itemize(ctx context.Context, schema graphql.ExecutableSchema, costs Costs) (Totals, []Item, error) {
	e, err := walk(ctx, schema, costs, false)
	if err != nil {
		return Totals{}, nil, err
	}
	var items []Item
	indexes := map[string]int{}
	of := map[*step]int{}
	for _, s := range e.steps {
		path := report.Path(s.call.Ctx)
		i, known := indexes[path]
		if !known { // an interface's field has a call for each type
			i, items = len(items), append(items, Item{Path: path})
			indexes[path] = i
		}
		of[s] = i
		items[i].Objects = add(items[i].Objects, s.objects)
		if s.open != "" {
			items[i].Open = s.open
		}
	}
	for _, r := range e.records {
		i := &items[of[r.step]]
		i.Rows = add(i.Rows, add(r.gets, r.rows))
		i.Round = max(i.Round, int64(r.begun.round+max(r.Rounds, 1)))
	}
	return e.totals(), items, nil
}
