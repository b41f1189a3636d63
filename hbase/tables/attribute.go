package tables

import (
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// attribute is a column of an object, and the field of T that holds its value.
type attribute[T any] struct {
	column string
	// also names further schema fields that need this column, beside the field of its own name.
	also []string
	get  func(*T) string // empty: absent
	set  func(*Memory, *T, string) error
	// zero sets the field of an existing object that has no such cell. It is nil if the field stays nil then.
	zero func(*T)
	file fileColumn
	form Form
}

// Form is what mutations accept as the value of an attribute. Package writers checks it.
type Form int

// The forms. No mutation sets an attribute of the zero form directly.
const (
	OfLine Form = 1 + iota
	OfDepartmentName
	OfCode
	OfEmail
	OfAge
	OfURL
)

// writable declares the form of an attribute that mutations set.
func (a attribute[T]) writable(form Form) attribute[T] {
	a.form = form
	return a
}

// neededBy reports whether any of these schema fields needs the attribute.
func (a *attribute[T]) neededBy(fields []string) bool {
	return slices.Contains(fields, a.column) ||
		slices.ContainsFunc(a.also, func(f string) bool { return slices.Contains(fields, f) })
}

// value declares an attribute with a value that is stored as a text. format and parse convert it: a text is valid only if it
// is the format of its value. A decoded value lies in the part of a [Memory] that in returns.
func value[T, V any](column string, field func(*T) **V, also []string, in func(*Memory) *slab[V],
	format func(V) string, parse func(string) (V, error)) attribute[T] {
	return attribute[T]{
		column: column, also: also,
		get: func(t *T) string {
			if p := *field(t); p != nil {
				return format(*p)
			}
			return ""
		},
		set: func(m *Memory, t *T, s string) error {
			v, err := parse(s)
			if err != nil || format(v) != s {
				return fmt.Errorf("%q can't be its value", s)
			}
			p := in(m).one()
			*p, *field(t) = v, p
			return nil
		},
	}
}

// text is an attribute that is a non-empty text in UTF-8.
func text[T any](column string, field func(*T) **string, also ...string) attribute[T] {
	return value(column, field, also, func(m *Memory) *slab[string] { return &m.texts },
		func(s string) string { return s },
		func(s string) (string, error) {
			if s == "" || !utf8.ValidString(s) {
				return "", ErrName
			}
			return s, nil
		})
}

// number is an attribute that is a decimal integer.
func number[T any](column string, field func(*T) **int, also ...string) attribute[T] {
	return value(column, field, also, func(m *Memory) *slab[int] { return &m.numbers }, strconv.Itoa, strconv.Atoi)
}

// instant is an attribute that is a time in RFC 3339, in UTC.
func instant[T any](column string, field func(*T) **time.Time, also ...string) attribute[T] {
	return value(column, field, also, func(m *Memory) *slab[time.Time] { return &m.instants },
		func(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) },
		func(s string) (time.Time, error) {
			at, err := time.Parse(time.RFC3339Nano, s)
			return at.UTC(), err
		})
}

// count is a number that is zero if it has no cell.
func count[T any](column string, field func(*T) **int, also ...string) attribute[T] {
	a := number(column, field, also...)
	a.zero = orElse(field, &none)
	return a
}

// none is the zero that all objects without a count share. It is never written to.
var none int

// orElse sets a field that is nil.
func orElse[T, V any](field func(*T) **V, value *V) func(*T) {
	return func(t *T) {
		if p := field(t); *p == nil {
			*p = value
		}
	}
}

// CommitColumn is the column of a commit row with the commit record, which names the row's last operation: see package
// writers.
const CommitColumn = "op"

// Version is the attribute that changes whenever another one does, except for counts.
const Version = "version"

// version is the id of the last operation that changed an attribute, "0" if none did since the object was imported. It
// differs from [CommitColumn], which also changes when an operation is prevented from committing.
func version[T any](field func(*T) **string) attribute[T] {
	a := text(Version, field)
	a.zero = orElse(field, &imported)
	return a
}

// imported is the version of every object that was never changed. It is shared and never written to.
var imported = "0"

// Origin is the attribute that holds the [KeyedName] of the idempotency key under which an object was created. It is not
// in the schema.
const Origin = "origin"
