package rebuild

import (
	"bytes"
	"context"
	"time"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Attempt n adds up to 16ⁿ ms, so 12 attempts reach the current time.
const maxRewrites = 12

// WriteVisible writes puts, and then rewrites masked cells with later timestamps.
//
// If another value masks a cell, the cell gets that value's timestamp + 1 ms, unless the value is a
// moved marker. If the delete marker of a repair masks it, its timestamp grows until it is visible,
// but at most to the current time, so that later commits win. A future timestamp grows by 1 ms per
// attempt: the cell may stay masked.
func WriteVisible(ctx context.Context, store hbase.Store, puts []hbase.Put) error {
	var cells []hbase.Put
	mutations := make([]hbase.Mutation, len(puts))
	for i, p := range puts {
		mutations[i] = p
		for _, c := range p.Cells {
			cells = append(cells, hbase.PutCells(p.Table, p.Row, c))
		}
	}
	if err := hbase.MutateAll(ctx, store, mutations); err != nil {
		return err
	}
	for n := range maxRewrites {
		stored, err := hbase.GetEach(ctx, store, cells, func(p hbase.Put) hbase.Get {
			c := p.Cells[0]
			return hbase.Get{Table: p.Table, Row: p.Row, Columns: c.Family, Page: hbase.Exactly(c.Qualifier)}
		})
		if err != nil {
			return err
		}
		var masked []hbase.Put
		mutations = nil
		for i, p := range cells {
			if later, is := rewritten(p.Cells[0], stored[i], n); is {
				p.Cells = []hbase.Cell{later}
				masked, mutations = append(masked, p), append(mutations, p)
			}
		}
		if err := hbase.MutateAll(ctx, store, mutations); err != nil || len(masked) == 0 {
			return err
		}
		cells = masked
	}
	return nil
}

func rewritten(c hbase.Cell, stored []hbase.Cell, n int) (hbase.Cell, bool) {
	switch {
	case len(stored) == 0:
		c.Timestamp = max(c.Timestamp+1, min(c.Timestamp+1<<(4*n), time.Now().UnixMilli()))
	case !bytes.Equal(stored[0].Value, c.Value) && !tables.Moved(stored[0]):
		c.Timestamp = stored[0].Timestamp + 1
	default:
		return c, false
	}
	return c, true
}
