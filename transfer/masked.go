package transfer

import (
	"bytes"
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// maxRewrites is how often what is still hidden is put again, each time twice as much younger.
const maxRewrites = 16

// derived returns writes of what follows from rows. A repair that came after an import that died has taken such things out, for nothing said yet
// that they should be there; each went with a marker of its own timestamp, which hides what has the same.
func (im *importer) derived(rows int) *writes {
	w := newWrites(im.store, rows)
	w.rewriteMasked = im.repaired
	return w
}

// rewriteMasked puts again what can't be read though it was put, a little younger: what a gateway decided in the meantime is a good deal younger.
func rewriteMasked(ctx context.Context, store hbase.Store, puts []hbase.Put) error {
	var open []hbase.Put
	for _, p := range puts {
		for _, c := range p.Cells {
			open = append(open, hbase.Put{Table: p.Table, Row: p.Row, Cells: []hbase.Cell{c}})
		}
	}
	for n := range maxRewrites {
		gets := make([]hbase.Get, len(open))
		for i, p := range open {
			gets[i] = hbase.Get{Table: p.Table, Row: p.Row, Columns: p.Cells[0].Family, Page: hbase.Exactly(p.Cells[0].Qualifier)}
		}
		stored, err := rebuild.Read(ctx, store, gets)
		if err != nil {
			return err
		}
		var hidden []hbase.Put
		var mutations []hbase.Mutation
		for i, p := range open {
			c := &p.Cells[0]
			if len(stored[i]) == 0 {
				c.Timestamp += 1 << n
			} else if old := stored[i][0]; old.Timestamp > c.Timestamp && !bytes.Equal(old.Value, c.Value) && !tables.Moved(old) {
				c.Timestamp = old.Timestamp + 1
			} else {
				continue
			}
			hidden, mutations = append(hidden, p), append(mutations, p)
		}
		if open = hidden; len(open) == 0 {
			return nil
		}
		if err := rebuild.Write(ctx, store, mutations); err != nil {
			return err
		}
	}
	return nil
}
