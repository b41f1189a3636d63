package loaders

import (
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// mask is a store without the rows of an object in some tables.
type mask struct {
	hbase.Store
	tables []string
	row    string
}

func (m mask) Get(ctx context.Context, gets []hbase.Get) ([]hbase.Result, error) {
	var left []hbase.Get
	var places []int
	for i, get := range gets {
		if !slices.Contains(m.tables, get.Table) || !tables.BelongsTo(get.Row, m.row) {
			left, places = append(left, get), append(places, i)
		}
	}
	results := make([]hbase.Result, len(gets))
	if len(left) == 0 {
		return results, nil
	}
	found, err := m.Store.Get(ctx, left)
	if err != nil {
		return nil, err
	}
	for i, place := range places {
		results[place] = found[i]
	}
	return results, nil
}
