package loaders

import (
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Gone has the rows of what was deleted, those of its lists and edges too, read as if there were none, until Forget: the clean-up has taken now more
// of them away and now less. Nothing that was asked for may be on its way.
func Gone(ctx context.Context, id tables.ID) {
	l := from(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.store = without{l.whole, id.Own(), tables.RowKey(id.Key)}
}

// without is a store that has no rows of an id in some tables.
type without struct {
	hbase.Store
	tables []string
	row    string
}

func (w without) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	var left []hbase.Get
	var places []int
	for i, get := range gets {
		if !slices.Contains(w.tables, get.Table) || !tables.IsOf(get.Row, w.row) {
			left, places = append(left, get), append(places, i)
		}
	}
	results := make([]hbase.Result, len(gets))
	if len(left) == 0 {
		return results, nil
	}
	found, err := w.Store.Get(ctx, left)
	if err != nil {
		return nil, err
	}
	for i, place := range places {
		results[place] = found[i]
	}
	return results, nil
}
