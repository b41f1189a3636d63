package transfer

import (
	"context"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Files of objects follow from the declarations of the objects: see [tables.Object.File].

// objectSchema is the schema of the file of a kind of object.
func objectSchema[T any](
	o *tables.Object[T], imports func(*importer, context.Context) error,
	exports func(ctx context.Context, store hbase.Store, row emit) error,
) schema {
	required, optional, _ := o.File()
	return schema{o.Table, required, optional, imports, exports}
}

func parseObject[T any](o *tables.Object[T]) func(*row) *T {
	m := new(tables.Memory)
	return func(r *row) *T {
		t, column, err := o.ParseRow(m, r.text)
		if err != nil {
			r.fail(column, "%v", err)
		}
		return t
	}
}

// importObjects imports objects that no list has.
func importObjects[T any](o *tables.Object[T]) func(*importer, context.Context) error {
	return func(im *importer, ctx context.Context) error {
		return pipe(ctx, im, o.Table, parseObject(o), o.Key, func(ctx context.Context, batch []item[*T]) error {
			w := newWrites(im.store, len(batch))
			for _, it := range batch {
				w.put(o.Put(o.Key(it.value), it.value, timeless))
			}
			if err := w.flush(ctx); err != nil || !im.blank {
				return err
			}
			for _, it := range batch {
				im.objects[&o.AnyObject].note(o.Key(it.value), o.Key(it.value))
			}
			return nil
		})
	}
}

func exportObjects[T any](o *tables.Object[T]) func(context.Context, hbase.Store, emit) error {
	return func(ctx context.Context, store hbase.Store, row emit) error {
		_, _, fields := o.File()
		return objects(ctx, store, o, fields, func(t *T) error { return row(o.Row(t)...) })
	}
}
