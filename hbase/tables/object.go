package tables

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"twibase/hbase"
)

// Attributes is the family of every object's attributes. A column has the name of the schema's field that it fills, and its
// value is text, so that a row can be read in the HBase shell.
const Attributes = "i"

// Existence is the column that every object has. Whoever reads a row reads it, to tell a missing row from an empty one.
const Existence = Attributes + ":name"

// Object says how the attributes of a noun lie in a row. T is the noun's row type, which GraphQL shows as it is.
type Object[T any] struct {
	Table      string
	attributes []attribute[T]
	key        func(*T) *string
	// promised is where an object says that it is of [Object.Promise]; nil if nobody asks that.
	promised func(*T) *bool
}

type attribute[T any] struct {
	column string
	// also names the schema's fields that need this column, besides the one of its own name.
	also []string
	get  func(*T) string // empty: absent
	set  func(*Memory, *T, string) error
	// zero sets what a missing cell of an existing row means, if it means anything.
	zero func(*T)
}

// Columns returns the columns, as in [hbase.Get], that the schema's fields of these names need. It is empty if the key alone is enough.
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

func (a *attribute[T]) neededBy(fields []string) bool {
	return slices.Contains(fields, a.column) ||
		slices.ContainsFunc(a.also, func(f string) bool { return slices.Contains(fields, f) })
}

// All returns every attribute's column.
func (o *Object[T]) All() string {
	columns := make([]string, len(o.attributes))
	for i, a := range o.attributes {
		columns[i] = Attributes + ":" + a.column
	}
	return strings.Join(columns, " ")
}

// Get reads the columns of the object with that key.
func (o *Object[T]) Get(key, columns string) hbase.Get {
	return hbase.Get{Table: o.Table, Row: RowKey(key), Columns: columns}
}

// GetIn is [Object.Get] for many objects, whose rows' keys are made in m.
func (o *Object[T]) GetIn(m *Memory, key, columns string) hbase.Get {
	return hbase.Get{Table: o.Table, Row: m.rowKey(key), Columns: columns}
}

// New returns the objects as far as their keys tell. They share one piece of memory.
func (o *Object[T]) New(keys ...string) []*T {
	all, objects := make([]T, len(keys)), make([]*T, len(keys))
	for i, key := range keys {
		objects[i] = &all[i]
		*o.key(objects[i]) = key
	}
	return objects
}

// Promise is [Object.New] for objects whose rows will be read, and that nobody is shown then if there are none.
func (o *Object[T]) Promise(keys ...string) []*T {
	objects := o.New(keys...)
	if o.promised != nil {
		for _, t := range objects {
			*o.promised(t) = true
		}
	}
	return objects
}

// Decode returns the object with what the cells say of it, or nil if they say that there is none: see [Object.Fill].
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

// Exists reports whether the cells, of [Existence] at least, say that there is such an object: see [Object.Fill].
func (o *Object[T]) Exists(key string, cells []hbase.Cell) (bool, error) {
	for i := range cells {
		if c := &cells[i]; c.Family == Attributes && c.Qualifier == "name" {
			if len(c.Value) == 0 || !utf8.Valid(c.Value) {
				return false, fmt.Errorf("%w: %s %q: the name %q is no text", hbase.ErrCorrupt, o.Table, key, c.Value)
			}
			return string(c.Value) != Gone, nil
		}
	}
	return false, nil
}

// Fill adds to an object of [Object.New] or [Object.Promise] what the cells say of it, in m, and reports whether they say that it exists: it has a name, and not
// the one of what is [Gone]. Another attribute that is Gone is absent. A cell that can't be read is [hbase.ErrCorrupt]; cells of other families and
// unknown columns are passed over. What was counted and has no cell is 0, also if it was not read: never Put what was decoded.
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

// Put writes the attributes that t has, at that timestamp; the absent ones stay as they are in the store.
func (o *Object[T]) Put(key string, t *T, timestamp int64) hbase.Put {
	put := hbase.Put{Table: o.Table, Row: RowKey(key)}
	for _, a := range o.attributes {
		if text := a.get(t); text != "" {
			put.Cells = append(put.Cells, hbase.Cell{Family: Attributes, Qualifier: a.column, Timestamp: timestamp, Value: []byte(text)})
		}
	}
	return put
}

func text[T any](column string, field func(*T) **string, also ...string) attribute[T] {
	return attribute[T]{column, also,
		func(t *T) string {
			if p := *field(t); p != nil {
				return *p
			}
			return ""
		},
		func(m *Memory, t *T, s string) error {
			if s == "" || !utf8.ValidString(s) {
				return fmt.Errorf("%q is no text", s)
			}
			p := m.texts.one()
			*p, *field(t) = s, p
			return nil
		}, nil}
}

func number[T any](column string, field func(*T) **int, also ...string) attribute[T] {
	return attribute[T]{column, also,
		func(t *T) string {
			if p := *field(t); p != nil {
				return strconv.Itoa(*p)
			}
			return ""
		},
		func(m *Memory, t *T, s string) error {
			n, err := strconv.Atoi(s)
			if err != nil || strconv.Itoa(n) != s {
				return fmt.Errorf("%q is no number", s)
			}
			p := m.numbers.one()
			*p, *field(t) = n, p
			return nil
		}, nil}
}

// count is a number that is zero where nobody has counted yet.
func count[T any](column string, field func(*T) **int, also ...string) attribute[T] {
	a := number(column, field, also...)
	a.zero = func(t *T) {
		if p := field(t); *p == nil {
			*p = &none
		}
	}
	return a
}

// Decision is the column of a deciding row that names the last decision there: see package writers.
const Decision = "op"

// Version is the attribute that changes whenever the others do, but for counts.
const Version = "version"

// version is the id of the write that changed the attributes last; "0" where nobody has since the object was imported. It is not [Decision],
// which changes also when a write is kept from being decided.
func version[T any](field func(*T) **string) attribute[T] {
	a := text(Version, field)
	a.zero = func(t *T) {
		if p := field(t); *p == nil {
			*p = &imported
		}
	}
	return a
}

// imported is the version of what was never changed, to which the rows' fields point. Nobody writes to it.
var imported = "0"

// Origin is the attribute that tells under which idempotency key an object was made, as [KeyedName] does. The schema does not show it.
const Origin = "origin"

// none is the zero that all objects share which have nothing to count. Nobody writes to what a row's field points to.
var none int

func instant[T any](column string, field func(*T) **time.Time, also ...string) attribute[T] {
	return attribute[T]{column, also,
		func(t *T) string {
			if p := *field(t); p != nil {
				return p.UTC().Format(time.RFC3339Nano)
			}
			return ""
		},
		func(m *Memory, t *T, s string) error {
			at, err := time.Parse(time.RFC3339Nano, s)
			if err != nil || at.UTC().Format(time.RFC3339Nano) != s {
				return fmt.Errorf("%q is no instant in UTC", s)
			}
			p := m.instants.one()
			*p, *field(t) = at.UTC(), p
			return nil
		}, nil}
}
