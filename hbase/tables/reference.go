package tables

import (
	"fmt"

	"twibase/hbase"
)

// Reference declares that the objects of one kind name an object in an attribute, and that a list of the named object has
// them. The attribute is the truth, and the list follows from it.
type Reference struct {
	// Object is the kind of the objects that refer, and Attribute the column that names the other object.
	Object    *AnyObject
	Attribute string
	// List has the objects that refer. Its owner is the kind of the objects that are referred to.
	List *AnyList
	// Rooted is whether objects that name no other are in the list of [Root].
	Rooted bool
	// Columns are those from which [Reference.Decode] reads.
	Columns string

	decode func(key string, cells []hbase.Cell) (r Referrer, exists bool, err error)
	read   func(owner string, member hbase.Cell) (key string, err error)
	named  func(object any) *string
}

// Referrer is an object and what it refers to.
type Referrer struct {
	// Key is that of the object, and Owner that of the object that it names: [Root] if it names none.
	Key, Owner string
	// Listed is whether a list has the object: that of Owner.
	Listed bool
	// Member is the column of the list. Its timestamp is that of the youngest attribute that was read, because every change of
	// them makes the object's row younger.
	Member hbase.Cell
}

// Decode reads an object that refers. The error is [hbase.ErrCorrupt].
func (r *Reference) Decode(key string, cells []hbase.Cell) (referrer Referrer, exists bool, err error) {
	return r.decode(key, cells)
}

// Get reads an object that refers.
func (r *Reference) Get(key string) hbase.Get {
	return hbase.Get{Table: r.Object.Table, Row: RowKey(key), Columns: r.Columns}
}

// Objects scans all objects that may refer.
func (r *Reference) Objects() hbase.Scan {
	return hbase.Scan{Table: r.Object.Table, Columns: r.Columns}
}

// Named returns the key of the object that another one names, empty if it names none. object is a pointer to a row of Object.
func (r *Reference) Named(object any) string {
	if p := r.named(object); p != nil {
		return *p
	}
	return ""
}

// KeyOf returns the key of the object that a column of the owner's list stands for. The error is [hbase.ErrCorrupt].
func (r *Reference) KeyOf(owner string, member hbase.Cell) (string, error) {
	return r.read(owner, member)
}

// reference completes a declaration: owner is the field of the attribute, member makes the member that stands for an object,
// and key reads it back.
func reference[T, E any](r Reference, o *Object[T], l *List[E],
	owner func(*T) *string, member func(*T) E, key func(E) string) *Reference {
	r.Object, r.List = &o.AnyObject, &l.AnyList
	r.Columns = Existence + " " + Attributes + ":" + r.Attribute
	r.named = func(object any) *string { return owner(object.(*T)) }
	r.decode = func(key string, cells []hbase.Cell) (Referrer, bool, error) {
		t, err := o.Decode(key, cells)
		if t == nil || err != nil {
			return Referrer{}, false, err
		}
		timestamp := int64(0)
		for _, c := range cells {
			timestamp = max(timestamp, c.Timestamp)
		}
		return Referrer{Key: key, Owner: r.Named(t), Listed: r.Rooted || owner(t) != nil, Member: l.Cell(member(t), timestamp)}, true, nil
	}
	r.read = func(owner string, c hbase.Cell) (string, error) {
		e, err := l.decode(new(Memory), owner, c.Qualifier, c.Value)
		if err != nil {
			err = fmt.Errorf("%s of %q: %w", l.Table, owner, corrupt(err, c.Qualifier))
		}
		return key(e), err
	}
	return &r
}

// Parents are the references of departments to those above them.
var Parents = reference(Reference{Attribute: "parent", Rooted: true}, Departments, Children,
	func(d *Department) *string { return d.ParentCode },
	func(d *Department) Child { return Child{*d.Name, d.Code} },
	func(c Child) string { return c.Code })

// Definers are the references of roles to the departments that define them.
var Definers = reference(Reference{Attribute: "department"}, Roles, DepartmentRoles,
	func(r *Role) *string { return r.DepartmentCode },
	func(r *Role) string { return r.Code },
	func(code string) string { return code })
