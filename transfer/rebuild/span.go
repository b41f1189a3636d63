package rebuild

import (
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
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

// Members decodes the members of a span, index-aligned with its cells.
func Members[E any](l *tables.List[E], s *Span) ([]E, error) {
	members, _, _, err := l.Decode(s.Owner, s.Cells)
	return members, err
}

// Covered decodes the members of a span that lie in the bucket that covers them: each member of a list once.
func Covered[E any](l *tables.List[E], s *Span) ([]E, error) {
	members, err := Members(l, s)
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

// Spans hands the owners' lists to f, owner after owner and each list in its order. An owner without a member has no span.
func Spans(ctx context.Context, store hbase.Store, l *tables.AnyList, owners []string, f func(*Span) error) error {
	gets := make([]hbase.Get, len(owners))
	for i, owner := range owners {
		gets[i] = l.Get(owner, 0, hbase.Page{Limit: firstPage})
	}
	pages, err := Read(ctx, store, gets)
	if err != nil {
		return err
	}
	for i, owner := range owners {
		r := reader{ctx, store, l, owner, nil, f}
		if err := r.list(pages[i]); err != nil {
			return err
		}
	}
	return nil
}

// reader reads one list.
type reader struct {
	ctx       context.Context
	store     hbase.Store
	of        *tables.AnyList
	owner     string
	directory []tables.Bucket
	f         func(*Span) error
}

// list reads the whole list, given the first page of bucket 0.
func (r *reader) list(first []hbase.Cell) error {
	var err error
	if len(first) < firstPage {
		r.directory, err = r.of.DecodeDirectory(r.owner, first)
	} else {
		r.directory, _, err = Directory(r.ctx, r.store, r.of, r.owner)
	}
	if err != nil {
		return err
	}
	if err := r.bucket(0, first, firstPage); err != nil {
		return err
	}
	for _, b := range r.directory {
		page, err := r.page(b.Number, "")
		if err != nil {
			return err
		}
		if err := r.bucket(b.Number, page, nextPage); err != nil {
			return err
		}
	}
	return nil
}

// bucket reads the rest of a bucket, given a page of it that was asked for with that limit.
func (r *reader) bucket(number uint32, page []hbase.Cell, limit int) error {
	for {
		n := members(page)
		if n > 0 {
			if err := r.f(r.span(number, page[:n])); err != nil {
				return err
			}
		}
		if len(page) < limit || n < len(page) {
			return nil
		}
		var err error
		if page, err = r.page(number, hbase.Next(page[n-1].Qualifier)); err != nil {
			return err
		}
		limit = nextPage
	}
}

// span returns a page as f gets it.
func (r *reader) span(number uint32, page []hbase.Cell) *Span {
	s := &Span{Owner: r.owner, Bucket: number, Cells: page, Directory: r.directory}
	if !slices.ContainsFunc(page, tables.Moved) {
		return s
	}
	s.Cells = nil
	for _, c := range page {
		if tables.Moved(c) {
			s.Moved = append(s.Moved, c)
		} else {
			s.Cells = append(s.Cells, c)
		}
	}
	return s
}

// members returns how many of a page's cells are members: the directory's columns are behind them.
func members(page []hbase.Cell) int {
	n := len(page)
	for n > 0 && page[n-1].Qualifier >= tables.MembersEnd {
		n--
	}
	return n
}

func (r *reader) page(bucket uint32, start string) ([]hbase.Cell, error) {
	cells, err := Read(r.ctx, r.store, []hbase.Get{r.of.Get(r.owner, bucket, hbase.Page{Start: start, Limit: nextPage})})
	if err != nil {
		return nil, err
	}
	return cells[0], nil
}

// Directory reads which sealed buckets an owner's list has, in its order, and the columns that say so.
func Directory(ctx context.Context, store hbase.Store, l *tables.AnyList, owner string) ([]tables.Bucket, []hbase.Cell, error) {
	cells, err := Read(ctx, store, []hbase.Get{l.Directories(owner)})
	if err != nil {
		return nil, nil, err
	}
	directory, err := l.DecodeDirectory(owner, cells[0])
	return directory, cells[0], err
}
