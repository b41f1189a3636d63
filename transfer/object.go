package transfer

import (
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

func objectSchema[T any](o *tables.Object[T]) schema {
	required, optional, fields := o.File()
	return schema{o.Table, required, optional, importObjects(o),
		func(ctx context.Context, store hbase.Store, row emit) error {
			for t, err := range rebuild.Objects(ctx, store, o, fields...) {
				if err == nil {
					err = row(o.Row(t)...)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}}
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

func importObjects[T any](o *tables.Object[T]) func(*importer, context.Context) error {
	references := referencesOf(o)
	return func(im *importer, ctx context.Context) error {
		return pipe(ctx, im, o.Table, parseObject(o), o.Key, func(ctx context.Context, batch []item[*T]) error {
			batch, err := known(ctx, im, batch, references...)
			if err != nil {
				return err
			}
			if len(references) > 0 {
				return revise(ctx, im, o, batch)
			}
			derived, sources := im.visibleWrites(), im.sourceWrites()
			if err := addToSearch(ctx, im, derived, o, batch); err != nil {
				return err
			}
			for _, it := range batch {
				sources.put(o.Put(o.Key(it.value), it.value, timeless))
			}
			if err := derived.flush(ctx); err != nil {
				return err
			}
			return sources.flush(ctx)
		})
	}
}

func referencesOf[T any](o *tables.Object[T]) (names []name[*T]) {
	for _, ref := range tables.References() {
		if ref.Object == &o.AnyObject {
			names = append(names, name[*T]{ref.Attribute, ref.List.Owner, func(t *T) string { return ref.TargetOf(t) }, nil})
		}
	}
	return names
}

// revision is an object as stored and as in a file.
type revision struct {
	key     string
	before  []hbase.Cell
	after   hbase.Put
	removed []hbase.Cell // stored cells whose value is empty in the file
	changed bool
}

// revisions compares objects with the stored ones. Changed objects get a later timestamp: see
// doc.go.
func revisions[T any](ctx context.Context, im *importer, o *tables.Object[T], batch []item[*T]) ([]revision, error) {
	_, _, fields := o.File()
	var keys []string
	latest := map[string]*T{} // from the last row
	for _, it := range batch {
		key := o.Key(it.value)
		if latest[key] == nil {
			keys = append(keys, key)
		}
		latest[key] = it.value
	}
	get := func(key string) hbase.Get { return o.Get(key, o.Columns(fields)) }
	stored, err := hbase.GetEach(ctx, im.store, keys, get)
	if err != nil {
		return nil, err
	}
	all := make([]revision, len(keys))
	for i, key := range keys {
		v := revision{key: key, before: stored[i], after: o.Put(key, latest[key], hbase.LatestTimestamp(stored[i])+1)}
		for _, old := range v.before {
			if hbase.FindCell(v.after.Cells, old.Family, old.Qualifier) == nil {
				v.removed = append(v.removed, old)
			}
		}
		v.changed = len(v.removed) > 0 || slices.ContainsFunc(v.after.Cells, func(c hbase.Cell) bool {
			old := hbase.FindCell(v.before, c.Family, c.Qualifier)
			return old == nil || string(old.Value) != string(c.Value)
		})
		all[i] = v
	}
	return all, nil
}

func revise[T any](ctx context.Context, im *importer, o *tables.Object[T], batch []item[*T]) error {
	revisions, err := revisions(ctx, im, o, batch)
	if err != nil {
		return err
	}
	derived, sources := im.visibleWrites(), im.sourceWrites()
	for _, ref := range tables.References() {
		if ref.Object == &o.AnyObject {
			if err := im.moveReferrers(ctx, derived, ref, revisions); err != nil {
				return err
			}
		}
	}
	for _, v := range revisions {
		if v.changed {
			sources.put(v.after)
		}
		for _, old := range v.removed {
			sources.remove(v.after.Table, v.after.Row, old)
		}
	}
	if err := derived.flush(ctx); err != nil {
		return err
	}
	return sources.flush(ctx)
}

func (im *importer) moveReferrers(ctx context.Context, w *writes, ref *tables.Reference, revisions []revision) error {
	list := im.lists[ref.List]
	var moves [][2]tables.Referrer
	var owners []string
	for _, v := range revisions {
		before, _, err := ref.Decode(v.key, v.before)
		if err != nil {
			return err
		}
		after, _, err := ref.Decode(v.key, v.after.Cells)
		if err != nil {
			return err
		}
		moves = append(moves, [2]tables.Referrer{before, after})
		for _, r := range moves[len(moves)-1] {
			if r.Listed {
				owners = append(owners, r.Owner)
			}
		}
	}
	if err := list.touch(ctx, owners); err != nil {
		return err
	}
	for i, move := range moves {
		before, after := move[0], move[1]
		if before.Listed && (before.Owner != after.Owner || before.Member.Qualifier != after.Member.Qualifier) {
			im.remove(w, list, before.Owner, before.Member)
		}
		if after.Listed && revisions[i].changed {
			list.put(w, after.Owner, after.Member)
		}
	}
	return nil
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
