package transfer

import (
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/transfer/rebuild"
)

// objectSchema is the schema of the files of a kind of object. It follows from the declaration of the kind: see
// [tables.Object.File].
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
				err = revise(ctx, im, o, batch)
			} else {
				w := newWrites(im.store, len(batch))
				for _, it := range batch {
					w.put(o.Put(o.Key(it.value), it.value, timeless))
				}
				err = w.flush(ctx)
			}
			if err == nil && im.blank {
				for _, it := range batch {
					im.objects[&o.AnyObject].note(o.Key(it.value), o.Key(it.value))
				}
			}
			return err
		})
	}
}

// referencesOf returns the columns in which such objects name others.
func referencesOf[T any](o *tables.Object[T]) (names []name[*T]) {
	for _, ref := range tables.References() {
		if ref.Object == &o.AnyObject {
			names = append(names, name[*T]{ref.Attribute, ref.List.Owner, func(t *T) string { return ref.Named(t) }})
		}
	}
	return names
}

// revision are an object's attributes as they are stored, and as a file has them.
type revision struct {
	key    string
	before []hbase.Cell
	after  hbase.Put
	// removed are the stored attributes that the file leaves empty.
	removed []hbase.Cell
	changed bool
}

// revisions compares objects with what is stored. If a key comes twice, the later row counts. An object that says something
// else becomes younger, so that its new place in a list is younger than what removes the old one.
func revisions[T any](ctx context.Context, im *importer, o *tables.Object[T], batch []item[*T]) ([]revision, error) {
	_, _, fields := o.File()
	latest := map[string]*T{}
	var gets []hbase.Get
	var all []revision
	for _, it := range batch {
		key := o.Key(it.value)
		if latest[key] == nil {
			all, gets = append(all, revision{key: key}), append(gets, o.Get(key, o.Columns(fields)))
		}
		latest[key] = it.value
	}
	stored, err := hbase.GetAll(ctx, im.store, gets)
	if err != nil {
		return nil, err
	}
	for i := range all {
		v := &all[i]
		v.before = stored[i]
		v.after = o.Put(v.key, latest[v.key], rebuild.Youngest(v.before)+1)
		same := 0
		for _, old := range v.before {
			j := slices.IndexFunc(v.after.Cells, func(c hbase.Cell) bool { return c.Qualifier == old.Qualifier })
			if j < 0 {
				v.removed = append(v.removed, old)
			} else if string(v.after.Cells[j].Value) == string(old.Value) {
				same++
			}
		}
		v.changed = len(v.removed) > 0 || same < len(v.after.Cells)
	}
	return all, nil
}

// revise writes objects that are in lists because of what they refer to, unless they say the same as in the store. The object
// comes last: one that is there has all that follows from it.
func revise[T any](ctx context.Context, im *importer, o *tables.Object[T], batch []item[*T]) error {
	revisions, err := revisions(ctx, im, o, batch)
	if err != nil {
		return err
	}
	derived, truth := im.derived(len(batch)), newWrites(im.store, len(batch))
	for _, ref := range tables.References() {
		if ref.Object == &o.AnyObject {
			if err := im.moveReferrers(ctx, derived, ref, revisions); err != nil {
				return err
			}
		}
	}
	for _, v := range revisions {
		if v.changed {
			truth.put(v.after)
		}
		for _, old := range v.removed {
			truth.remove(v.after.Table, v.after.Row, old)
		}
	}
	if err := derived.flush(ctx); err != nil {
		return err
	}
	return truth.flush(ctx)
}

// moveReferrers moves objects to their places in the lists of the objects that they refer to.
func (im *importer) moveReferrers(ctx context.Context, w *writes, ref *tables.Reference, revisions []revision) error {
	list := im.lists[ref.List]
	before, after := make([]tables.Referrer, len(revisions)), make([]tables.Referrer, len(revisions))
	var owners []string
	for i, v := range revisions {
		var err error
		if before[i], _, err = ref.Decode(v.key, v.before); err != nil {
			return err
		}
		if after[i], _, err = ref.Decode(v.key, v.after.Cells); err != nil {
			return err
		}
		for _, r := range []tables.Referrer{before[i], after[i]} {
			if r.Listed {
				owners = append(owners, r.Owner)
			}
		}
	}
	if err := list.touch(ctx, owners); err != nil {
		return err
	}
	for i, v := range revisions {
		old, now := before[i], after[i]
		if old.Listed && (old.Owner != now.Owner || old.Member.Qualifier != now.Member.Qualifier) {
			im.remove(w, list, old.Owner, old.Member)
		}
		if now.Listed && v.changed {
			list.put(w, now.Owner, now.Member)
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
