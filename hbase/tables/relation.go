package tables

import (
	"fmt"
	"time"

	"twibase/hbase"
)

// Relation declares a kind of relation between two objects, such as that one user follows another.
//
// An edge, a narrow row per pair of objects, is the truth about the pair. Two lists follow from the edges: each object
// lists its counterparts. The state of an edge is a value, never an absence, because a delete marker would mask what a
// slower clock writes later.
type Relation struct {
	// Name is the mutation that relates two objects, and Inverse the one that ends it. Both are also the stored names of the
	// operations. Verb is used in messages, as in "LiLei follows Lucy".
	Name, Inverse, Verb string
	// Table has the edges, and File is the name of the CSV file that has them, without its ending.
	Table, File string
	// From and To are the two ends. The keys of From contain no separator.
	From, To End
	// Irreflexive relations hold between no object and itself.
	Irreflexive bool
	// DateColumn is the column of the file that tells since when two objects are related. If it is empty, the relation has no
	// dates: its lists are sorted by key, and its file has no such column.
	DateColumn string
	// Strict relations end only between objects that exist: the inverse mutation answers NOT_FOUND otherwise.
	Strict bool
	// Job and InverseJob are the fan-out jobs that follow the two operations. They are empty if there are none.
	Job, InverseJob JobKind
}

// End is one end of a relation: the objects at this end, and the list in which each of them has its counterparts.
type End struct {
	// List has the counterparts of the objects at this end. Its owner is the kind of the objects.
	List *AnyList
	// Column is the column of the file that names the object.
	Column string
	// Argument is the name of the object's key in the arguments of stored operations.
	Argument string
	// Input is the field of the mutations' input that names the object. It is empty if the object is the viewer.
	Input string

	member func(counterpart string, at time.Time, timestamp int64) hbase.Cell
	read   func(owner string, cells []hbase.Cell) (counterpart string, at time.Time, err error)
}

// end completes the declaration of an end whose counterparts are in a list. of makes the member that stands for a
// counterpart, and to reads it back.
func end[E any](e End, l *List[E], of func(counterpart string, at time.Time) E,
	to func(E) (counterpart string, at time.Time)) End {
	e.List = &l.AnyList
	e.member = func(counterpart string, at time.Time, timestamp int64) hbase.Cell {
		return l.Cell(of(counterpart, at), timestamp)
	}
	e.read = func(owner string, cells []hbase.Cell) (string, time.Time, error) {
		members, _, _, err := l.Decode(owner, cells)
		if err == nil && len(members) != 1 {
			err = fmt.Errorf("%w: %s of %q: a column of %d members", hbase.ErrCorrupt, l.Table, owner, len(members))
		}
		if err != nil {
			return "", time.Time{}, err
		}
		counterpart, at := to(members[0])
		return counterpart, at, nil
	}
	return e
}

// Object is the kind of the objects at this end.
func (e *End) Object() *AnyObject { return e.List.Owner }

// Member returns the column of a counterpart in the list of an object at this end.
func (e *End) Member(counterpart string, at time.Time, timestamp int64) hbase.Cell {
	return e.member(counterpart, at, timestamp)
}

// Counterpart decodes a member of the owner's list: the key of the counterpart and, if the relation has dates, the time. The
// error is [hbase.ErrCorrupt].
func (e *End) Counterpart(owner string, member hbase.Cell) (key string, at time.Time, err error) {
	return e.read(owner, []hbase.Cell{member})
}

// Dated reports whether the relation has dates: whether its lists are newest first.
func (r *Relation) Dated() bool { return r.DateColumn != "" }

// The columns of an edge.
const (
	edgeState = "state" // "1": related, "0": no longer
	edgeAt    = "at"    // milliseconds: since when
)

// Related reads whether a is related to b.
func (r *Relation) Related(a, b string) hbase.Get {
	return hbase.Get{Table: r.Table, Row: edgeKey(a, b), Columns: Attributes + ":" + edgeState}
}

// Get reads the edge from a to b with its time.
func (r *Relation) Get(a, b string) hbase.Get {
	return hbase.Get{Table: r.Table, Row: edgeKey(a, b), Columns: Attributes}
}

// Edges scans all edges.
func (r *Relation) Edges() hbase.Scan { return hbase.Scan{Table: r.Table, Columns: Attributes} }

// Of scans all edges that a has, or ever had.
func (r *Relation) Of(a string) hbase.Scan { return edgesOf(r.Table, a) }

// Ends reads the key of an edge's row back. The error is [hbase.ErrCorrupt].
func (r *Relation) Ends(row string) (a, b string, err error) {
	return edgeOf(row, r.From.Object().check, r.To.Object().check)
}

// Decode returns whether the cells of an edge say that its ends are related, and since when, if that was read.
func (r *Relation) Decode(cells []hbase.Cell) (related bool, at time.Time, err error) {
	var state string
	others := 0
	for _, c := range cells {
		switch value := string(c.Value); c.Qualifier {
		case CommitColumn:
			others++
		case edgeState:
			state = value
		case edgeAt:
			if at, err = decodeMilli(value); err != nil {
				return false, time.Time{}, corrupt(err, value)
			}
		}
	}
	if state == "0" || state == "1" || len(cells) == others {
		return state == "1", at, nil
	}
	return false, time.Time{}, fmt.Errorf("%w: the state of an edge is %q, neither 0 nor 1", hbase.ErrCorrupt, state)
}

// Put writes the state of an edge, and since when.
func (r *Relation) Put(a, b string, related bool, at time.Time, timestamp int64) hbase.Put {
	state := "0"
	if related {
		state = "1"
	}
	return hbase.Put{Table: r.Table, Row: edgeKey(a, b), Cells: []hbase.Cell{
		textCell(edgeAt, encodeMilli(at), timestamp), textCell(edgeState, state, timestamp)}}
}
