package loaders

import (
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/listscan"
)

// ReadShape is the declared cost of a read: a Get without its row, and how often it is sent. For a
// scan, it has only Loader, Table and Columns.
type ReadShape struct {
	Loader, Table, Columns string
	Limit                  int // columns of a family; 0 for all
	// NamedColumns and FirstPage say how the Get can be merged: see [mergeKind].
	NamedColumns, FirstPage bool
	Gets, Rounds            int    // at most
	If                      string // condition; empty for always
	SameRound               bool   // sent in the round of the previous shape
}

const (
	ifFurtherRows = "the list goes on in further rows"
	ifLongRow     = "the row has more members than the first read returns"
)

const anyPosition = tables.MembersEnd // no shape depends on it

func shapeOf(loader string, g hbase.Get) ReadShape {
	t := newTemplate(g)
	return ReadShape{Loader: loader, Table: g.Table, Columns: g.Columns, Limit: g.Page.Limit,
		NamedColumns: t.kind == namedColumns, FirstPage: t.kind == firstPage, Gets: 1, Rounds: 1}
}

func (s ReadShape) ifFurther(gets, rounds int) []ReadShape {
	if gets <= 0 {
		return nil
	}
	s.NamedColumns, s.FirstPage, s.Gets, s.Rounds, s.If = false, false, gets, rounds, ifFurtherRows
	return []ReadShape{s}
}

func (s ReadShape) sameRound() ReadShape {
	s.SameRound = true
	return s
}

// Shape returns the shape of a load.
func (l Loader[K, V]) Shape(key K) ReadShape { return shapeOf(l.name, l.get(new(tables.Memory), key)) }

// NamedShape returns the shape of [Object.Named]. ok is false if nothing is read.
func (o Object[T]) NamedShape(fields []string) (shape ReadShape, ok bool) {
	columns := o.of.Columns(fields)
	return o.Shape(ObjectKey{Columns: columns}), columns != ""
}

// RootShape returns the shape of [Object.Roots].
func (o Object[T]) RootShape(fields []string) ReadShape {
	return o.Shape(ObjectKey{Columns: o.columnsOrExistence(fields)})
}

// ScanShape returns the shape of [Object.Scan], and the maximum number of rows.
func (o Object[T]) ScanShape(r Range, fields []string) (s ReadShape, rows int) {
	return scanShape(o.name, o.scanOf(r, fields))
}

// SearchShape returns the shape of [Object.Search], and the maximum number of rows.
func (o Object[T]) SearchShape(r Range) (s ReadShape, rows int) {
	return scanShape(o.name, o.searchOf("x", r))
}

func scanShape(loader string, scan hbase.Scan) (s ReadShape, rows int) {
	return ReadShape{Loader: loader, Table: scan.Table, Columns: scan.Columns}, scan.Limit
}

// PageShapes returns the shapes of [List.Page], in the order of the rounds. atBeginning is true if
// the range starts at the beginning of the list, or is in its first bucket. Each of several buckets
// is assumed to have at least minMembers members: see "Sparse rows" in docs/EXPLAIN.md.
func (l List[E]) PageShapes(r Range, atBeginning bool, minMembers int) []ReadShape {
	if r.Backward {
		return l.backwardShapes(r)
	}
	page := hbase.Page{Limit: r.Limit + 1}
	if r.After != "" {
		page.Start = hbase.Next(r.After)
	}
	buckets := (page.Limit + minMembers - 1) / minMembers
	first, known := l.shape(0, page), 0
	shapes := []ReadShape{first}
	if atBeginning {
		return append(shapes, first.ifFurther(buckets-1, buckets-1)...)
	}
	if r.Far {
		shapes, known = append(shapes, l.directory(listscan.FarLookup).sameRound()), listscan.FarLookup
	}
	// A page that starts inside a bucket may need one bucket more, but no further round: its first
	// two buckets are read in one round.
	lookups := (buckets + 1 - known + listscan.Lookup - 1) / listscan.Lookup
	shapes = append(shapes, l.directory(listscan.Lookup).ifFurther(lookups, lookups)...)
	return append(shapes, first.ifFurther(buckets+1, buckets)...)
}

func (l List[E]) backwardShapes(r Range) []ReadShape {
	shapes := []ReadShape{
		shapeOf(l.name, l.of.Directory("", r.Before, 1)),
		l.shape(0, hbase.Page{Stop: tables.MembersEnd, Limit: listscan.HeadLimit}).sameRound(),
	}
	whole := l.shape(0, hbase.Page{Stop: tables.MembersEnd})
	bucket := []ReadShape{whole}
	whole.If = ifLongRow
	shapes = append(shapes, whole)
	if l.of.MaxMember > 0 {
		page := l.shape(0, hbase.Page{Stop: tables.MembersEnd, Limit: r.Limit + 2})
		bucket, shapes = append(bucket, page), append(shapes, page)
	}
	if r.Before != "" { // the last bucket may have no member before r.Before
		shapes = append(shapes, shapeOf(l.name, l.of.DirectoryTo("", "")).ifFurther(1, 1)...)
		for _, s := range bucket {
			shapes = append(shapes, s.ifFurther(1, 1)...)
		}
	}
	return shapes
}

// Shape returns the shape for a list that was never split, or whose first bucket has members.
func (a Any[E]) Shape(string) ReadShape { return a.list.shape(0, hbase.Page{Limit: 1}) }

// MemberShapes returns the shapes of [List.Members], in the order of the rounds.
func (l List[E]) MemberShapes() []ReadShape {
	first := l.shape(0, hbase.Page{Start: anyPosition, Limit: 1})
	bucket := l.shape(1, hbase.Page{Start: anyPosition, Stop: tables.MembersEnd, Limit: 1})
	shapes := append([]ReadShape{first}, l.directory(1).ifFurther(1, 1)...)
	return append(shapes, bucket.ifFurther(1, 1)...)
}

func (l List[E]) shape(bucket uint32, page hbase.Page) ReadShape {
	return shapeOf(l.name, l.of.Get("", bucket, page))
}

func (l List[E]) directory(limit int) ReadShape {
	return shapeOf(l.name, l.of.Directory("", anyPosition, limit))
}
