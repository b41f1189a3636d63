package transfer

import (
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

func (im *importer) importRoles(ctx context.Context) error {
	return pipe(ctx, im, "roles", parseObject(tables.Roles), tables.Roles.Key,
		func(ctx context.Context, batch []item[*tables.Role]) error {
			batch, err := known(ctx, im, batch,
				name[*tables.Role]{"department", &tables.Departments.AnyObject, func(r *tables.Role) string { return value(r.DepartmentCode) }})
			if err != nil {
				return err
			}
			return revise(ctx, im, tables.Roles, batch)
		})
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// revise writes objects that stand in lists by what they say. One that says the same as in the store is not written, and one that
// says something else becomes younger, so that its new place in a list is younger than what removes the old one. What a row leaves
// empty is removed.
func revise[T any](ctx context.Context, im *importer, o *tables.Object[T], batch []item[*T]) error {
	_, _, fields := o.File()
	latest := map[string]*T{}
	var keys []string
	var gets []hbase.Get
	for _, it := range batch {
		k := o.Key(it.value)
		if latest[k] == nil {
			keys, gets = append(keys, k), append(gets, o.Get(k, o.Columns(fields)))
		}
		latest[k] = it.value
	}
	stored, err := rebuild.Read(ctx, im.store, gets)
	if err != nil {
		return err
	}
	w := newWrites(im.store, len(batch))
	for i, k := range keys {
		old, youngest := stored[i], rebuild.Youngest(stored[i])
		put := o.Put(k, latest[k], youngest+1)
		if sameValues(put.Cells, old) {
			continue
		}
		w.put(put)
		for _, c := range old {
			if !slices.ContainsFunc(put.Cells, func(n hbase.Cell) bool { return n.Qualifier == c.Qualifier }) {
				w.remove(put.Table, put.Row, c.Family, c.Qualifier, youngest)
			}
		}
	}
	return w.flush(ctx)
}

// sameValues reports whether cells of a row, each of another column, say what the stored ones do.
func sameValues(cells, stored []hbase.Cell) bool {
	return len(cells) == len(stored) && !slices.ContainsFunc(cells, func(c hbase.Cell) bool {
		return !slices.ContainsFunc(stored, func(s hbase.Cell) bool {
			return s.Qualifier == c.Qualifier && string(s.Value) == string(c.Value)
		})
	})
}
