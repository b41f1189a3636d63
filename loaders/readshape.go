package loaders

import (
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/listscan"
)

// ReadShape is what a read costs, declared before it runs. It is a Get without its row, and how often
// that is sent. It is made of the Get that the loader sends, so that the two agree.
type ReadShape struct {
	Loader, Table, Columns string
	// Limit is the number of columns of a family that are read at most, 0 for all.
	Limit int
	// Named reads are merged with others of named columns of the same row and batch, and with one
	// of those that are Leading.
	Named, Leading bool
	// Gets is the number of Gets at most, and Rounds the number of rounds that they take, one after
	// the other.
	Gets, Rounds int
	// If is the condition under which it is read; empty for always.
	If string
	// SameRound reads are sent together with the one before.
	SameRound bool
}

// Why more is read of a list.
const (
	further = "the list goes on in further rows"
	long    = "there are more in its row"
)

func shapeOf(loader string, g hbase.Get) ReadShape {
	t := newTemplate(g)
	return ReadShape{Loader: loader, Table: g.Table, Columns: g.Columns, Limit: g.Page.Limit,
		Named: t.kind == namedColumns, Leading: t.kind == firstPage, Gets: 1, Rounds: 1}
}

// repeated returns a shape as often as a list may go on in further rows.
func (s ReadShape) repeated(gets, rounds int) []ReadShape {
	if gets <= 0 {
		return nil
	}
	s.Named, s.Leading, s.Gets, s.Rounds, s.If = false, false, gets, rounds, further
	return []ReadShape{s}
}

func (s ReadShape) sameRound() ReadShape {
	s.SameRound = true
	return s
}

// Shape returns the shape of a load of a key.
func (l Loader[K, V]) Shape(key K) ReadShape { return shapeOf(l.name, l.get(new(memory), key)) }

// NamedShape returns the shape of [Object.Named] for one object. It reports false if nothing is
// read.
func (o Object[T]) NamedShape(fields []string) (ReadShape, bool) {
	columns := o.of.Columns(fields)
	return o.Shape(Row{Columns: columns}), columns != ""
}

// RootShape returns the shape of [Object.Roots] and [Object.Read] for one object.
func (o Object[T]) RootShape(fields []string) ReadShape {
	return o.Shape(Row{Columns: o.existing(fields)})
}

// ScanShape returns the shape of [Object.Scan], and how many rows it reads at most.
func (o Object[T]) ScanShape(w Range, fields []string) (s ReadShape, rows int) {
	scan := o.scanOf(w, fields)
	return ReadShape{Loader: o.name, Table: scan.Table, Columns: scan.Columns}, scan.Limit
}

// PageShapes returns the shapes of [List.Page] for one list, round after round. begin is whether
// the range is at the list's beginning, as far as the members of one row go. half is the least
// number of members in a row of a list that has several.
func (l List[E]) PageShapes(w Range, begin bool, half int) []ReadShape {
	if w.Backward {
		return l.backwardShapes(w)
	}
	page := hbase.Page{Limit: w.Limit + 1}
	if w.After != "" {
		page.Start = hbase.Next(w.After)
	}
	// How many rows hold so many members. A page that begins inside a row reads one row more, in
	// the same round as the next.
	rows := (page.Limit + half - 1) / half
	first, known := l.shape(0, page), 0
	shapes := []ReadShape{first}
	if begin {
		return append(shapes, first.repeated(rows-1, rows-1)...)
	}
	if w.Far {
		shapes, known = append(shapes, l.directory(listscan.FarLookup).sameRound()), listscan.FarLookup
	}
	// The part of bucket 0 that is read names some buckets. The directory names the others.
	lookups := (rows + 1 - known + listscan.Lookup - 1) / listscan.Lookup
	shapes = append(shapes, l.directory(listscan.Lookup).repeated(lookups, lookups)...)
	return append(shapes, first.repeated(rows+1, rows)...)
}

func (l List[E]) backwardShapes(w Range) []ReadShape {
	whole := l.shape(0, hbase.Page{Stop: tables.MembersEnd})
	whole.If = long
	tail := l.shape(0, hbase.Page{Stop: tables.MembersEnd, Limit: listscan.Tail})
	shapes := []ReadShape{shapeOf(l.name, l.of.Directory("", w.Before, 1)), tail.sameRound(), whole}
	if w.Before != "" { // the first bucket may be empty
		shapes = append(shapes, shapeOf(l.name, l.of.DirectoryTo("", "")).repeated(1, 1)...)
		shapes = append(shapes, whole.repeated(1, 1)...)
	}
	return shapes
}

// MemberShapes returns the shapes of [List.Members] for one key, round after round.
func (l List[E]) MemberShapes() []ReadShape {
	shapes := []ReadShape{l.shape(0, hbase.Page{Start: tables.MembersEnd, Limit: 1})}
	shapes = append(shapes, l.directory(1).repeated(1, 1)...)
	return append(shapes, l.shape(1, hbase.Page{Start: tables.MembersEnd, Stop: tables.MembersEnd, Limit: 1}).repeated(1, 1)...)
}

func (l List[E]) shape(bucket uint32, page hbase.Page) ReadShape {
	return shapeOf(l.name, l.of.Get("", bucket, page))
}

func (l List[E]) directory(limit int) ReadShape {
	return shapeOf(l.name, l.of.Directory("", tables.MembersEnd, limit))
}
