package tables

import "twibase/hbase"

// Reference declares an attribute with the key of another object, the target, and the target's list
// of referrers, which is derived from it.
type Reference struct {
	Object    *AnyObject // kind of the referrers
	Attribute string     // their column
	List      *AnyList   // owned by the targets
	Rooted    bool       // objects without a target are in the list of [Root]
	Columns   string     // that Decode needs
	// Decode decodes a referrer. The error is [hbase.ErrCorrupt].
	Decode func(key string, cells []hbase.Cell) (r Referrer, exists bool, err error)
	// KeyOf decodes a column of List. The error is [hbase.ErrCorrupt].
	KeyOf func(owner string, member hbase.Cell) (key string, err error)
	// Named returns the target of an object, a pointer to a row, or "".
	Named func(object any) string
}

// Referrer is an object that may have a reference.
type Referrer struct {
	Key, Owner string // of the object; of the target or [Root]
	Listed     bool   // in the list of Owner
	// Member is the column of the list, with the latest timestamp of the attributes.
	Member hbase.Cell
}

func (r *Reference) Get(key string) hbase.Get {
	return hbase.Get{Table: r.Object.Table, Row: RowKey(key), Columns: r.Columns}
}

// Objects scans all objects that may be referrers.
func (r *Reference) Objects() hbase.Scan {
	return hbase.Scan{Table: r.Object.Table, Columns: r.Columns}
}

// reference completes a declaration. owner returns the field of the attribute, member the member of
// a referrer, key its inverse.
func reference[T, E any](r Reference, o *Object[T], l *List[E],
	owner func(*T) *string, member func(*T) E, key func(E) string) *Reference {
	r.Object, r.List = &o.AnyObject, &l.AnyList
	r.Columns = Existence + " " + Attributes + ":" + r.Attribute
	r.Named = func(object any) string {
		if p := owner(object.(*T)); p != nil {
			return *p
		}
		return ""
	}
	r.Decode = func(key string, cells []hbase.Cell) (Referrer, bool, error) {
		t, err := o.Decode(key, cells)
		if t == nil || err != nil {
			return Referrer{}, false, err
		}
		timestamp := int64(0)
		for _, c := range cells {
			timestamp = max(timestamp, c.Timestamp)
		}
		listed := r.Rooted || owner(t) != nil
		return Referrer{Key: key, Owner: r.Named(t), Listed: listed, Member: l.Cell(member(t), timestamp)}, true, nil
	}
	r.KeyOf = func(owner string, c hbase.Cell) (string, error) {
		e, err := l.decode(new(Memory), owner, c.Qualifier, c.Value)
		if err != nil {
			err = l.corrupt(owner, c.Qualifier, err)
		}
		return key(e), err
	}
	return &r
}

// Parents are the references of departments to their parents.
var Parents = reference(Reference{Attribute: "parent", Rooted: true}, Departments, Children,
	func(d *Department) *string { return d.ParentCode },
	func(d *Department) Child { return Child{*d.Name, d.Code} },
	func(c Child) string { return c.Code })

// Definers are the references of roles to the departments that define them.
var Definers = reference(Reference{Attribute: "department"}, Roles, DepartmentRoles,
	func(r *Role) *string { return r.DepartmentCode },
	func(r *Role) string { return r.Code },
	func(code string) string { return code })
