package listscan

import (
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Rows scans all members of a list, including old copies and moved markers.
//
//	first ──► bucket 0 is short, so its page has the directory ──► pages of the named buckets
//	  └─────► directory ──► the other pages of bucket 0 ──► pages of the named buckets
//
// If Pending is true, it then reads the directory again, until there are no new buckets. A Rows is
// not safe for concurrent use.
type Rows struct {
	RowsOptions
	list  *tables.AnyList
	owner string

	state     rowsState
	directory []tables.Bucket
	first     []hbase.Cell // the first page, while the directory is read
	start     string       // next page
	limit     int
	buckets   []uint32 // in the order of reading
	current   int
}

// RowsOptions are settings of [Rows].
type RowsOptions struct {
	// First and Next are the maximum columns of the first and of later pages.
	First, Next int
	// Pending includes pending buckets, even of a split that begins during the scan.
	Pending bool
}

type rowsState uint8

const (
	rowsFirst rowsState = iota // bucket 0
	rowsDirectory
	rowsPage  // current bucket
	rowsAgain // the directory, for new buckets
	rowsDone
)

// RowPage is a page of one row.
type RowPage struct {
	Bucket uint32
	Cells  []hbase.Cell
	Last   bool // of the bucket
}

// NewRows needs positive page sizes.
func NewRows(list *tables.AnyList, owner string, o RowsOptions) Rows {
	return Rows{RowsOptions: o, list: list, owner: owner, limit: o.First, buckets: []uint32{0}}
}

// Done reports whether all rows were read.
func (r *Rows) Done() bool { return r.state == rowsDone }

// Directory returns the named buckets. It is empty before the first page.
func (r *Rows) Directory() []tables.Bucket { return r.directory }

// Get panics if r is done.
func (r *Rows) Get() hbase.Get {
	switch r.state {
	case rowsFirst, rowsPage:
		return r.list.Get(r.owner, r.buckets[r.current], hbase.Page{Start: r.start, Limit: r.limit})
	case rowsDirectory, rowsAgain:
		return r.list.Directories(r.owner)
	}
	panic("listscan: the scan is done")
}

// Take continues with the result of the last Get. ok is false without a page: the first page waits
// for the directory, and later reads of the directory have none.
func (r *Rows) Take(cells []hbase.Cell) (page RowPage, ok bool, err error) {
	switch r.state {
	case rowsFirst:
		if len(cells) == r.limit {
			r.first, r.state = cells, rowsDirectory
			return RowPage{}, false, nil
		}
		if err := r.learn(cells); err != nil {
			return RowPage{}, false, err
		}
		return r.page(cells), true, nil
	case rowsDirectory:
		if err := r.learn(cells); err != nil {
			return RowPage{}, false, err
		}
		return r.page(r.first), true, nil
	case rowsPage:
		return r.page(cells), true, nil
	case rowsAgain:
		err := r.learn(cells)
		r.continueWith(r.current)
		return RowPage{}, false, err
	}
	panic("listscan: the scan is done")
}

func (r *Rows) learn(cells []hbase.Cell) (err error) {
	if r.directory, err = r.list.DecodeDirectory(r.owner, cells); err != nil {
		return err
	}
	known := r.directory
	if r.Pending {
		pending, err := r.list.PendingBuckets(r.owner, cells)
		if err != nil {
			return err
		}
		known = slices.Concat(known, pending)
	}
	for _, b := range known {
		if !slices.Contains(r.buckets, b.Number) {
			r.buckets = append(r.buckets, b.Number)
		}
	}
	return nil
}

func (r *Rows) page(cells []hbase.Cell) RowPage {
	members, directory := split(cells)
	page := RowPage{Bucket: r.buckets[r.current], Cells: members}
	if page.Last = len(cells) < r.limit || len(directory) > 0; page.Last {
		r.continueWith(r.current + 1)
	} else {
		r.state, r.start = rowsPage, hbase.Next(members[len(members)-1].Qualifier)
	}
	r.limit = r.Next
	return page
}

func (r *Rows) continueWith(i int) {
	switch again := r.state == rowsAgain; {
	case i < len(r.buckets):
		r.state = rowsPage
	case r.Pending && !again:
		r.state = rowsAgain
	default:
		r.state = rowsDone
	}
	r.current, r.start = i, ""
}
