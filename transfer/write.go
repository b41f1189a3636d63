package transfer

import (
	"context"
	"time"

	"twibase/hbase"
	"twibase/transfer/rebuild"
)

const maxCells = 20_000 // before a fan-out is flushed

// timeless is the timestamp of cells without a time. A store would replace 0 by its clock.
const timeless = 1

func stamp(at time.Time) int64 { return max(timeless, at.UnixMilli()) }

// writes collects writes, with one put per row.
type writes struct {
	store         hbase.Store
	at            map[rowKey]int // index in puts
	puts          []hbase.Put
	deletes       []hbase.Mutation
	cells         int
	rewriteMasked bool
}

type rowKey struct{ table, row string }

func (im *importer) sourceWrites() *writes {
	return &writes{store: im.store, at: make(map[rowKey]int, batchRows), puts: make([]hbase.Put, 0, batchRows)}
}

// visibleWrites rewrites masked cells if a repair may have deleted cells that this import adds.
func (im *importer) visibleWrites() *writes {
	w := im.sourceWrites()
	w.rewriteMasked = im.repaired
	return w
}

func (w *writes) put(p hbase.Put) {
	key := rowKey{p.Table, p.Row}
	w.cells += len(p.Cells)
	if i, ok := w.at[key]; ok {
		w.puts[i].Cells = append(w.puts[i].Cells, p.Cells...)
		return
	}
	w.at[key] = len(w.puts)
	w.puts = append(w.puts, p)
}

func (w *writes) cell(table, row string, cell hbase.Cell) {
	w.put(hbase.PutCells(table, row, cell))
}

// remove deletes a column up to the cell's timestamp.
func (w *writes) remove(table, row string, cell hbase.Cell) {
	w.cells++
	w.deletes = append(w.deletes, hbase.DeleteCells(table, row, cell))
}

func (w *writes) flush(ctx context.Context) error {
	if w.rewriteMasked {
		if err := hbase.MutateAll(ctx, w.store, w.deletes); err != nil {
			return err
		}
		if err := rebuild.WriteVisible(ctx, w.store, w.puts); err != nil {
			return err
		}
	} else {
		mutations := make([]hbase.Mutation, len(w.puts), len(w.puts)+len(w.deletes))
		for i := range w.puts {
			mutations[i] = w.puts[i]
		}
		if err := hbase.MutateAll(ctx, w.store, append(mutations, w.deletes...)); err != nil {
			return err
		}
	}
	clear(w.at)
	w.puts, w.deletes, w.cells = w.puts[:0], w.deletes[:0], 0
	return nil
}
