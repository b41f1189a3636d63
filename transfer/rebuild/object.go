package rebuild

import (
	"cmp"
	"context"
	"iter"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Objects iterates over a table's objects, in the order of row keys, until the first error.
func Objects[T any](
	ctx context.Context, store hbase.Store, o *tables.Object[T], fields ...string,
) iter.Seq2[*T, error] {
	scan := hbase.Scan{Table: o.Table, Columns: cmp.Or(o.Columns(fields), tables.Existence), PageSize: nextPage}
	return func(yield func(*T, error) bool) {
		for row, err := range store.Scan(ctx, scan) {
			var key string
			var object *T
			if err == nil {
				key, err = tables.OwnerOf(row.Key)
			}
			if err == nil {
				object, err = o.Decode(key, row.Cells)
			}
			if (err != nil || object != nil) && !yield(object, err) || err != nil {
				return
			}
		}
	}
}

// Batches groups items by n. The first error ends the iteration.
func Batches[T any](all iter.Seq2[T, error], n int) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		batch := make([]T, 0, n)
		for t, err := range all {
			if err != nil {
				yield(nil, err)
				return
			}
			if batch = append(batch, t); len(batch) == n {
				if !yield(batch, nil) {
					return
				}
				batch = batch[:0]
			}
		}
		if len(batch) > 0 {
			yield(batch, nil)
		}
	}
}
