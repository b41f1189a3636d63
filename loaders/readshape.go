package loaders

import (
	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/listscan"
)

// Outline is a Get as it would be sent, for whatever row: what a plan tells of it. The outlines of
// a loader's reads are made of its own Gets, so that the two can't differ.
type Outline struct {
	Loader, Table, Columns string
	// Limit is how many columns of a family are read at most, 0 for all.
	Limit int
	// Named reads go together with others of named columns and with one of those that are Leading,
	// if they are of one row and asked for together.
	Named, Leading bool
	// Gets is how many of them there are at most, and Rounds in how many rounds, one after the
	// other.
	Gets, Rounds int
	// If says on what it depends; it is empty if it is always read.
	If string
	// Beside reads are sent together with the one before.
	Beside bool
}

// Why more is read of a list.
const (
	further = "the list goes on in further rows"
	long    = "there are more in its row"
)

func outline(loader string, g hbase.Get) Outline {
	s := newShape(g)
	return Outline{Loader: loader, Table: g.Table, Columns: g.Columns, Limit: g.Page.Limit,
		Named: s.kind == namedColumns, Leading: s.kind == firstPage, Gets: 1, Rounds: 1}
}

// Outline tells what is read for a key.
func (l Loader[K, V]) Outline(key K) Outline { return outline(l.name, l.get(new(memory), key)) }

// OutlineNamed tells what [Object.Named] reads of an object; ok is false if that is nothing.
func (o Object[T]) OutlineNamed(fields []string) (read Outline, ok bool) {
	columns := o.of.Columns(fields)
	return o.Outline(Row{Columns: columns}), columns != ""
}

// OutlineRoot tells what [Object.Roots] and [Object.Read] read of an object.
func (o Object[T]) OutlineRoot(fields []string) Outline {
	return o.Outline(Row{Columns: o.existing(fields)})
}

// OutlineScan tells what [Object.Scan] reads: rows is how many at most.
func (o Object[T]) OutlineScan(w Range, fields []string) (read Outline, rows int) {
	scan := o.scanOf(w, fields)
	return Outline{Loader: o.name, Table: scan.Table, Columns: scan.Columns}, scan.Limit
}

// OutlinePage tells what [List.Page] reads of a list, one round after the other. begin is whether
// the window is at the list's beginning, as far as the members of a single row go; half is the
// least number of members in a row of a list that has several.
func (l List[E]) OutlinePage(w Range, begin bool, half int) []Outline {
	if w.Backward {
		beginning := outline(l.name, l.of.Get("", 0, hbase.Page{Stop: tables.MembersEnd, Limit: listscan.Tail}))
		beginning.Beside = true
		whole := outline(l.name, l.of.Get("", 0, hbase.Page{Stop: tables.MembersEnd}))
		whole.If = long
		reads := []Outline{outline(l.name, l.of.Directory("", w.Before, 1)), beginning, whole}
		if w.Before != "" { // the first of its row may have left
			reads = append(reads, repeated(outline(l.name, l.of.DirectoryTo("", "")), 1, 1)...)
			reads = append(reads, repeated(whole, 1, 1)...)
		}
		return reads
	}
	page := hbase.Page{Limit: w.Limit + 1}
	if w.After != "" {
		page.Start = hbase.Next(w.After)
	}
	// How many rows hold so many members. A page that begins in the midst of a row meets one more,
	// which is read along with the next.
	rows := (page.Limit + half - 1) / half
	first, known := outline(l.name, l.of.Get("", 0, page)), 0
	reads := []Outline{first}
	if begin {
		return append(reads, repeated(first, rows-1, rows-1)...)
	}
	if w.Far {
		directory := outline(l.name, l.of.Directory("", tables.MembersEnd, listscan.FarLookup))
		directory.Beside = true
		reads, known = append(reads, directory), listscan.FarLookup
	}
	// Row 0 tells of the others as far as it is read; beyond that they have to be looked up.
	lookups := (rows + 1 - known + listscan.Lookup - 1) / listscan.Lookup
	lookup := outline(l.name, l.of.Directory("", tables.MembersEnd, listscan.Lookup))
	reads = append(reads, repeated(lookup, lookups, lookups)...)
	return append(reads, repeated(first, rows+1, rows)...)
}

// repeated is a read as often as a list goes on.
func repeated(read Outline, gets, rounds int) []Outline {
	if gets <= 0 {
		return nil
	}
	read.Named, read.Leading, read.Gets, read.Rounds, read.If = false, false, gets, rounds, further
	return []Outline{read}
}

// OutlineMembers tells what [List.Members] reads for a key, one round after the other.
func (l List[E]) OutlineMembers() []Outline {
	first := outline(l.name, l.of.Get("", 0, hbase.Page{Start: tables.MembersEnd, Limit: 1}))
	return append([]Outline{first}, append(repeated(outline(l.name, l.of.Directory("", "", 1)), 1, 1),
		repeated(outline(l.name, l.of.Get("", 1, hbase.Exactly(tables.MembersEnd))), 1, 1)...)...)
}
