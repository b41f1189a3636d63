package tables

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"twibase/hbase"
)

// Attributes is the family of an object's attributes. A column has the name of the schema field that it fills. Its value
// is text, so that the HBase shell shows it.
const Attributes = "i"

// Existence is the column that every object has. Every read of a row includes it: without it, a missing row could not
// be told from one that lacks the columns asked for.
const Existence = Attributes + ":name"

// Object declares a kind of object and how its attributes lie in a row. T is its row type, to which
// gqlgen binds the object type of the schema.
type Object[T any] struct {
	AnyObject
	attributes []attribute[T]
	key        func(*T) *string
	keyColumn  string // of the key in the objects' file
	// lazy points to the field that tells that a T was made by [Object.NewLazy]; nil if T has none.
	lazy func(*T) *bool
}

// Columns returns the columns, as in [hbase.Get], that these schema fields need. It is empty if the key alone is enough.
func (o *Object[T]) Columns(fields []string) string {
	var b strings.Builder
	for _, a := range o.attributes {
		if a.column != "name" && a.neededBy(fields) {
			b.WriteString(" " + Attributes + ":" + a.column)
		}
	}
	if b.Len() == 0 && !slices.Contains(fields, "name") {
		return ""
	}
	return Existence + b.String()
}

// All returns every attribute's column.
func (o *Object[T]) All() string {
	columns := make([]string, len(o.attributes))
	for i, a := range o.attributes {
		columns[i] = Attributes + ":" + a.column
	}
	return strings.Join(columns, " ")
}

// Forms iterates over the columns of the attributes that mutations set, and their forms.
func (o *Object[T]) Forms() iter.Seq2[string, Form] {
	return func(yield func(string, Form) bool) {
		for _, a := range o.attributes {
			if a.form != 0 && !yield(a.column, a.form) {
				return
			}
		}
	}
}

// Writable reads the attributes of an object that mutations set, and the version.
func (o *Object[T]) Writable(key string) hbase.Get {
	fields := []string{Version}
	for column := range o.Forms() {
		fields = append(fields, column)
	}
	return o.Get(key, o.Columns(fields))
}

// Text returns the value of an attribute as it is stored, empty if it is absent.
func (o *Object[T]) Text(t *T, column string) string {
	for _, a := range o.attributes {
		if a.column == column {
			return a.get(t)
		}
	}
	return ""
}

// Get reads the columns of the object with that key.
func (o *Object[T]) Get(key, columns string) hbase.Get {
	return hbase.Get{Table: o.Table, Row: RowKey(key), Columns: columns}
}

// GetIn is [Object.Get] for many objects: their row keys are made in m.
func (o *Object[T]) GetIn(m *Memory, key, columns string) hbase.Get {
	return hbase.Get{Table: o.Table, Row: m.rowKey(key), Columns: columns}
}

// Key returns the key of an object.
func (o *Object[T]) Key(t *T) string { return *o.key(t) }

// New returns objects of which only the keys are set. They share one allocation.
func (o *Object[T]) New(keys ...string) []*T {
	all, objects := make([]T, len(keys)), make([]*T, len(keys))
	for i, key := range keys {
		objects[i] = &all[i]
		*o.key(objects[i]) = key
	}
	return objects
}

// NewLazy is [Object.New] for lazy objects: their rows are read later, and an object without a row becomes null.
func (o *Object[T]) NewLazy(keys ...string) []*T {
	objects := o.New(keys...)
	if o.lazy != nil {
		for _, t := range objects {
			*o.lazy(t) = true
		}
	}
	return objects
}

// Decode returns the object with the attributes among the cells, nil if the cells say that it does not exist: see
// [Object.Fill].
func (o *Object[T]) Decode(key string, cells []hbase.Cell) (*T, error) {
	return o.DecodeIn(new(Memory), key, cells)
}

// DecodeIn is [Object.Decode] for many objects.
func (o *Object[T]) DecodeIn(m *Memory, key string, cells []hbase.Cell) (*T, error) {
	t := new(T)
	*o.key(t) = key
	if exists, err := o.Fill(m, t, key, cells); err != nil || !exists {
		return nil, err
	}
	return t, nil
}

// Fill sets the attributes of an object of [Object.New] or [Object.NewLazy] from cells, in m. It reports whether the
// object exists: whether it has a name, and not [Gone]. Any other attribute that is Gone is absent. Cells of other families
// and of unknown columns are skipped. The error is [hbase.ErrCorrupt].
//
// A count without a cell is set to 0, even if its column was not read: never Put a decoded object.
func (o *Object[T]) Fill(m *Memory, t *T, key string, cells []hbase.Cell) (exists bool, err error) {
	for _, c := range cells {
		if c.Family != Attributes {
			continue
		}
		gone := string(c.Value) == Gone
		if c.Qualifier == "name" {
			if gone {
				return false, nil
			}
			exists = true
		}
		if gone {
			continue
		}
		for i := range o.attributes {
			if a := &o.attributes[i]; a.column == c.Qualifier {
				if err := a.set(m, t, textOf(c.Value)); err != nil {
					return false, fmt.Errorf("%w: %s %q, column %s: %w", hbase.ErrCorrupt, o.Table, key, a.column, err)
				}
				break
			}
		}
	}
	if !exists {
		return false, nil
	}
	for i := range o.attributes {
		if zero := o.attributes[i].zero; zero != nil {
			zero(t)
		}
	}
	return true, nil
}

// Removal returns the cells that mark an object as deleted and remove its attributes. Its counts and its version stay.
func (o *Object[T]) Removal(timestamp int64) (cells []hbase.Cell) {
	for _, a := range o.attributes {
		if a.zero == nil {
			cells = append(cells, Without(a.column, timestamp))
		}
	}
	return cells
}

// Put writes the attributes that t has, with that timestamp. It leaves the columns of the others alone.
func (o *Object[T]) Put(key string, t *T, timestamp int64) hbase.Put {
	put := hbase.Put{Table: o.Table, Row: RowKey(key)}
	for _, a := range o.attributes {
		if text := a.get(t); text != "" {
			put.Cells = append(put.Cells, textCell(a.column, text, timestamp))
		}
	}
	return put
}
