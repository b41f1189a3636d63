package writers

import (
	"twibase/hbase"
	"twibase/hbase/tables"
)

// origin is what the row of an object keeps of the idempotency key under which it was made: of any caller and key another word. Without a key
// it is one that no other creation has: so one whose answer was lost knows what it made.
func (w *Writers) origin(caller string, key *string) string {
	if key == nil {
		return tables.KeyedName("", w.newOp(w.now()))
	}
	return tables.KeyedName(caller, *key)
}

// originColumns are what free reads.
const originColumns = tables.Existence + " " + tables.Attributes + ":" + tables.Origin

// madeBefore is the end of a creation that was made before: errNothing, unless others may have made it, under the same key, and what they made was deleted.
func madeBefore(name string, key *string) error {
	if name == tables.Gone && key != nil {
		return refuse(NotFound, "idempotencyKey", "what was made under this key was deleted")
	}
	return errNothing
}

// free returns nil if an object can be made under a code, given what is stored of it: there is none, or none any more. If this very creation was
// made before, it is as madeBefore says.
func free(cells []hbase.Cell, code, origin string, key *string) error {
	name := attribute(cells, "name")
	switch {
	case attribute(cells, tables.Origin) == origin:
		return madeBefore(name, key)
	case name == "" || name == tables.Gone:
		return nil
	}
	return refuse(AlreadyExists, "code", "there is a %q already", code)
}

// originCell keeps the origin of an object that is made.
func originCell(origin string, at int64) hbase.Cell {
	return hbase.Cell{Family: tables.Attributes, Qualifier: tables.Origin, Timestamp: at, Value: []byte(origin)}
}

// versionCell gives an object a new version.
func versionCell(o op) hbase.Cell {
	return hbase.Cell{Family: tables.Attributes, Qualifier: tables.Version, Timestamp: o.at, Value: []byte(o.id)}
}

// goneCell says of an object that it was deleted.
func goneCell(at int64) hbase.Cell {
	return tables.Without("name", at)
}

// attribute returns the text of an attribute, empty if it is not among the cells.
func attribute(cells []hbase.Cell, name string) string {
	for _, c := range cells {
		if c.Family == tables.Attributes && c.Qualifier == name {
			return string(c.Value)
		}
	}
	return ""
}

// unchanged refuses to change what others changed since the version that the caller expects, given the present one; nil expects none.
func unchanged(expected *string, version string) error {
	if expected == nil || *expected == version {
		return nil
	}
	return refuse(Conflict, "expectedVersion", "it was changed meanwhile: the version is %q now", version)
}
