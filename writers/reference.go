package writers

import (
	"twibase/hbase"
	"twibase/hbase/tables"
)

// reference is an object that an operation refers to, and that must exist for its effects to stay.
type reference struct {
	object *tables.AnyObject
	key    string
	// field is the field of the input that names the object, empty if none does.
	field string
}

// ref refers to an object with a row of attributes.
func ref[T any](o *tables.Object[T], key, field string) reference {
	return reference{&o.AnyObject, key, field}
}

type references []reference

// gets reads what check needs: an object with an author does not exist without its author.
func (rs references) gets() (gets []hbase.Get) {
	for _, r := range rs {
		gets = append(gets, r.object.ExistenceOf(r.key))
		if author, ok := r.object.Author(r.key); ok {
			gets = append(gets, tables.Users.ExistenceOf(author))
		}
	}
	return gets
}

// check returns a NOT_FOUND for each object that does not exist. cells begin with those of gets.
func (rs references) check(cells [][]hbase.Cell) error {
	var errs []error
	for _, r := range rs {
		exists, err := r.object.Exists(r.key, cells[0])
		cells = cells[1:]
		if author, ok := r.object.Author(r.key); ok {
			if exists && err == nil {
				exists, err = tables.Users.Exists(author, cells[0])
			}
			cells = cells[1:]
		}
		if !exists && err == nil {
			err = refuse(NotFound, r.field, "there is no such %s", r.object.Name)
			if r.object.TextKeys() {
				err = refuse(NotFound, r.field, "there is no %q", r.key)
			}
		}
		errs = append(errs, err)
	}
	return together(errs...)
}

// rows reads what missing needs. Authors are left out: who deletes an author deletes the author's
// objects next.
func (rs references) rows() (gets []hbase.Get) {
	for _, r := range rs {
		gets = append(gets, r.object.ExistenceOf(r.key))
	}
	return gets
}

// missing reads whether any of the objects does not exist.
func (rs references) missing(r *reading) (bool, error) {
	cells, err := r.get(rs.rows()...)
	if err != nil {
		return false, err
	}
	return rs.missingIn(cells)
}

// missingIn is missing, given the cells of rows.
func (rs references) missingIn(cells [][]hbase.Cell) (bool, error) {
	for i, r := range rs {
		if exists, err := r.object.Exists(r.key, cells[i]); err != nil || !exists {
			return true, err
		}
	}
	return false, nil
}
