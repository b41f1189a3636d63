package rebuild

import (
	"context"
	"slices"

	"twibase/hbase"
	"twibase/hbase/tables"
	"twibase/hbase/tables/listscan"
)

const (
	firstPage = 100  // members of each list
	nextPage  = 4096 // members of one list
)

// BucketPage is a page of a bucket.
type BucketPage struct {
	Owner  string
	Bucket uint32
	// Cells are members of this bucket, in order.
	Cells []hbase.Cell
	// Astray has members that another bucket covers.
	Astray    []hbase.Cell
	directory []tables.Bucket
}

// BucketPages calls f with the pages of lists, in order. It reads the first pages together.
func BucketPages(
	ctx context.Context, store hbase.Store, l *tables.AnyList, owners []string, f func(*BucketPage) error,
) error {
	lists := make([]*listscan.Rows, len(owners))
	for i, owner := range owners {
		rows := listscan.NewRows(l, owner, listscan.RowsOptions{First: firstPage, Next: nextPage})
		lists[i] = &rows
	}
	pages, err := hbase.GetEach(ctx, store, lists, (*listscan.Rows).Get)
	if err != nil {
		return err
	}
	for i, owner := range owners {
		rows, cells := lists[i], pages[i]
		for {
			page, ok, err := rows.Take(cells)
			if err == nil && ok && len(page.Cells) > 0 {
				err = f(newBucketPage(owner, rows.Directory(), page))
			}
			if err != nil {
				return err
			}
			if rows.Done() {
				break
			}
			if cells, err = hbase.GetOne(ctx, store, rows.Get()); err != nil {
				return err
			}
		}
	}
	return nil
}

func newBucketPage(owner string, directory []tables.Bucket, page listscan.RowPage) *BucketPage {
	s := &BucketPage{Owner: owner, Bucket: page.Bucket, Cells: page.Cells, directory: directory}
	astray := func(c hbase.Cell) bool { return tables.BucketOf(directory, c.Qualifier) != page.Bucket }
	misplaced := func(c hbase.Cell) bool { return tables.Moved(c) || astray(c) }
	if slices.ContainsFunc(page.Cells, misplaced) {
		s.Cells = slices.DeleteFunc(slices.Clone(page.Cells), misplaced)
		covered := func(c hbase.Cell) bool { return tables.Moved(c) || !astray(c) }
		s.Astray = slices.DeleteFunc(slices.Clone(page.Cells), covered)
	}
	return s
}
