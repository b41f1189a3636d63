package writers

import (
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Change is what an update does to an attribute: nothing unless it is given. A nil Value takes the attribute away.
type Change[T any] struct {
	Given bool
	Value *T
}

// change checks what is given of a change.
func change[T any](check func(string, *T) *T, field string, c Change[T]) Change[T] {
	c.Value = check(field, c.Value)
	return c
}

// changedName is a name that can be changed, but not taken away.
func (in *input) changedName(field string, c Change[string]) Change[string] {
	if c.Given && c.Value == nil {
		in.bad(field, "it can be changed, but not taken away")
	}
	return change(func(field string, s *string) *string { return optional(in.name, field, s) }, field, c)
}

// alter makes the cells of an update, attribute by attribute.
type alter struct{ gone []string }

// to sets what an attribute becomes, if that is something else than it is.
func to[T comparable](a *alter, attribute string, is *T, c Change[T], becomes **T) {
	switch {
	case !c.Given || is == nil && c.Value == nil || is != nil && c.Value != nil && *is == *c.Value:
	case c.Value == nil:
		a.gone = append(a.gone, attribute)
	default:
		*becomes = c.Value
	}
}

// cells returns those of a decision: what is put, what is taken away, and the version; errNothing if nothing changes.
func (a *alter) cells(put hbase.Put, o op) ([]hbase.Cell, error) {
	cells := slices.Clone(put.Cells)
	for _, attribute := range a.gone {
		cells = append(cells, tables.Without(attribute, o.at))
	}
	if len(cells) == 0 {
		return nil, errNothing
	}
	return append(cells, versionCell(o)), nil
}
