package writers

import (
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// This file has what operations on objects with attributes share: creation under an idempotency
// key, updates that expect a version, and deletion.

// origin identifies a creation: it is a function of the caller and the idempotency key, and unique
// without a key. The object's row stores it, so a creation whose answer was lost finds what it
// made.
func (w *Writers) origin(caller string, key *string) string {
	if key == nil {
		return tables.KeyedName("", w.newOp(w.now()))
	}
	return tables.KeyedName(caller, *key)
}

// originColumns are what createdBefore and checkCode read.
const originColumns = tables.Existence + " " + tables.Attributes + ":" + tables.Origin

// createdBefore reports whether the cells of an object say that this very creation made it. The
// error is a NOT_FOUND if the object was deleted since, and others may have made it under the same
// key.
func createdBefore(cells []hbase.Cell, origin string, key *string) (before bool, err error) {
	if attribute(cells, tables.Origin) != origin {
		return false, nil
	}
	if attribute(cells, "name") == tables.Gone && key != nil {
		return true, refuse(NotFound, "idempotencyKey", "what was made under this key was deleted")
	}
	return true, nil
}

// checkCode is createdBefore for an object with a code, which may be reused. The error is an
// ALREADY_EXISTS if another creation made an object with that code.
func checkCode(cells []hbase.Cell, code, origin string, key *string) (before bool, err error) {
	before, err = createdBefore(cells, origin, key)
	if name := attribute(cells, "name"); !before && name != "" && name != tables.Gone {
		err = refuse(AlreadyExists, "code", "there is a %q already", code)
	}
	return before, err
}

// existing returns the object that the cells hold. The error is a NOT_FOUND if there is none.
func existing[T any](o *tables.Object[T], key string, cells []hbase.Cell, field string) (*T, error) {
	t, err := o.Decode(key, cells)
	if err == nil && t == nil {
		err = refuse(NotFound, field, "there is no %q", key)
	}
	return t, err
}

// originCell stores the origin of a new object.
func originCell(origin string, at int64) hbase.Cell {
	return hbase.Cell{Family: tables.Attributes, Qualifier: tables.Origin, Timestamp: at, Value: []byte(origin)}
}

// versionCell gives an object a new version.
func versionCell(o operation) hbase.Cell {
	return hbase.Cell{Family: tables.Attributes, Qualifier: tables.Version, Timestamp: o.at, Value: []byte(o.id)}
}

// attribute returns the text of an attribute, empty if it is not among the cells.
func attribute(cells []hbase.Cell, name string) string {
	for _, c := range cells {
		if c.Family == tables.Attributes && c.Qualifier == name {
			return string(c.Value)
		}
	}
	return ""
}

// checkVersion refuses to change an object that others changed since the version that the caller
// expects; nil expects none.
func checkVersion(expected *string, version string) error {
	if expected == nil || *expected == version {
		return nil
	}
	return refuse(Conflict, "expectedVersion", "it was changed meanwhile: the version is %q now", version)
}

// Change is what an update does to an attribute: nothing unless it is given. A nil Value removes
// the attribute.
type Change[T any] struct {
	Given bool
	Value *T
}

// change checks the value of a change.
func change[T any](check func(string, *T) *T, field string, c Change[T]) Change[T] {
	c.Value = check(field, c.Value)
	return c
}

// changedName is a name that can be changed, but not removed.
func (in *input) changedName(check func(field, s string) string, c Change[string]) Change[string] {
	if c.Given && c.Value == nil {
		in.bad("name", "it can be changed, but not taken away")
	}
	return change(func(field string, s *string) *string { return optional(check, field, s) }, "name", c)
}

// update makes the cells of an update, attribute by attribute.
type update struct{ removed []string }

// set sets the new value of an attribute, if it differs from the old one.
func set[T comparable](u *update, attribute string, old *T, c Change[T], new **T) {
	switch {
	case !c.Given || old == nil && c.Value == nil || old != nil && c.Value != nil && *old == *c.Value:
	case c.Value == nil:
		u.removed = append(u.removed, attribute)
	default:
		*new = c.Value
	}
}

// decision commits the cells of put, the removed attributes and a new version.
func (u *update) decision(put hbase.Put, o operation) (decision, error) {
	cells := slices.Clone(put.Cells)
	for _, attribute := range u.removed {
		cells = append(cells, tables.Without(attribute, o.at))
	}
	if len(cells) == 0 {
		return unchanged, nil
	}
	return commit(append(cells, versionCell(o))...), nil
}
