package tables

import (
	"fmt"
	"time"

	"twibase/hbase"
)

// Relation declares a kind of relation between two objects, as in "user follows user".
//
// An edge, a row per pair of objects, is the truth about the pair. The lists at both ends are
// derived from it. The state of an edge is a value, never an absence: a delete marker would mask a
// later write of a slower clock.
type Relation struct {
	// Name is the mutation that relates two objects, and Inverse its inverse; both are stored in
	// intents, as operation types. Verb is used in messages, as in "LiLei follows Lucy".
	Name, Inverse, Verb string
	// Table has the edges, and File is the name of their CSV file.
	Table, File string
	From, To    End  // keys of From contain no separator
	Irreflexive bool // never relates an object to itself
	// DateColumn is the file's column of the date. Without one, the lists are sorted by key.
	DateColumn string
	// Strict makes the inverse mutation return NOT_FOUND unless both objects exist. An edge that does
	// not exist is no error, with or without Strict.
	Strict bool
	// Job and InverseJob are the fan-out jobs of the operations, if any.
	Job, InverseJob JobKind
	// Event returns the put of the event of a change, for To. It is nil if there are no events.
	Event func(from, to string, related bool, at time.Time) hbase.Put
}

// End is one end of a relation.
type End struct {
	// List has the counterparts of an object at this end.
	List     *AnyList
	Column   string // of the file
	Argument string // of stored operations
	Input    string // field of the mutations' input; empty for the viewer
	// Member returns the list's column of a counterpart.
	Member func(counterpart string, at time.Time, timestamp int64) hbase.Cell
	// Counterpart decodes a column of the owner's list. The error is [hbase.ErrCorrupt].
	Counterpart func(owner string, member hbase.Cell) (key string, at time.Time, err error)
}

// end completes a declaration. newMember returns the list's member for a counterpart, and parts is
// its inverse.
func end[E any](e End, l *List[E], newMember func(counterpart string, at time.Time) E,
	parts func(E) (counterpart string, at time.Time)) End {
	e.List = &l.AnyList
	e.Member = func(counterpart string, at time.Time, timestamp int64) hbase.Cell {
		return l.Cell(newMember(counterpart, at), timestamp)
	}
	e.Counterpart = func(owner string, member hbase.Cell) (string, time.Time, error) {
		members, _, _, err := l.Decode(owner, []hbase.Cell{member})
		if err == nil && len(members) != 1 {
			err = fmt.Errorf("%w: %s of %q: a column of %d members", hbase.ErrCorrupt, l.Table, owner, len(members))
		}
		if err != nil {
			return "", time.Time{}, err
		}
		counterpart, at := parts(members[0])
		return counterpart, at, nil
	}
	return e
}

// Object returns the kind of the objects at this end.
func (e *End) Object() *AnyObject { return e.List.Owner }

// Dated reports whether the relation has dates. Then its lists are newest first.
func (r *Relation) Dated() bool { return r.DateColumn != "" }

const (
	edgeState = "state" // "1": related, "0": no longer
	edgeAt    = "at"    // milliseconds
)

// Related reads only the state of an edge.
func (r *Relation) Related(a, b string) hbase.Get {
	return hbase.Get{Table: r.Table, Row: edgeKey(a, b), Columns: Attributes + ":" + edgeState}
}

// Get reads an edge.
func (r *Relation) Get(a, b string) hbase.Get {
	return hbase.Get{Table: r.Table, Row: edgeKey(a, b), Columns: Attributes}
}

// Edges scans all edges, also former ones.
func (r *Relation) Edges() hbase.Scan { return hbase.Scan{Table: r.Table, Columns: Attributes} }

// Ends decodes a row key. The error is [hbase.ErrCorrupt].
func (r *Relation) Ends(row string) (a, b string, err error) {
	return edgeOf(row, r.From.Object().CheckKey, r.To.Object().CheckKey)
}

// Decode decodes the cells of an edge. at is zero if it was not read.
func (r *Relation) Decode(cells []hbase.Cell) (related bool, at time.Time, err error) {
	var state string
	commitRecords := 0 // an edge that never existed may have one
	for _, c := range cells {
		switch value := string(c.Value); c.Qualifier {
		case CommitColumn:
			commitRecords++
		case edgeState:
			state = value
		case edgeAt:
			if at, err = decodeMilli(value); err != nil {
				return false, time.Time{}, corrupt(err, value)
			}
		}
	}
	if state == "0" || state == "1" || len(cells) == commitRecords {
		return state == "1", at, nil
	}
	return false, time.Time{}, fmt.Errorf("%w: the state of an edge is %q, neither 0 nor 1", hbase.ErrCorrupt, state)
}

// Put stores the state and the time of an edge.
func (r *Relation) Put(a, b string, related bool, at time.Time, timestamp int64) hbase.Put {
	return hbase.Put{Table: r.Table, Row: edgeKey(a, b), Cells: []hbase.Cell{
		textCell(edgeAt, encodeMilli(at), timestamp), textCell(edgeState, flag(related), timestamp)}}
}

// Reference declares an attribute with the key of another object, the target. The target's list of
// referrers is derived from it.
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
	// TargetOf returns the key of an object's target, or "". The object is a pointer to a row type,
	// such as *Department.
	TargetOf func(object any) string
}

// Referrer is an object that may have a reference.
type Referrer struct {
	Key    string
	Owner  string // the key of the target, or [Root]
	Listed bool   // the list of Owner has the object
	// Member is the column of the list, with the latest timestamp of the attributes.
	Member hbase.Cell
}

// Get reads the columns of a referrer that r.Decode needs.
func (r *Reference) Get(key string) hbase.Get {
	return hbase.Get{Table: r.Object.Table, Row: RowKey(key), Columns: r.Columns}
}

// Objects scans all objects that may be referrers.
func (r *Reference) Objects() hbase.Scan {
	return hbase.Scan{Table: r.Object.Table, Columns: r.Columns}
}

// reference completes a declaration. target returns the field of the attribute, newMember the
// list's member for a referrer, and keyOf the referrer's key of a member.
func reference[T, E any](r Reference, o *Object[T], l *List[E],
	target func(*T) *string, newMember func(*T) E, keyOf func(E) string) *Reference {
	r.Object, r.List = &o.AnyObject, &l.AnyList
	r.Columns = Existence + " " + Attributes + ":" + r.Attribute
	r.TargetOf = func(object any) string {
		if p := target(object.(*T)); p != nil {
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
		listed := r.Rooted || target(t) != nil
		return Referrer{Key: key, Owner: r.TargetOf(t), Listed: listed, Member: l.Cell(newMember(t), timestamp)}, true, nil
	}
	r.KeyOf = func(owner string, c hbase.Cell) (string, error) {
		e, err := l.decode(new(Memory), owner, c.Qualifier, c.Value)
		if err != nil {
			err = l.corrupt(owner, c.Qualifier, err)
		}
		return keyOf(e), err
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
