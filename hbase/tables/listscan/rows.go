package listscan

import (
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
)

// Rows scans all members' columns of a list, row after row, including old copies and moved markers.
// Rebuild checks them, and clearing deletes them.
//
//	first ──► bucket 0 is short, so its page has the directory ──► pages of the sealed buckets
//	  └─────► directory ──► the other pages of bucket 0 ──► pages of the sealed buckets
//
// With Pending, it then reads the directory again, until there are no new buckets.
//
// It is not safe for concurrent use.
type Rows struct {
	RowsOptions
	list  *tables.AnyList
	owner string

	state     rowsState
	directory []tables.Bucket
	first     []hbase.Cell // the first page, while the directory is read
	start     string       // of the next page
	limit     int
	buckets   []uint32 // all known buckets, in the order of reading
	current   int      // index of the bucket that is read
}

// RowsOptions are the sizes of the pages of [Rows], and which buckets it reads.
type RowsOptions struct {
	// First is the number of columns of the first page, Next that of all others.
	First, Next int
	// Pending includes the pending buckets of a split, and those created during the scan.
	Pending bool
}

type rowsState uint8

const (
	rowsFirst     rowsState = iota // the first page of bucket 0, and the directory if it is short
	rowsDirectory                  // the directory
	rowsPage                       // a page of the current bucket
	rowsAgain                      // the directory again, for buckets created during the scan
	rowsDone
)

// RowPage is a page of one row.
type RowPage struct {
	Bucket uint32
	// Cells are members' columns and moved markers, in the list's order.
	Cells []hbase.Cell
	Last  bool // no page of the bucket follows
}

// NewRows returns a scan of all rows of a list. o.First and o.Next must be positive.
func NewRows(list *tables.AnyList, owner string, o RowsOptions) Rows {
	return Rows{RowsOptions: o, list: list, owner: owner, limit: o.First, buckets: []uint32{0}}
}

// Done reports whether all rows have been read.
func (r *Rows) Done() bool { return r.state == rowsDone }

// Directory returns the sealed buckets, once a page was returned.
func (r *Rows) Directory() []tables.Bucket { return r.directory }

// Get returns the next Get. It panics if the scan is done.
func (r *Rows) Get() hbase.Get {
	switch r.state {
	case rowsFirst, rowsPage:
		return r.list.Get(r.owner, r.buckets[r.current], hbase.Page{Start: r.start, Limit: r.limit})
	case rowsDirectory, rowsAgain:
		return r.list.Directories(r.owner)
	}
	panic("listscan: the scan is done")
}

// Take continues with the cells of the last Get. ok is false if that read the directory only.
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

// learn takes the directory, and appends the buckets that are new.
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

// page returns a page of the current bucket, and chooses the next Get.
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

// continueWith continues with the i-th bucket or, after the last, the directory.
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
