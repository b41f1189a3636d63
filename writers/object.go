package writers

import (
	"cmp"
	"reflect"
	"strconv"
	"strings"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// origin identifies a creation, so that a repetition finds the object. Without a key, it is unique.
func (w *Writers) origin(caller string, key *string) string {
	if key == nil {
		return tables.KeyedName("", w.newOp(w.now()))
	}
	return tables.KeyedName(caller, *key)
}

const originColumns = tables.Existence + " " + tables.Attributes + ":" + tables.Origin

// checkNew returns true if an earlier attempt of the same creation made the object. The error is
// ALREADY_EXISTS if another object has the key, and NOT_FOUND if the object of the idempotency key
// was deleted.
func checkNew(
	o *tables.AnyObject, key, origin string, idempotencyKey *string, cells []hbase.Cell,
) (exists bool, err error) {
	name := attribute(cells, "name")
	switch {
	case attribute(cells, tables.Origin) == origin:
		if name == tables.DeletedValue && idempotencyKey != nil {
			err = reject(NotFound, "idempotencyKey", "the object that was created under this key was deleted")
		}
		return true, err
	case name == "" || name == tables.DeletedValue && o.Reusable:
		return false, nil
	case o.Reusable:
		return false, reject(AlreadyExists, "code", "there is a %q already", key)
	}
	return false, taken(key)
}

func taken(username string) error { return reject(AlreadyExists, "username", "%q is taken", username) }

func commitNew[T any](
	o *tables.Object[T], key string, arguments any, origin string, idempotencyKey *string, r *reading,
	others ...hbase.Cell,
) (decision, error) {
	if exists, err := checkNew(&o.AnyObject, key, origin, idempotencyKey, r.row); err != nil || exists {
		return unchanged, err
	}
	d := commitChanges(o, new(T), arguments, r)
	return commit(append(append(others, originCell(origin, r.at)), d.commitCells...)...), nil
}

// field is the input field of the key.
func updateType[T, A any](
	name, field string, o *tables.Object[T], target func(A) (key string, version *string),
) opType[A] {
	return opType[A]{
		name: name, properties: properties{nonIdempotent: true},
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

func commitChanges[T any](o *tables.Object[T], t *T, arguments any, r *reading) decision {
	var cells []hbase.Cell
	for _, v := range attributeValues(o, arguments) {
		switch text := *cmp.Or(v.text, new(string)); {
		case text == o.Text(t, v.column):
		case text == "":
			cells = append(cells, tables.Without(v.column, r.at))
		default:
			cells = append(cells, attributeCell(v.column, text, r.at))
		}
	}
	if len(cells) == 0 {
		return unchanged
	}
	return commit(append(cells, versionCell(r.operation))...)
}

func existing[T any](o *tables.Object[T], key string, cells []hbase.Cell, field string) (*T, error) {
	t, err := o.Decode(key, cells)
	if err == nil && t == nil {
		err = reject(NotFound, field, "there is no %q", key)
	}
	return t, err
}

func attributeCell(column, text string, at int64) hbase.Cell {
	return hbase.Cell{Family: tables.Attributes, Qualifier: column, Timestamp: at, Value: []byte(text)}
}

func originCell(origin string, at int64) hbase.Cell { return attributeCell(tables.Origin, origin, at) }

func versionCell(o operation) hbase.Cell { return attributeCell(tables.Version, o.id, o.at) }

func attribute(cells []hbase.Cell, name string) string {
	if c := hbase.FindCell(cells, tables.Attributes, name); c != nil {
		return string(c.Value)
	}
	return ""
}

func checkVersion(expected *string, version string) error {
	if expected == nil || *expected == version {
		return nil
	}
	return reject(Conflict, "expectedVersion", "it was changed by another request: the version is now %q", version)
}

// Change updates an attribute, if Given is true. A nil Value removes the attribute.
type Change[T any] struct {
	Given bool
	Value *T
}

type attributeValue struct {
	column  string
	form    tables.Form
	text    *string
	removed bool
}

// arguments is a pointer to a struct, whose fields have the names of attributes, except for case.
func attributeValues[T any](o *tables.Object[T], arguments any) (all []attributeValue) {
	fields := reflect.ValueOf(arguments).Elem()
	for column, form := range o.Forms() {
		field := fields.FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, column) })
		if !field.IsValid() {
			continue
		}
		v, given := attributeValue{column: column, form: form}, true
		switch field := field.Addr().Interface().(type) {
		case *string:
			v.text = field
		case **string:
			v.text = *field
		case **int:
			v.text = decimal(*field)
		case *Change[string]:
			given, v.text, v.removed = field.Given, field.Value, field.Value == nil
		case *Change[int]:
			given, v.text, v.removed = field.Given, decimal(field.Value), field.Value == nil
		}
		if given {
			all = append(all, v)
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

// checkAttributes validates the attributes in arguments, and replaces texts by their stored form.
func checkAttributes[T any](in *input, o *tables.Object[T], arguments any) {
	for _, v := range attributeValues(o, arguments) {
		if v.text != nil {
			*v.text = in.attribute(v.form, v.column, *v.text)
		} else if v.removed && v.column == "name" {
			in.bad(v.column, "it can be changed, but not removed")
		}
	}
}
