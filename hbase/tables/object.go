package tables

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"twibase/hbase"
)

// Attributes is the family of attributes. Columns are named like schema fields, and values are
// text.
const Attributes = "i"

// Existence is a column of every [Object]. [Object.Columns] includes it, because it distinguishes a
// missing object from one without the selected attributes.
const Existence = Attributes + ":name"

// AnyObject is an [Object] without its row type.
type AnyObject struct {
	Noun  Noun
	Name  string // in messages, and for [ObjectNamed]
	Table string
	// Reusable means that a new object may have a deleted object's key.
	Reusable bool
	CheckKey func(key string) error
	Search   *Search // may be nil
	named    *nameLookup
	author   func(key string) (username string)
}

// nameLookup looks up objects whose names are not their keys: twits.
type nameLookup struct {
	check func(name string) error
	of    func(key string) (name string)
	get   func(name string) hbase.Get
	find  func(cells []hbase.Cell) (key string, found bool, err error)
}

// TextKeys reports whether all keys are valid UTF-8.
func (o *AnyObject) TextKeys() bool { return o.named == nil }

// Author returns the user, if any, whose deletion also deletes the object.
func (o *AnyObject) Author(key string) (username string, ok bool) {
	if o.author == nil {
		return "", false
	}
	return o.author(key), true
}

// CheckName checks the form of a name.
func (o *AnyObject) CheckName(name string) error {
	if o.named != nil {
		return o.named.check(name)
	}
	return o.CheckKey(name)
}

// NameOf returns a twit's name, or the key of another object.
func (o *AnyObject) NameOf(key string) string {
	if o.named != nil {
		return o.named.of(key)
	}
	return key
}

// Lookup reads the key of a name.
func (o *AnyObject) Lookup(name string) hbase.Get {
	if o.named != nil {
		return o.named.get(name)
	}
	return hbase.Get{Table: o.Table, Row: RowKey(name), Columns: Existence}
}

// Find decodes [AnyObject.Lookup], and skips deleted objects.
func (o *AnyObject) Find(name string, cells []hbase.Cell) (key string, found bool, err error) {
	if o.named != nil {
		return o.named.find(cells)
	}
	for i := range cells {
		if c := &cells[i]; c.Family == Attributes && c.Qualifier == "name" {
			if len(c.Value) == 0 || !utf8.Valid(c.Value) {
				return "", false, fmt.Errorf("%w: %s %q: the name %q is no text", hbase.ErrCorrupt, o.Table, name, c.Value)
			}
			return name, string(c.Value) != DeletedValue, nil
		}
	}
	return "", false, nil
}

// ExistenceOf reads whether an object exists.
func (o *AnyObject) ExistenceOf(key string) hbase.Get { return o.Lookup(o.NameOf(key)) }

// Exists decodes [AnyObject.ExistenceOf], or any read that includes [Existence].
func (o *AnyObject) Exists(key string, cells []hbase.Cell) (bool, error) {
	found, exists, err := o.Find(o.NameOf(key), cells)
	return exists && found == key, err
}

// Object declares the objects of a noun. gqlgen binds the row type T to the schema. A pointer in T
// is nil if the attribute is absent or was not read. [Object.Fill] has exceptions.
type Object[T any] struct {
	AnyObject
	attributes []attribute[T]
	key        func(*T) *string
	keyColumn  string         // of the CSV file
	lazy       func(*T) *bool // for [Object.NewLazy]; may be nil
}

// Columns returns the [hbase.Get.Columns] of schema fields, or "" if they need only the key.
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

// Forms iterates over the columns that mutations set.
func (o *Object[T]) Forms() iter.Seq2[string, Form] {
	return func(yield func(string, Form) bool) {
		for _, a := range o.attributes {
			if a.form != 0 && !yield(a.column, a.form) {
				return
			}
		}
	}
}

// Writable reads the columns of [Object.Forms], and the version.
func (o *Object[T]) Writable(key string) hbase.Get {
	fields := []string{Version}
	for column := range o.Forms() {
		fields = append(fields, column)
	}
	return o.Get(key, o.Columns(fields))
}

// Text returns the stored text of an attribute, or "".
func (o *Object[T]) Text(t *T, column string) string {
	for _, a := range o.attributes {
		if a.column == column {
			return a.get(t)
		}
	}
	return ""
}

func (o *Object[T]) Get(key, columns string) hbase.Get {
	return hbase.Get{Table: o.Table, Row: RowKey(key), Columns: columns}
}

// GetIn is [Object.Get] with memory of m.
func (o *Object[T]) GetIn(m *Memory, key, columns string) hbase.Get {
	return hbase.Get{Table: o.Table, Row: m.rowKey(key), Columns: columns}
}

func (o *Object[T]) Key(t *T) string { return *o.key(t) }

// New returns objects with only their keys.
func (o *Object[T]) New(keys ...string) []*T {
	all, objects := make([]T, len(keys)), make([]*T, len(keys))
	for i, key := range keys {
		objects[i] = &all[i]
		*o.key(objects[i]) = key
	}
	return objects
}

// NewLazy is [Object.New] of lazy objects.
func (o *Object[T]) NewLazy(keys ...string) []*T {
	objects := o.New(keys...)
	if o.lazy != nil {
		for _, t := range objects {
			*o.lazy(t) = true
		}
	}
	return objects
}

// Decode is [Object.Fill] of a new object, or nil if it does not exist.
func (o *Object[T]) Decode(key string, cells []hbase.Cell) (*T, error) {
	return o.DecodeIn(new(Memory), key, cells)
}

// DecodeIn is [Object.Decode] with memory of m.
func (o *Object[T]) DecodeIn(m *Memory, key string, cells []hbase.Cell) (*T, error) {
	t := new(T)
	*o.key(t) = key
	if exists, err := o.Fill(m, t, key, cells); err != nil || !exists {
		return nil, err
	}
	return t, nil
}

// Fill sets attributes from cells. The object exists if it has a name that is not [DeletedValue].
// Other families and unknown columns are skipped.
//
// A count without a cell becomes 0 and a version without a cell "0", even if it was not read. So
// never Put a decoded object.
func (o *Object[T]) Fill(m *Memory, t *T, key string, cells []hbase.Cell) (exists bool, err error) {
	for _, c := range cells {
		if c.Family != Attributes {
			continue
		}
		gone := string(c.Value) == DeletedValue
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
		if setDefault := o.attributes[i].setDefault; setDefault != nil {
			setDefault(t)
		}
	}
	return true, nil
}

// Removal returns the cells that delete an object. Counts and the version stay.
func (o *Object[T]) Removal(timestamp int64) (cells []hbase.Cell) {
	for _, a := range o.attributes {
		if a.setDefault == nil {
			cells = append(cells, Without(a.column, timestamp))
		}
	}
	return cells
}

func (o *Object[T]) Put(key string, t *T, timestamp int64) hbase.Put {
	put := hbase.Put{Table: o.Table, Row: RowKey(key)}
	for _, a := range o.attributes {
		if text := a.get(t); text != "" {
			put.Cells = append(put.Cells, textCell(a.column, text, timestamp))
		}
	}
	return put
}
