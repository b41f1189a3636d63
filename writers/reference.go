package writers

import (
	"twibase/hbase"
	"twibase/hbase/tables"
)

// reference is an object that must exist. field is its input field, or empty.
type reference struct {
	object *tables.AnyObject
	key    string
	field  string
}

func ref[T any](o *tables.Object[T], key, field string) reference {
	return reference{&o.AnyObject, key, field}
}

type references []reference

// gets includes authors, because an object exists only with its author.
func (rs references) gets() (gets []hbase.Get) {
	for _, r := range rs {
		gets = append(gets, r.object.ExistenceOf(r.key))
		if author, ok := r.object.Author(r.key); ok {
			gets = append(gets, tables.Users.ExistenceOf(author))
		}
	}
	return gets
}

// check returns NOT_FOUND for missing objects. cells start with the results of gets.
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
			err = UserErrors{noSuch(r.object.Name, r.field)}
			if r.object.TextKeys() {
				err = reject(NotFound, r.field, "there is no %q", r.key)
			}
		}
		errs = append(errs, err)
	}
	return joinUserErrors(errs...)
}

// existenceGets omits authors, because their deletion also deletes their objects.
func (rs references) existenceGets() (gets []hbase.Get) {
	for _, r := range rs {
		gets = append(gets, r.object.ExistenceOf(r.key))
	}
	return gets
}

func (rs references) missing(r *reading) (bool, error) {
	cells, err := r.get(rs.existenceGets()...)
	if err != nil {
		return false, err
	}
	return rs.missingIn(cells)
}

func (rs references) missingIn(cells [][]hbase.Cell) (bool, error) {
	for i, r := range rs {
		if exists, err := r.object.Exists(r.key, cells[i]); err != nil || !exists {
			return true, err
		}
	}
	return false, nil
}
