package writers

import (
	"cmp"
	"reflect"
	"strconv"
	"strings"

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

// originColumns are what checkNew reads.
const originColumns = tables.Existence + " " + tables.Attributes + ":" + tables.Origin

// checkNew reports whether the cells of an object say that this very creation made it. The error is
// an ALREADY_EXISTS if the key is another object's, or was and is not reusable; it is a NOT_FOUND if
// the object was deleted since, and others may have made it under the same key.
func checkNew(o *tables.AnyObject, key, origin string, idempotencyKey *string, cells []hbase.Cell) (before bool, err error) {
	name := attribute(cells, "name")
	switch {
	case attribute(cells, tables.Origin) == origin:
		if name == tables.Gone && idempotencyKey != nil {
			err = refuse(NotFound, "idempotencyKey", "what was made under this key was deleted")
		}
		return true, err
	case name == "" || name == tables.Gone && o.Reusable:
		return false, nil
	case o.Reusable:
		return false, refuse(AlreadyExists, "code", "there is a %q already", key)
	}
	return false, taken(key)
}

func taken(username string) error { return refuse(AlreadyExists, "username", "%q is taken", username) }

// commitNew commits a new object with the attributes that the arguments give it, and other cells,
// unless this very creation made it before.
func commitNew[T any](
	o *tables.Object[T], key string, arguments any, origin string, idempotencyKey *string, r *reading, others ...hbase.Cell,
) (decision, error) {
	if before, err := checkNew(&o.AnyObject, key, origin, idempotencyKey, r.row); err != nil || before {
		return unchanged, err
	}
	d := commitChanges(o, new(T), arguments, r)
	return commit(append(append(others, originCell(origin, r.at)), d.cells...)...), nil
}

// updateType declares the update of an object's attributes. target returns what the arguments say
// of the object's key, and of the version that the caller expects.
func updateType[T, A any](name, field string, o *tables.Object[T], target func(A) (key string, version *string)) opType[A] {
	return opType[A]{
		name: name, properties: properties{nonIdempotent: true}, // a second one could revert a later update
		row: func(a A) hbase.Get { key, _ := target(a); return o.Writable(key) },
		check: func(a *A, r *reading) (decision, error) {
			key, version := target(*a)
			t, err := existing(o, key, r.row, field)
			if err == nil {
				err = checkVersion(version, o.Text(t, tables.Version))
			}
			if err != nil {
				return unchanged, err
			}
			return commitChanges(o, t, a, r), nil
		},
	}
}

// commitChanges commits the attributes that the arguments change, and a new version.
func commitChanges[T any](o *tables.Object[T], t *T, arguments any, r *reading) decision {
	var cells []hbase.Cell
	for _, g := range attributesOf(o, arguments) {
		switch text := *cmp.Or(g.text, new(string)); {
		case text == o.Text(t, g.column):
		case text == "":
			cells = append(cells, tables.Without(g.column, r.at))
		default:
			cells = append(cells, attributeCell(g.column, text, r.at))
		}
	}
	if len(cells) == 0 {
		return unchanged
	}
	return commit(append(cells, versionCell(r.operation))...)
}

// existing returns the object that the cells hold. The error is a NOT_FOUND if there is none.
func existing[T any](o *tables.Object[T], key string, cells []hbase.Cell, field string) (*T, error) {
	t, err := o.Decode(key, cells)
	if err == nil && t == nil {
		err = refuse(NotFound, field, "there is no %q", key)
	}
	return t, err
}

func attributeCell(column, text string, at int64) hbase.Cell {
	return hbase.Cell{Family: tables.Attributes, Qualifier: column, Timestamp: at, Value: []byte(text)}
}

// originCell stores the origin of a new object.
func originCell(origin string, at int64) hbase.Cell { return attributeCell(tables.Origin, origin, at) }

// versionCell gives an object a new version.
func versionCell(o operation) hbase.Cell { return attributeCell(tables.Version, o.id, o.at) }

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

// given is what arguments say of an attribute: its value as it is stored, nil if they leave it out
// or remove it.
type given struct {
	column  string
	form    tables.Form
	text    *string
	removed bool
}

// attributesOf returns what arguments, a pointer to a struct, say of the attributes of an object: in
// the fields that have their names, whatever the case.
func attributesOf[T any](o *tables.Object[T], arguments any) (all []given) {
	fields := reflect.ValueOf(arguments).Elem()
	for column, form := range o.Forms() {
		field := fields.FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, column) })
		if !field.IsValid() {
			continue
		}
		g, isGiven := given{column: column, form: form}, true
		switch field := field.Addr().Interface().(type) {
		case *string:
			g.text = field
		case **string:
			g.text = *field
		case **int:
			g.text = decimal(*field)
		case *Change[string]:
			isGiven, g.text, g.removed = field.Given, field.Value, field.Value == nil
		case *Change[int]:
			isGiven, g.text, g.removed = field.Given, decimal(field.Value), field.Value == nil
		}
		if isGiven {
			all = append(all, g)
		}
	}
	return all
}

func decimal(n *int) *string {
	if n == nil {
		return nil
	}
	return new(strconv.Itoa(*n))
}

// checkAttributes checks what arguments give the attributes of an object, and normalises it.
func checkAttributes[T any](in *input, o *tables.Object[T], arguments any) {
	for _, g := range attributesOf(o, arguments) {
		if g.text != nil {
			*g.text = in.attribute(g.form, g.column, *g.text)
		} else if g.removed && g.column == "name" {
			in.bad(g.column, "it can be changed, but not taken away")
		}
	}
}
