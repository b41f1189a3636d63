package tables

import (
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

type attribute[T any] struct {
	column string
	also   []string        // other fields that need the column
	get    func(*T) string // "" if the field is nil
	set    func(*Memory, *T, string) error
	// setDefault sets a field that has no cell. It may be nil.
	setDefault func(*T)
	file       fileColumn
	form       Form
}

// Form is the form of values that package writers accepts.
type Form int

// Mutations cannot set attributes of form 0.
const (
	OfLine Form = 1 + iota
	OfDepartmentName
	OfCode
	OfEmail
	OfAge
	OfURL
)

func (a attribute[T]) writable(form Form) attribute[T] {
	a.form = form
	return a
}

func (a *attribute[T]) neededBy(fields []string) bool {
	return slices.Contains(fields, a.column) ||
		slices.ContainsFunc(a.also, func(f string) bool { return slices.Contains(fields, f) })
}

// value declares an attribute. format and parse convert its stored text.
func value[T, V any](column string, field func(*T) **V, also []string, slabOf func(*Memory) *slab[V],
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
			p := slabOf(m).one()
			*p, *field(t) = v, p
			return nil
		},
	}
}

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

func number[T any](column string, field func(*T) **int, also ...string) attribute[T] {
	return value(column, field, also, func(m *Memory) *slab[int] { return &m.numbers }, strconv.Itoa, strconv.Atoi)
}

func instant[T any](column string, field func(*T) **time.Time, also ...string) attribute[T] {
	return value(column, field, also, func(m *Memory) *slab[time.Time] { return &m.instants },
		func(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) },
		func(s string) (time.Time, error) {
			at, err := time.Parse(time.RFC3339Nano, s)
			return at.UTC(), err
		})
}

// count declares a number whose default is zero.
func count[T any](column string, field func(*T) **int, also ...string) attribute[T] {
	a := number(column, field, also...)
	a.setDefault = orElse(field, &none)
	return a
}

// none is the shared, read-only zero.
var none int

func orElse[T, V any](field func(*T) **V, value *V) func(*T) {
	return func(t *T) {
		if p := field(t); *p == nil {
			*p = value
		}
	}
}

// CommitColumn has the commit record (op.go).
const CommitColumn = "op"

// Version is the id of the last operation that created the object or changed an attribute, except
// counts. Imports and repairs do not change it.
const Version = "version"

// version declares [Version], by default "0". Unlike [CommitColumn], it does not change with
// fences.
func version[T any](field func(*T) **string) attribute[T] {
	a := text(Version, field)
	a.setDefault = orElse(field, &imported)
	return a
}

var imported = "0"

// Origin is a column that identifies the request that created an object: see docs/TABLES.md.
const Origin = "origin"
