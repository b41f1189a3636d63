package writers

import (
	"cmp"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// existing returns nil if the cells say that there is such an object, and otherwise the problem that there is none.
func existing[T any](o *tables.Object[T], key string, cells []hbase.Cell, field string) error {
	t, err := o.Decode(key, cells)
	if err == nil && t == nil {
		err = refuse(NotFound, field, "there is no %q", key)
	}
	return err
}

// orNothing is the end of a decision that changes nothing.
func orNothing(err error) error { return cmp.Or(err, errNothing) }

// objectEnd is an object that something is about.
type objectEnd struct {
	get    hbase.Get
	exists func(cells []hbase.Cell) (bool, error)
}

func end[T any](o *tables.Object[T], key string) objectEnd {
	return objectEnd{o.Get(key, tables.Existence), func(cells []hbase.Cell) (bool, error) {
		t, err := o.Decode(key, cells)
		return t != nil, err
	}}
}

// unless demands a write unless all ends are there. It belongs into a stage behind the one that adds to lists: who deletes
// an object first says so and then goes through its lists, and who adds to them first adds and then looks, so one of both sees the other.
func unless(d demand, ends ...objectEnd) step {
	l := look{what: "ends", then: func(cells [][]hbase.Cell) ([]step, error) {
		gone, err := oneGone(cells, ends...)
		if err != nil || !gone {
			return nil, err
		}
		return []step{d}, nil
	}}
	for _, e := range ends {
		l.gets = append(l.gets, e.get)
	}
	return l
}

// oneGone reports whether the cells of the ends, in their order, say of one that it is gone.
func oneGone(cells [][]hbase.Cell, ends ...objectEnd) (bool, error) {
	for i, e := range ends {
		if there, err := e.exists(cells[i]); err != nil || !there {
			return true, err
		}
	}
	return false, nil
}
