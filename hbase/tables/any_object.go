package tables

import (
	"fmt"
	"unicode/utf8"

	"twibase/hbase"
)

// AnyObject is a kind of object without its row type. Objects have ids and attributes, own lists, and are the ends of
// relations. All kinds but twits are rows of an [Object].
type AnyObject struct {
	// Noun begins the ids of the objects.
	Noun Noun
	// Name is what messages call such an object, as in "user".
	Name string
	// Table has a row per object, whose attributes include the lengths of the object's lists.
	Table string
	// Reusable keys may be given to a new object after the object of that key was deleted.
	Reusable bool
	// check reports why a key can't be that of such an object. The error is [ErrName].
	check func(key string) error
	// named says how users name the objects; nil if they name them by their keys.
	named *naming
	// author returns the user with whom the object is deleted. It is nil if there is none.
	author func(key string) (username string)
}

// naming is how users name the objects of a kind whose keys are not for users.
type naming struct {
	check func(name string) error
	of    func(key string) (name string)
	// get reads the key of the object of a name, and find returns it.
	get  func(name string) hbase.Get
	find func(cells []hbase.Cell) (key string, found bool, err error)
}

// TextKeys reports whether all keys of such objects are valid UTF-8.
func (o *AnyObject) TextKeys() bool { return o.named == nil }

// Author returns the user with whom the object is deleted, if there is one. The object may be deleted some time after the user.
func (o *AnyObject) Author(key string) (username string, ok bool) {
	if o.author == nil {
		return "", false
	}
	return o.author(key), true
}

// CheckKey reports why a key can't be that of such an object. The error is [ErrName].
func (o *AnyObject) CheckKey(key string) error { return o.check(key) }

// CheckName reports why a name, as users and files write it, can't name such an object. The error is [ErrName].
func (o *AnyObject) CheckName(name string) error {
	if o.named != nil {
		return o.named.check(name)
	}
	return o.check(name)
}

// NameOf returns the name of the object with that key.
func (o *AnyObject) NameOf(key string) string {
	if o.named != nil {
		return o.named.of(key)
	}
	return key
}

// Lookup reads which object, if any, has a name. [AnyObject.Find] decodes the answer.
func (o *AnyObject) Lookup(name string) hbase.Get {
	if o.named != nil {
		return o.named.get(name)
	}
	return hbase.Get{Table: o.Table, Row: RowKey(name), Columns: Existence}
}

// Find returns the key of the object that has the name, given the cells of [AnyObject.Lookup]. It finds no object that was
// deleted.
func (o *AnyObject) Find(name string, cells []hbase.Cell) (key string, found bool, err error) {
	if o.named != nil {
		return o.named.find(cells)
	}
	for i := range cells {
		if c := &cells[i]; c.Family == Attributes && c.Qualifier == "name" {
			if len(c.Value) == 0 || !utf8.Valid(c.Value) {
				return "", false, fmt.Errorf("%w: %s %q: the name %q is no text", hbase.ErrCorrupt, o.Table, name, c.Value)
			}
			return name, string(c.Value) != Gone, nil
		}
	}
	return "", false, nil
}

// ExistenceOf reads whether there is an object with that key. [AnyObject.Exists] decodes the answer.
func (o *AnyObject) ExistenceOf(key string) hbase.Get { return o.Lookup(o.NameOf(key)) }

// Exists reports whether there is an object with that key, given the cells of [AnyObject.ExistenceOf], or of any read of
// its row that includes the column [Existence].
func (o *AnyObject) Exists(key string, cells []hbase.Cell) (bool, error) {
	found, exists, err := o.Find(o.NameOf(key), cells)
	return exists && found == key, err
}
