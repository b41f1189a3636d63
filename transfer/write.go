package transfer

import (
	"context"
	"time"

	"twibase/hbase"
	"twibase/transfer/rebuild"
)

// maxCells is how many cells are written in one batch.
const maxCells = 20_000

// stamp is the timestamp of cells that say what happened at a time. It is never 0, which a store would replace by its
// present; that is also the timestamp of what has no time.
func stamp(at time.Time) int64 { return max(1, at.UnixMilli()) }

// timeless is the timestamp of cells that have no time of their own.
const timeless = 1

// writes are mutations that are sent together, one put for each row.
type writes struct {
	store   hbase.Store
	at      map[rowKey]int
	puts    []hbase.Put
	deletes []hbase.Mutation
	cells   int
	// rewriteMasked is whether cells that a deletion masks are rewritten.
	rewriteMasked bool
}

type rowKey struct{ table, row string }

// truth returns writes of sources.
func (im *importer) truth() *writes {
	return &writes{store: im.store, at: make(map[rowKey]int, batchRows), puts: make([]hbase.Put, 0, batchRows)}
}

// derived returns writes of derived cells. A repair after an import that died may have removed such cells, because
// their sources were missing. Then they are rewritten.
func (im *importer) derived() *writes {
	w := im.truth()
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
	w.put(hbase.Put{Table: table, Row: row, Cells: []hbase.Cell{cell}})
}

// remove deletes a cell, and what is older in its column.
func (w *writes) remove(table, row string, cell hbase.Cell) {
	w.cells++
	w.deletes = append(w.deletes, rebuild.Remove(table, row, cell))
}

// flushFull sends what was collected if it is a batch.
func (w *writes) flushFull(ctx context.Context) error {
	if w.cells < maxCells {
		return nil
	}
	return w.flush(ctx)
}

// flush sends what was collected, and returns when it is durable.
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
