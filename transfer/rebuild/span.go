package rebuild

import (
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/listscan"
)

const (
	// firstPage is how many columns of each list are read together with those of other lists. Most lists have no more.
	firstPage = 100
	// nextPage is how many columns at a time are read of the others, one list alone.
	nextPage = 4096
)

// Span is a page of one bucket of an owner's list.
type Span struct {
	Owner  string
	Bucket uint32
	// Cells are the members' columns, in the list's order.
	Cells []hbase.Cell
	// Moved are what stands there for members that are in another bucket: see [tables.Moved].
	Moved []hbase.Cell
	// Directory is the list's, whole.
	Directory []tables.Bucket
}

// Covered decodes the members of a span that lie in the bucket that covers them: each member of a list once.
func Covered[E any](l *tables.List[E], s *Span) ([]E, error) {
	members, _, _, err := l.Decode(s.Owner, s.Cells)
	covered := members[:0]
	for i, member := range members {
		if s.Covers(i) {
			covered = append(covered, member)
		}
	}
	return covered, err
}

// Covers reports whether member i lies in the bucket that covers it. One that does not is there once more, or on its way.
func (s *Span) Covers(i int) bool {
	return len(s.Directory) == 0 || tables.BucketOf(s.Directory, s.Cells[i].Qualifier) == s.Bucket
}

// Spans calls f with the owners' lists, owner after owner and each list row after row. An owner
// without members has no span. The first pages of all owners are read together.
func Spans(ctx context.Context, store hbase.Store, l *tables.AnyList, owners []string, f func(*Span) error) error {
	lists, gets := make([]listscan.Rows, len(owners)), make([]hbase.Get, len(owners))
	for i, owner := range owners {
		lists[i] = listscan.NewRows(l, owner, listscan.RowsOptions{First: firstPage, Next: nextPage})
		gets[i] = lists[i].Get()
	}
	pages, err := hbase.GetAll(ctx, store, gets)
	if err != nil {
		return err
	}
	for i, owner := range owners {
		rows, cells := &lists[i], pages[i]
		for {
			page, ok, err := rows.Take(cells)
			if err == nil && ok && len(page.Cells) > 0 {
				err = f(newSpan(owner, rows.Directory(), page))
			}
			if err != nil {
				return err
			}
			if rows.Done() {
				break
			}
			next, err := hbase.GetAll(ctx, store, []hbase.Get{rows.Get()})
			if err != nil {
				return err
			}
			cells = next[0]
		}
	}
	return nil
}

func newSpan(owner string, directory []tables.Bucket, page listscan.RowPage) *Span {
	s := &Span{Owner: owner, Bucket: page.Bucket, Cells: page.Cells, Directory: directory}
	if !slices.ContainsFunc(page.Cells, tables.Moved) {
		return s
	}
	s.Cells = nil
	for _, c := range page.Cells {
		if tables.Moved(c) {
			s.Moved = append(s.Moved, c)
		} else {
			s.Cells = append(s.Cells, c)
		}
	}
	return s
}

// Directory reads which sealed buckets an owner's list has, in its order, and the columns that say so.
func Directory(ctx context.Context, store hbase.Store, l *tables.AnyList, owner string) ([]tables.Bucket, []hbase.Cell, error) {
	cells, err := hbase.GetAll(ctx, store, []hbase.Get{l.Directories(owner)})
	if err != nil {
		return nil, nil, err
	}
	directory, err := l.DecodeDirectory(owner, cells[0])
	return directory, cells[0], err
}
