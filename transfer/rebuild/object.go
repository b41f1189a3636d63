package rebuild

import (
	"context"
	"iter"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Stored is an object as the store has it.
type Stored[T any] struct {
	Key   string
	Value *T
	// Timestamp is that of its youngest attribute among those that were read.
	Timestamp int64
}

// Objects iterates over all objects of a kind, in the order of their row keys, with the attributes that the schema's fields of these
// names need. The first error ends the iteration.
func Objects[T any](ctx context.Context, store hbase.Store, o *tables.Object[T], fields ...string) iter.Seq2[Stored[T], error] {
	columns := o.Columns(fields)
	if columns == "" {
		columns = tables.Existence
	}
	return func(yield func(Stored[T], error) bool) {
		for row, err := range store.Scan(ctx, hbase.Scan{Table: o.Table, Columns: columns, PageSize: nextPage}) {
			var s Stored[T]
			if err == nil {
				s.Key, err = tables.OwnerOf(row.Key)
			}
			if err == nil {
				s.Value, err = o.Decode(s.Key, row.Cells)
			}
			if err == nil && s.Value == nil {
				continue
			}
			s.Timestamp = Youngest(row.Cells)
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

// Youngest returns the greatest timestamp of cells, 0 if there are none.
func Youngest(cells []hbase.Cell) (timestamp int64) {
	for i := range cells {
		timestamp = max(timestamp, cells[i].Timestamp)
	}
	return timestamp
}
