package tables

import (
	"fmt"
	"time"

	"twibase/hbase"
)

// Relation declares how objects of two nouns can be related, as in "user follows user".
type Relation struct {
	// Name and Inverse name the mutations that relate two objects and end their relation. The
	// operation types have the same names. Verb is for messages, as in "LiLei follows Lucy".
	Name, Inverse, Verb string
	// Table has the edges, File is their CSV file.
	Table, File string
	From, To    End  // keys of From never contain the separator
	Irreflexive bool // no self-relations
	// DateColumn is the column of the date in the file. It is set if and only if the lists are
	// Dated.
	DateColumn string
	// Strict makes the inverse mutation return NOT_FOUND if an object does not exist. The keys of
	// an end must be Reusable. A missing edge is never an error.
	Strict          bool
	Job, InverseJob JobKind // of the mutations; may be empty
	// Event writes To's change event. It may be nil.
	Event func(from, to string, related bool, at time.Time) hbase.Put
}

// End is an end of a relation. Column, Argument and Input are for the keys of this end's objects.
type End struct {
	// List has the counterparts of an object of this end, which owns it.
	List     *AnyList
	Column   string // of the file
	Argument string // of intents
	Input    string // field of the mutations' input; empty for the viewer
}

// Member returns the cell of a counterpart in List.
func (e *End) Member(counterpart string, at time.Time, timestamp int64) hbase.Cell {
	position := counterpart
	if e.List.Dated {
		position = invert(at) + counterpart
	}
	return hbase.Cell{Family: e.List.Family, Qualifier: position, Timestamp: timestamp}
}

// Counterpart decodes [End.Member].
func (e *End) Counterpart(owner string, member hbase.Cell) (key string, at time.Time, err error) {
	l := e.List
	err = l.Check(member.Qualifier)
	if err == nil && (member.Family != l.Family || isDirectory(&member) || Moved(member)) {
		err = fmt.Errorf("%w: the column is no member", ErrName)
	}
	if err != nil {
		return "", time.Time{}, l.corrupt(owner, member.Qualifier, err)
	}
	if l.Dated {
		at, key, err = revert(member.Qualifier)
		return key, at, err
	}
	return member.Qualifier, UnknownTime, nil
}

// Object declares the objects at this end.
func (e *End) Object() *AnyObject { return e.List.Owner }

// Dated reports whether the lists are sorted newest first.
func (r *Relation) Dated() bool { return r.From.List.Dated }

const (
	edgeState = "state" // "1": related, "0": former; never deleted: see [DeletedValue]
	edgeAt    = "at"    // milliseconds
)

// Related reads an edge without its time.
func (r *Relation) Related(a, b string) hbase.Get {
	return hbase.Get{Table: r.Table, Row: edgeKey(a, b), Columns: Attributes + ":" + edgeState}
}

// Get reads an edge with its time.
func (r *Relation) Get(a, b string) hbase.Get {
	return hbase.Get{Table: r.Table, Row: edgeKey(a, b), Columns: Attributes}
}

// Edges scans all edges, also former ones.
func (r *Relation) Edges() hbase.Scan { return hbase.Scan{Table: r.Table, Columns: Attributes} }

// Ends decodes a row key.
func (r *Relation) Ends(row string) (a, b string, err error) {
	return edgeOf(row, r.From.Object().CheckKey, r.To.Object().CheckKey)
}

// Decode decodes an edge. at is zero if it was not read.
func (r *Relation) Decode(cells []hbase.Cell) (related bool, at time.Time, err error) {
	var state string
	commitRecords := 0 // a row with only these has never been an edge
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

func (r *Relation) Put(a, b string, related bool, at time.Time, timestamp int64) hbase.Put {
	return hbase.Put{Table: r.Table, Row: edgeKey(a, b), Cells: []hbase.Cell{
		textCell(edgeAt, encodeMilli(at), timestamp), textCell(edgeState, flag(related), timestamp)}}
}

// Reference is an attribute of an object, the referrer, with the key of another, the target. The
// target's List of referrers is derived from it.
type Reference struct {
	Object    *AnyObject
	Attribute string
	List      *AnyList
	Rooted    bool   // [Root] lists the objects without a target
	Columns   string // that Decode needs
	Decode    func(key string, cells []hbase.Cell) (r Referrer, exists bool, err error)
	// KeyOf decodes a column of List.
	KeyOf func(owner string, member hbase.Cell) (key string, err error)
	// TargetOf returns the target of an object, or "". object is a pointer to the row type.
	TargetOf func(object any) string
}

// Referrer is an object that can have a reference.
type Referrer struct {
	Key    string
	Owner  string // the target's key, or [Root]
	Listed bool   // whether Owner lists the object
	// Member is the cell in the list, with the latest timestamp read.
	Member hbase.Cell
}

func (r *Reference) Get(key string) hbase.Get {
	return hbase.Get{Table: r.Object.Table, Row: RowKey(key), Columns: r.Columns}
}

// Objects scans all possible referrers.
func (r *Reference) Objects() hbase.Scan {
	return hbase.Scan{Table: r.Object.Table, Columns: r.Columns}
}

// reference completes r. keyOf returns the key of the object of which newMember made the member.
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
